/** The rounds of a run: how often it has waited for results of the client's tools. */
import { ok, type Outcome } from "../../../actors/fault.ts";
import { isJsonObject } from "../../../actors/schema.ts";
import { lookUp } from "../../log/look-up.ts";
import type { Caller } from "../../http/request/caller.ts";
import type { Services } from "../../operations/services.ts";

/** Rounds of one run that are looked at: more than a run has steps. */
const MOST_ROUNDS = 1_000;

/** The number of the part that begins with the results of these calls; that of the newest part if none asks for them. */
export async function roundAfter(
  { jobs, log }: Pick<Services, "jobs" | "log">,
  { principal }: Pick<Caller, "principal">,
  jobId: string,
  callIds: readonly string[],
): Promise<Outcome<number>> {
  const of = { organizationId: principal.organizationId, jobId, types: ["job.blocked"] };
  const page = await lookUp(log, jobs.jobEvents(of, { after: 0, limit: MOST_ROUNDS }));
  if (!page.ok) return page;
  const rounds = page.value.records.filter(({ data }) => data["reason"] === "tool_result_required");
  const at = rounds.findIndex(({ data }) => {
    const calls = data["toolCalls"];
    return Array.isArray(calls) && calls.some((call) => isJsonObject(call) && callIds.includes(String(call["id"])));
  });
  return ok((at < 0 ? rounds.length - 1 : at) + 1);
}
