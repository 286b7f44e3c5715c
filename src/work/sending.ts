/**
 * Sends a user's message into an existing chat (CHAT-4, CHAT-5), and commits its effect on the running job with it: a
 * steered job gets the message, an interrupted one is cancelled.
 */
import { assert } from "../../actors/assert.ts";
import type { SentMessage } from "../../actors/chat/protocol.ts";
import { type Chat, chatRef, inputBlocks, messageBlocks } from "../../actors/chat/schema.ts";
import type { Outcome } from "../../actors/fault.ts";
import { chatAfter } from "../../actors/job/transitions.ts";
import { type Job, jobRef } from "../../actors/job/schema.ts";
import { isAttachment } from "../../actors/upload/terms.ts";
import { type Ask, followedBy, following, type RepliesOf } from "../../actors/runtime/turns/members.ts";
import { ask } from "../../actors/troupe.ts";
import { usesOf } from "./attaching.ts";
import {
  type MessageTerms,
  type PreparedWork,
  prepareWork,
  type Requester,
  type WorkServices,
} from "./prepared-work.ts";

/** A message to an existing chat. */
export interface ChatMessage extends Omit<MessageTerms, "chatId" | "opening"> {
  readonly by: Requester;
}

/** The sent message, and the chat and the job after the commit. */
export interface Sent extends SentMessage {
  /** The job that answers: a new one, or the steered one. */
  readonly job: Job;
}

/** The members of a turn group. */
export type SendingSteps = ReturnType<typeof sendingSteps>;
/** Commits the members as one group; `sentOf` interprets their replies. */
export type CommitSending<T> = (steps: SendingSteps) => Promise<Outcome<T>>;

/**
 * Sends the message. A message that steers begins no job and needs no budget. It is queued instead if the running job
 * has just ended, or if the job belongs to another user and only the chat's policy says `steer`.
 */
export async function sendMessage<T>(
  services: WorkServices,
  { chat, message }: { readonly chat: Chat; readonly message: ChatMessage },
  commit: CommitSending<T>,
): Promise<Outcome<T>> {
  const send = async (as: ChatMessage, checksBudget: boolean): Promise<Outcome<T>> => {
    const { blocks } = as;
    const work = await prepareWork(services, {
      ...workOf(chat, as.by),
      blocks,
      checksBudget,
      budget: message.terms.budget,
    });
    return work.ok ? commit(sendingSteps(chat.id, work.value, as)) : work;
  };
  const steers = (message.onBusy ?? chat.options.onBusy) === "steer" && chat.activeJobId !== null;
  if (!steers) return send(message, true);
  const sent = await send(message, false);
  const hasJustEnded = !sent.ok && sent.fault.kind === "invalid_state";
  const isSomebodyElses = !sent.ok && sent.fault.kind === "forbidden" && message.onBusy === null;
  return hasJustEnded || isSomebodyElses ? send({ ...message, onBusy: "queue" }, true) : sent;
}

/** The request for work by this chat's agent for this user. */
export const workOf = ({ agentId: agent, workspaceId, options: { model } }: Chat, by: Requester) => ({
  by,
  agent,
  workspaceId,
  model,
});

/** The members: the message, its effect on the running job, the effect of that on the chat, and a read of the chat. */
function sendingSteps(chatId: string, work: PreparedWork, { by, ...message }: ChatMessage) {
  const sending = followedBy(work.message({ ...message, chatId, opening: null }), (sent) => consequence(by, sent));
  const ending = following(sending, ([, job]) => (job === undefined ? null : chatAfter(job)));
  const chat = ask(chatRef(by.organizationId, chatId), { kind: "read_chat" });
  return [...ending, chat, ...usesOf(by, message.blocks)] as const;
}

/** The members for a message that steers this job and no other: refused if it no longer runs. */
export function steeringSteps(jobId: string, chatId: string, work: PreparedWork, { by, ...message }: ChatMessage) {
  const sending = work.message({ ...message, chatId, opening: null });
  const steered = (sent: SentMessage) => consequence(by, { ...sent, also: { kind: "steer", jobId } });
  return [...followedBy(sending, steered), ...usesOf(by, message.blocks)] as const;
}

/** The members that cancel a job, unless it is over, and end its turn in the chat. */
export const cancellingSteps = ({ organizationId, id }: Pick<Job, "organizationId" | "id">) =>
  followedBy(ask(jobRef(organizationId, id), { kind: "cancel", inGroup: true, unlessOver: true }), chatAfter);

/** The command for the running job, or null. */
function consequence(
  { organizationId, userId: by }: Requester,
  { also, message }: Pick<SentMessage, "also" | "message">,
): Ask<Job> | null {
  if (also === null) return null;
  const ref = jobRef(organizationId, also.jobId);
  return also.kind === "steer"
    ? ask(ref, { kind: "steer", by, messageId: message.id, content: message.content, ...blocksOf(message) })
    : ask(ref, { kind: "cancel", inGroup: true, unlessOver: true });
}

function blocksOf(message: SentMessage["message"]) {
  const blocks = messageBlocks(message);
  return blocks.some(isAttachment) ? { blocks: inputBlocks(blocks) } : {};
}

/** Interprets the replies of the members. */
export function sentOf([first, second, , chat]: RepliesOf<SendingSteps>): Sent {
  const job = first.job ?? second;
  assert(job !== undefined, "a message has a job of its own or goes to the running one");
  // If the interrupted turn was only queued, the new job is active at once.
  const queuedPosition = chat.activeJobId === job.id ? 0 : first.queuedPosition;
  return { ...first, chat, job, queuedPosition };
}
