/**
 * Gives a user's message to a chat (CHAT-4, CHAT-5), and what it means for the running job in the same
 * commit: a steered job gets it, an interrupted one is cancelled. Work that goes on from an earlier job
 * (resume, iterate) is a message too, and commits with the decision about that job.
 */
import type { SentMessage } from "../../../actors/chat/protocol.ts";
import { type Chat, chatRef, type OnBusy } from "../../../actors/chat/schema.ts";
import { assert } from "../../../actors/assert.ts";
import { ok, type Outcome } from "../../../actors/fault.ts";
import { chatAfter } from "../../../actors/job/ending.ts";
import type { JobCommand } from "../../../actors/job/protocol.ts";
import { type AgentSnapshot, type Job, jobRef, type JobTerms } from "../../../actors/job/schema.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { MemberStep } from "../../../actors/runtime/turns.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import { type Ask, ask } from "../../../actors/troupe.ts";
import type { Answer, Committed, MutatingCall, Steps } from "../../http/commit.ts";
import { snapshotOf } from "../../http/agent-snapshot.ts";
import { withinBudget } from "../../http/budget.ts";
import { unlessNotInstalled } from "../library-sight.ts";
import type { CurrentParts } from "../parts.ts";

type SendingParts = Pick<CurrentParts, "system" | "agents" | "models" | "library">;

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
export async function answeringAgent(parts: SendingParts, by: Principal, chat: Chat): Promise<Outcome<AgentSnapshot>> {
  const agent = await parts.agents.find(by, chat.agentId);
  if (!agent.ok) return unlessNotInstalled(parts, by, chat.agentId, agent);
  const model = parts.models.describe(chat.options.model ?? agent.value.model);
  return model.ok ? ok(snapshotOf(agent.value, by.organizationId)) : model;
}

/** A message and the chat that it goes to. */
interface Saying {
  readonly chatId: string;
  readonly said: Said;
}
type Commit = Pick<MutatingCall, "commit">;
type AnswerTo<T> = (value: T) => Answer;

/** Sends the message. Who wants to steer a job that has just come to its end is answered by the next one. */
export async function say(
  parts: SendingParts,
  call: Commit,
  { chatId, said }: Saying,
  answer: AnswerTo<Sent>,
): Promise<Outcome<Committed>> {
  const chat = await readChat(parts, said.by.organizationId, chatId);
  if (!chat.ok) return chat;
  const agent = await answeringAgent(parts, said.by, chat.value);
  if (!agent.ok) return agent;
  const steers = (said.onBusy ?? chat.value.options.onBusy) === "steer";
  const deliver = (as: Said): Promise<Outcome<Committed>> =>
    call.commit(delivery(chatId, agent.value, as), (first, replies) => answer(sentOf(first, replies)));
  const deliverNew = async (as: Said): Promise<Outcome<Committed>> => {
    const allowed = await withinBudget(parts.system, said.by.organizationId);
    return allowed.ok ? deliver(as) : allowed;
  };
  // A message to the job that runs already makes none.
  if (!steers || chat.value.activeJobId === null) return deliverNew(said);
  const sent = await deliver(said);
  const isLate = !sent.ok && sent.fault.kind === "invalid_state";
  // The chat's own policy is no wish of somebody who may not steer this job.
  const isOthers = !sent.ok && sent.fault.kind === "forbidden" && said.onBusy === null;
  return isLate || isOthers ? deliverNew({ ...said, onBusy: "queue" }) : sent;
}

/** The message, what it does to the running job, what that does to the chat, and the chat after all. */
function delivery(chatId: string, agent: AgentSnapshot, said: Said): Steps<SentMessage> {
  const { organizationId } = said.by;
  return [
    messageTo(chatId, agent, said),
    ([first]) => consequence(said.by, first as SentMessage, said.content),
    ([, job]) => (job === undefined ? null : chatAfter(job as Job)),
    ask(chatRef(organizationId, chatId), { kind: "read_chat" }),
  ];
}

function sentOf(first: SentMessage, replies: readonly unknown[]): Sent {
  const [, second, , chat] = replies as [SentMessage, Job, null, Chat];
  const job = first.job ?? second;
  // Who has interrupted a turn that merely waited has made room for itself.
  const queuedPosition = chat.activeJobId === job.id ? 0 : first.queuedPosition;
  return { ...first, chat, job, queuedPosition };
}

/** What the message does to the running job. */
function consequence(
  { organizationId, userId: by }: Principal,
  { also, message }: SentMessage,
  content: string,
): ReturnType<Extract<MemberStep, Function>> {
  if (also === null) return null;
  const command: JobCommand =
    also.kind === "steer"
      ? { kind: "steer", by, messageId: message.id, content }
      : { kind: "cancel", inGroup: true, unlessOver: true };
  return { ref: jobRef(organizationId, also.jobId), command };
}

const messageTo = (
  chatId: string,
  agent: AgentSnapshot,
  { by, content, onBusy, terms, metadata }: Said,
): Ask<SentMessage> =>
  ask(chatRef(by.organizationId, chatId), {
    kind: "send_message",
    open: null,
    agent,
    content,
    userId: by.userId,
    onBusy,
    terms,
    metadata,
  });

/** A decision about a job, and the message that follows from what the job is then. */
export interface Following {
  readonly by: Principal;
  readonly decision: {
    readonly jobId: string;
    readonly command: Extract<JobCommand, { kind: "resume" | "request_changes" }>;
  };
  readonly said: (job: Job) => Said;
}

/** Goes on from an earlier job in a new one: the decision and the message commit together. */
export async function sayAfter(
  parts: SendingParts,
  call: Commit,
  { chatId, by, decision, said }: Following & { readonly chatId: string },
  answer: AnswerTo<Job>,
): Promise<Outcome<Committed>> {
  const chat = await readChat(parts, by.organizationId, chatId);
  if (!chat.ok) return chat;
  const agent = await answeringAgent(parts, by, chat.value);
  if (!agent.ok) return agent;
  const allowed = await withinBudget(parts.system, by.organizationId);
  if (!allowed.ok) return allowed;
  return call.commit(
    [
      ask(jobRef(by.organizationId, decision.jobId), decision.command),
      ([job]) => chatAfter(job as Job),
      ([job]) => messageTo(chatId, agent.value, said(job as Job)),
    ],
    (_, [, , sent]) => answer(newJobOf(sent as SentMessage)),
  );
}

function newJobOf({ job }: SentMessage): Job {
  assert(job !== null, "a queued message has a job");
  return job;
}
