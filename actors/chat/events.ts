/**
 * The durable events of a chat's stream (SSE-7): each type with the shape of its data, and what a job
 * tells its chat besides the turn itself. Turns append through `appendChatEvent`, so what is not in
 * this table is never said; the surfaces, the contract and the tests read the same table. Data is
 * camelCase here, as in every record.
 */
import { ApprovalRequested, ApprovalResolved, ReviewUpdated } from "../job/events.ts";
import { BLOCKED_REASONS, JOB_STATUSES, RUN_ERROR_CODES } from "../job/schema.ts";
import type { Tx } from "../runtime/actor.ts";
import { OneOf, type Static, Type } from "../schema.ts";
import { CHAT_STATUSES, ChatOptions, MESSAGE_ROLES } from "./schema.ts";

const OptionalText = Type.Union([Type.String(), Type.Null()]);
const OfJob = { jobId: Type.String() };
const OfTurn = { jobId: Type.String(), messageId: Type.String() };
const OfCall = { jobId: Type.String(), callId: Type.String() };

export const CHAT_EVENTS = {
  "message.created": Type.Object({
    messageId: Type.String(),
    role: OneOf(MESSAGE_ROLES),
    content: Type.String(),
    /** The job that answers it, or that it steers. */
    jobId: OptionalText,
  }),
  /** It waits for its turn; `position` counts from 1. */
  "message.queued": Type.Object({ ...OfTurn, position: Type.Integer() }),
  "message.started": Type.Object({ ...OfTurn, attempt: Type.Integer() }),
  /** Drop the text of the message that is in no event: another attempt writes it again. */
  "message.restarted": Type.Object({ ...OfTurn, attempt: Type.Integer() }),
  "message.completed": Type.Object({
    ...OfTurn,
    status: OneOf(["completed", "cancelled", "failed"] as const),
    content: Type.String(),
  }),
  "tool.started": Type.Object({ ...OfCall, name: Type.String() }),
  "tool.completed": Type.Object(OfCall),
  "tool.failed": Type.Object(OfCall),
  /** Another model answers from now on; null is the agent's own. */
  "routing.updated": Type.Object({ model: OptionalText }),
  "approval.requested": Type.Object({ ...OfJob, ...ApprovalRequested.properties }),
  "approval.resolved": Type.Object({ ...OfJob, ...ApprovalResolved.properties }),
  "review.updated": Type.Object({ ...OfJob, ...ReviewUpdated.properties }),
  /** A message has its job. */
  "job.linked": Type.Object(OfTurn),
  "job.updated": Type.Object({
    ...OfJob,
    status: OneOf(JOB_STATUSES),
    blockedReason: Type.Union([OneOf(BLOCKED_REASONS), Type.Null()]),
  }),
  /** What has changed of the chat. */
  "chat.updated": Type.Object({
    status: Type.Optional(OneOf(CHAT_STATUSES)),
    options: Type.Optional(Type.Partial(ChatOptions)),
    deleted: Type.Optional(Type.Boolean()),
  }),
  /** What the turn has used so far. */
  "usage.updated": Type.Object({ ...OfJob, inputTokens: Type.Integer(), outputTokens: Type.Integer() }),
  error: Type.Object({ ...OfJob, code: OneOf(RUN_ERROR_CODES), message: Type.String() }),
} as const;
export type ChatEventType = keyof typeof CHAT_EVENTS;
export type ChatEventData<K extends ChatEventType> = Static<(typeof CHAT_EVENTS)[K]>;

/** Appends an event of the table to the stream of this turn's chat; answers its seq. */
export const appendChatEvent = <K extends ChatEventType>(tx: Tx, type: K, data: ChatEventData<K>): number =>
  tx.append(type, data);
