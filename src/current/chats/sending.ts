/**
 * Gives a user's message to a chat (CHAT-4, CHAT-5), and what it means for the running job in the same
 * commit: a steered job gets it, an interrupted one is cancelled. Work that goes on from an earlier job
 * (resume, iterate) is a message too, and commits with the decision about that job.
 */
import type { SentMessage } from "../../../actors/chat/protocol.ts";
import { type Chat, chatRef, type OnBusy } from "../../../actors/chat/schema.ts";
import { ok, type Outcome } from "../../../actors/fault.ts";
import { chatAfter } from "../../../actors/job/ending.ts";
import type { JobCommand } from "../../../actors/job/protocol.ts";
import { type AgentSnapshot, type Job, jobRef, type JobTerms } from "../../../actors/job/schema.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { MemberStep } from "../../../actors/runtime/turns.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import { snapshotOf } from "../../http/agent-snapshot.ts";
import { withinBudget } from "../../http/budget.ts";
import type { CurrentParts } from "../parts.ts";

type SendingParts = Pick<CurrentParts, "system" | "agents" | "models">;

/** A message to the chat whose job is made by these terms; null policy: as the chat says. */
export interface Said {
  readonly by: Principal;
  readonly content: string;
  readonly onBusy: OnBusy | null;
  readonly terms: JobTerms;
  readonly metadata: JsonObject;
}

export interface Sent extends SentMessage {
  /** The job that answers: a new one, or the one that it steers. */
  readonly job: Job;
}

/** Reads the chat for somebody of this organization. */
export const readChat = ({ system }: SendingParts, organizationId: string, chatId: string): Promise<Outcome<Chat>> =>
  system.dispatch(chatRef(organizationId, chatId), { kind: "read_chat" });

/** The agent that answers in this chat, when this caller may use it and its model can be reached. */
export async function answeringAgent(
  { agents, models }: SendingParts,
  by: Principal,
  chat: Chat,
): Promise<Outcome<AgentSnapshot>> {
  const agent = await agents.find(by, chat.agentId);
  if (!agent.ok) return agent;
  const model = models.describe(chat.options.model ?? agent.value.model);
  return model.ok ? ok(snapshotOf(agent.value, by.organizationId)) : model;
}

/** Sends the message. Who wants to steer a job that has just come to its end is answered by the next one. */
export async function say(parts: SendingParts, chatId: string, said: Said): Promise<Outcome<Sent>> {
  const chat = await readChat(parts, said.by.organizationId, chatId);
  if (!chat.ok) return chat;
  const agent = await answeringAgent(parts, said.by, chat.value);
  if (!agent.ok) return agent;
  const steers = (said.onBusy ?? chat.value.options.onBusy) === "steer";
  const deliverNew = async (as: Said): Promise<Outcome<Sent>> => {
    const allowed = await withinBudget(parts.system, said.by.organizationId);
    return allowed.ok ? deliver(parts, { chatId, agent: agent.value, said: as }) : allowed;
  };
  // A message to the job that runs already makes none.
  if (!steers || chat.value.activeJobId === null) return deliverNew(said);
  const sent = await deliver(parts, { chatId, agent: agent.value, said });
  const isLate = !sent.ok && sent.fault.kind === "invalid_state";
  return isLate ? deliverNew({ ...said, onBusy: "queue" }) : sent;
}

interface Delivery {
  readonly chatId: string;
  readonly agent: AgentSnapshot;
  readonly said: Said;
}

async function deliver({ system }: SendingParts, { chatId, agent, said }: Delivery): Promise<Outcome<Sent>> {
  const { organizationId } = said.by;
  const replies = await system.dispatchGroup([
    messageTo(chatId, agent, said),
    ([first]) => consequence(organizationId, first as SentMessage, said.content),
    ([, job]) => (job === undefined ? null : chatAfter(job as Job)),
    { ref: chatRef(organizationId, chatId), command: { kind: "read_chat" } },
  ]);
  if (!replies.ok) return replies;
  const [first, second, , chat] = replies.value as [SentMessage, Job, null, Chat];
  const job = first.job ?? second;
  // Who has interrupted a turn that merely waited has made room for itself.
  const queuedPosition = chat.activeJobId === job.id ? 0 : first.queuedPosition;
  return ok({ ...first, chat, job, queuedPosition });
}

/** What the message does to the running job. */
function consequence(
  organizationId: string,
  { also, message }: SentMessage,
  content: string,
): ReturnType<Extract<MemberStep, Function>> {
  if (also === null) return null;
  const command: JobCommand =
    also.kind === "steer"
      ? { kind: "steer", messageId: message.id, content }
      : { kind: "cancel", inGroup: true, unlessOver: true };
  return { ref: jobRef(organizationId, also.jobId), command };
}

const messageTo = (chatId: string, agent: AgentSnapshot, { by, content, onBusy, terms, metadata }: Said) => ({
  ref: chatRef(by.organizationId, chatId),
  command: { kind: "send_message", open: null, agent, content, userId: by.userId, onBusy, terms, metadata } as const,
});

/**
 * Goes on from an earlier job in a new one: `decision` is that job's turn, and `said` follows from what
 * it answers. Both commit or neither does.
 */
export async function sayAfter(
  parts: SendingParts,
  chatId: string,
  {
    by,
    decision,
    said,
  }: {
    readonly by: Principal;
    readonly decision: { readonly jobId: string; readonly command: JobCommand };
    readonly said: (job: Job) => Said;
  },
): Promise<Outcome<{ readonly parent: Job; readonly sent: Sent }>> {
  const chat = await readChat(parts, by.organizationId, chatId);
  if (!chat.ok) return chat;
  const agent = await answeringAgent(parts, by, chat.value);
  if (!agent.ok) return agent;
  const allowed = await withinBudget(parts.system, by.organizationId);
  if (!allowed.ok) return allowed;
  const replies = await parts.system.dispatchGroup([
    { ref: jobRef(by.organizationId, decision.jobId), command: decision.command },
    ([job]) => chatAfter(job as Job),
    ([job]) => messageTo(chatId, agent.value, said(job as Job)),
  ]);
  if (!replies.ok) return replies;
  const [parent, , sent] = replies.value as [Job, null, Sent];
  return ok({ parent, sent });
}
