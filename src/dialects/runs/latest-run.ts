/** The newest run of a chat: the one that runs, or the last one that has ended. */
import type { Chat } from "../../../actors/chat/schema.ts";
import { ok, type Outcome } from "../../../actors/fault.ts";
import type { Job } from "../../../actors/job/schema.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { Services } from "../../operations/services.ts";
import { readRun } from "./followed-run.ts";

/** Null: the chat has no run. */
export async function latestRun(
  services: Pick<Services, "system" | "jobs" | "readCommitted">,
  by: Principal,
  { id, activeJobId }: Chat,
): Promise<Outcome<Job | null>> {
  if (activeJobId !== null) return readRun(services, { principal: by }, activeJobId);
  const found = await services.readCommitted(by.organizationId, () =>
    services.jobs.latest(by.organizationId, { chatId: id, seenBy: by.userId }, 1),
  );
  if (!found.ok) return found;
  const [latest] = found.value;
  return latest === undefined ? ok(null) : readRun(services, { principal: by }, latest.id);
}
