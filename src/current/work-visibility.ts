/**
 * Who sees work with a private agent (AGT-5): the agent's creator sees its chats and jobs, and each person their
 * own; for everybody else they do not exist. One's own record needs no lookup.
 */
import { type Chat, chatRef } from "../../actors/chat/schema.ts";
import { notFound, ok, type Outcome } from "../../actors/fault.ts";
import { type Job, jobRef } from "../../actors/job/schema.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import type { Services } from "../operations/services.ts";
import type { Requester } from "../work/prepared-work.ts";

type VisibilityServices = Pick<Services, "system">;

/** The chat, if this person may know of it. */
export async function visibleChat(
  { system }: VisibilityServices,
  by: Requester,
  chatId: string,
): Promise<Outcome<Chat>> {
  const chat = await system.dispatch(chatRef(by.organizationId, chatId), { kind: "read_chat" });
  if (!chat.ok) return chat;
  const hidden = await isHidden(system, by, { agentId: chat.value.agentId, createdBy: chat.value.createdBy });
  if (!hidden.ok) return hidden;
  return hidden.value ? notFound("chat") : chat;
}

/** The job, if this person may know of it. */
export async function visibleJob({ system }: VisibilityServices, by: Requester, jobId: string): Promise<Outcome<Job>> {
  const job = await system.dispatch(jobRef(by.organizationId, jobId), { kind: "read_job" });
  if (!job.ok) return job;
  const hidden = await isHidden(system, by, { agentId: job.value.agent.id, createdBy: job.value.createdBy });
  if (!hidden.ok) return hidden;
  return hidden.value ? notFound("job") : job;
}

async function isHidden(
  system: VisibilityServices["system"],
  by: Requester,
  { agentId, createdBy }: { readonly agentId: string; readonly createdBy: string },
): Promise<Outcome<boolean>> {
  if (createdBy === by.userId) return ok(false);
  const who = { organizationId: by.organizationId, userId: by.userId };
  return system.dispatch(organizationRef(by.organizationId), { kind: "hides_work", by: who, agentId });
}
