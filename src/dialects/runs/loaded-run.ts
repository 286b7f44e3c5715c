/**
 * Records that a run needs before it can begin, loaded together. Each of them is asked for by itself later; one after the
 * other they would be three waits for the database before the first text.
 */
import { chatRef } from "../../../actors/chat/schema.ts";
import { newId } from "../../../actors/ids.ts";
import { jobRef } from "../../../actors/job/schema.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { Services } from "../../operations/services.ts";

interface LoadedRun {
  readonly chatId: string;
  readonly jobId: string;
  readonly messageId: string;
}

/** Resolves when the job, the chat and the message are in memory, or known to be absent; whoever needs them reports faults. */
export async function loadRun(
  { system }: Pick<Services, "system">,
  { organizationId }: Pick<Principal, "organizationId">,
  { chatId, jobId, messageId }: LoadedRun,
): Promise<void> {
  await Promise.all([
    system.dispatch(jobRef(organizationId, jobId), { kind: "read_job" }),
    system.dispatch(chatRef(organizationId, chatId), { kind: "read_message", messageId }),
  ]);
}

/**
 * The id of a new chat, after a look-up has shown that there is no such chat. Ask for it beside another read: then the
 * chat's opening waits for nothing. Open the chat only afterwards: while it is looked up, it refuses long messages.
 */
export async function freshChat(
  { system }: Pick<Services, "system">,
  { organizationId }: Pick<Principal, "organizationId">,
): Promise<string> {
  const id = newId("cht");
  // A failed look-up is repeated, and reported, by the command that opens the chat.
  await system.dispatch(chatRef(organizationId, id), { kind: "read_chat" });
  return id;
}
