/**
 * The durable events of a chat's stream (SSE-7): each type with the shape of its data, and the changes of a job other
 * than its turn. Turns append through `appendChatEvent`, so every event is in this table. The surfaces, the contract
 * and the tests read the same table. Data is camelCase here, as in every record.
 */
import { MadeArtifact } from "../job/terms.ts";
import { ApprovalRequested, ApprovalResolved, ReviewUpdated } from "../job/events.ts";
import { BLOCKED_REASONS, JOB_STATUSES, RUN_ERROR_CODES } from "../job/schema.ts";
import { StopReasonField } from "../job/stop-reason.ts";
import type { Tx } from "../runtime/actor.ts";
import { AttachmentBlock, InputBlocks } from "../upload/terms.ts";
import { type JsonObject, OneOf, type Static, Timestamp, Type } from "../schema.ts";
import { CHAT_STATUSES, ChatOptions, MESSAGE_ROLES } from "./schema.ts";

const OptionalText = Type.Union([Type.String(), Type.Null()]);
const OfJob = { jobId: Type.String() };
const OfTurn = { jobId: Type.String(), messageId: Type.String() };
const OfCall = { jobId: Type.String(), callId: Type.String() };

const Arguments = Type.Unsafe<JsonObject>({
  ...Type.Record(Type.String(), Type.Unknown()),
  description: "What the tool is called with; absent where it is longer than 4 KiB, and without `jobs:read`",
});
/** The beginning of the tool's result; absent in events of earlier versions, and without `jobs:read`. */
const Result = {
  result: Type.Optional(
    Type.String({ description: "The beginning of what the tool has answered; absent without `jobs:read`" }),
  ),
  isTruncated: Type.Optional(Type.Boolean({ description: "Whether the answer is longer than `result`" })),
  attachments: Type.Optional(
    Type.Array(AttachmentBlock, { description: "Images and files of the answer; absent without `jobs:read`" }),
  ),
};

export const CHAT_EVENTS = {
  "message.created": Type.Object({
    messageId: Type.String(),
    role: OneOf(MESSAGE_ROLES),
    content: Type.String(),
    /** All pieces of a message that is more than text. */
    blocks: InputBlocks,
    /** The job that answers it, or that it steers. */
    jobId: OptionalText,
  }),
  /** The message waits in the queue; `position` counts from 1. */
  "message.queued": Type.Object({ ...OfTurn, position: Type.Integer() }),
  "message.started": Type.Object({ ...OfTurn, attempt: Type.Integer() }),
  /** Readers drop the live text that no event contains: the new attempt writes it again. */
  "message.restarted": Type.Object({ ...OfTurn, attempt: Type.Integer() }),
  "message.completed": Type.Object({
    ...OfTurn,
    status: OneOf(["completed", "cancelled", "failed"] as const),
    content: Type.String(),
    /** Of an answer: why the model stopped. Absent in events of earlier versions. */
    stopReason: StopReasonField,
  }),
  /**
   * `arguments` only if they are short, and only for readers with `jobs:read`; the job's transcript has all of them.
   */
  "tool.started": Type.Object({ ...OfCall, name: Type.String(), arguments: Type.Optional(Arguments) }),
  /** The client runs this tool and sends its result (JOB-17). */
  "tool.requested": Type.Object({
    ...OfCall,
    name: Type.String(),
    arguments: Type.Optional(Arguments),
    expiresAt: Timestamp,
  }),
  "tool.completed": Type.Object({ ...OfCall, ...Result }),
  "tool.failed": Type.Object({ ...OfCall, ...Result }),
  /** Another model answers from now on; null: the agent's own. */
  "routing.updated": Type.Object({ model: OptionalText }),
  "approval.requested": Type.Object({ ...OfJob, ...ApprovalRequested.properties }),
  "approval.resolved": Type.Object({ ...OfJob, ...ApprovalResolved.properties }),
  "artifact.created": Type.Object({ ...OfJob, ...MadeArtifact.properties }),
  "review.updated": Type.Object({ ...OfJob, ...ReviewUpdated.properties }),
  /** The message got its job. */
  "job.linked": Type.Object(OfTurn),
  "job.updated": Type.Object({
    ...OfJob,
    status: OneOf(JOB_STATUSES),
    blockedReason: Type.Union([OneOf(BLOCKED_REASONS), Type.Null()]),
  }),
  /** The changed fields of the chat. */
  "chat.updated": Type.Object({
    status: Type.Optional(OneOf(CHAT_STATUSES)),
    options: Type.Optional(Type.Partial(ChatOptions)),
    metadata: Type.Optional(Type.Unsafe<JsonObject>(Type.Record(Type.String(), Type.Unknown()))),
    deleted: Type.Optional(Type.Boolean()),
  }),
  /** From now on this message, a summary, replaces older messages in model calls (CHAT-11). */
  "chat.compacted": Type.Object({ ...OfTurn, messages: Type.Integer() }),
  /** The message stays in the context, or may be compacted again (CHAT-12). */
  "message.updated": Type.Object({ messageId: Type.String(), pinned: Type.Boolean() }),
  /** Tokens that the turn has used so far. */
  "usage.updated": Type.Object({ ...OfJob, inputTokens: Type.Integer(), outputTokens: Type.Integer() }),
  error: Type.Object({ ...OfJob, code: OneOf(RUN_ERROR_CODES), message: Type.String() }),
} as const;
export type ChatEventType = keyof typeof CHAT_EVENTS;
export type ChatEventData<K extends ChatEventType> = Static<(typeof CHAT_EVENTS)[K]>;

/** Appends an event of the table to the stream of this turn's chat and returns its seq. */
export const appendChatEvent = <K extends ChatEventType>(tx: Tx, type: K, data: ChatEventData<K>): number =>
  tx.append(type, data);
