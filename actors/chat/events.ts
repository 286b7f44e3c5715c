/**
 * The durable events of a chat's stream (SSE-7): each type with the shape of its data, and the changes of a job other
 * than its turn. Turns append through `appendChatEvent`, so every event is in this table. The surfaces, the contract
 * and the tests read the same table. Data is camelCase here, as in every record.
 */
import { RequestedConnection, MadeArtifact } from "../job/terms.ts";
import { ApprovalRequested, ApprovalResolved, ReviewUpdated } from "../job/events.ts";
import { BLOCKED_REASONS, JOB_STATUSES, JobTokens, RUN_ERROR_CODES } from "../job/schema.ts";
import { StopReasonField } from "../job/stop-reason.ts";
import type { Tx } from "../runtime/actor.ts";
import { AttachmentBlock, InputBlocks } from "../upload/terms.ts";
import { type JsonObject, NullableText, OneOf, type Static, Timestamp, Type } from "../schema.ts";
import { CHAT_STATUSES, ChatOptions, MESSAGE_ROLES } from "./schema.ts";

const OfJob = { jobId: Type.String() };
const OfTurn = { jobId: Type.String(), messageId: Type.String() };
const OfCall = { jobId: Type.String(), callId: Type.String() };

const ToolArguments = Type.Unsafe<JsonObject>({
  ...Type.Record(Type.String(), Type.Unknown()),
  description: "Arguments of the call; absent if longer than 4 KiB, or without `jobs:read`",
});
/** The beginning of the tool's result; absent in events of earlier versions, and without `jobs:read`. */
const ToolResultText = {
  result: Type.Optional(Type.String({ description: "Beginning of the tool's result; absent without `jobs:read`" })),
  isTruncated: Type.Optional(Type.Boolean({ description: "Whether the result is longer than `result`" })),
  attachments: Type.Optional(
    Type.Array(AttachmentBlock, { description: "Images and files in the result; absent without `jobs:read`" }),
  ),
};

/** Each with its description in the contract. */
export const CHAT_EVENTS = {
  "message.created": Type.Object(
    {
      messageId: Type.String(),
      role: OneOf(MESSAGE_ROLES),
      content: Type.String(),
      /** All pieces of a message that is more than text. */
      blocks: InputBlocks,
      /** The job that answers it, or that it steers. */
      jobId: NullableText,
    },
    { description: "There is a new message, from a user or from the agent" },
  ),
  "message.queued": Type.Object(
    { ...OfTurn, position: Type.Integer() },
    { description: "The message waits in the queue" },
  ),
  "message.started": Type.Object(
    { ...OfTurn, attempt: Type.Integer() },
    { description: "The agent has begun to write the message" },
  ),
  "message.restarted": Type.Object(
    { ...OfTurn, attempt: Type.Integer() },
    { description: "A new attempt writes the message again: drop the live text that no event contains" },
  ),
  "message.completed": Type.Object(
    {
      ...OfTurn,
      status: OneOf(["completed", "cancelled", "failed"] as const),
      content: Type.String(),
      /** Of an answer: why the model stopped. Absent in events of earlier versions. */
      stopReason: StopReasonField,
    },
    { description: "The message is complete, or was cancelled, or has failed" },
  ),
  /** `arguments` only if they are short, and only for readers with `jobs:read`; the job's transcript has all of them. */
  "tool.started": Type.Object(
    { ...OfCall, name: Type.String(), arguments: Type.Optional(ToolArguments) },
    { description: "The agent has called a tool" },
  ),
  /** JOB-17. */
  "tool.requested": Type.Object(
    { ...OfCall, name: Type.String(), arguments: Type.Optional(ToolArguments), expiresAt: Timestamp },
    { description: "The agent has called a tool that the client runs: send its result" },
  ),
  "tool.completed": Type.Object({ ...OfCall, ...ToolResultText }, { description: "The tool has answered" }),
  "tool.failed": Type.Object({ ...OfCall, ...ToolResultText }, { description: "The tool has failed" }),
  "routing.updated": Type.Object({ model: NullableText }, { description: "Another model answers from now on" }),
  "approval.requested": Type.Object(
    { ...OfJob, ...ApprovalRequested.properties },
    { description: "A tool call waits for a person's approval" },
  ),
  "approval.resolved": Type.Object(
    { ...OfJob, ...ApprovalResolved.properties },
    { description: "An approval was decided, or has expired" },
  ),
  "authorization.requested": Type.Object(
    { ...OfJob, ...RequestedConnection.properties },
    { description: "A job waits for a person to connect a tool server: `link` leads to the page for it" },
  ),
  "artifact.created": Type.Object(
    { ...OfJob, ...MadeArtifact.properties },
    { description: "A tool has written a file for the first time" },
  ),
  "review.updated": Type.Object(
    { ...OfJob, ...ReviewUpdated.properties },
    { description: "The review of a job has a new state" },
  ),
  "job.linked": Type.Object(OfTurn, { description: "The message got the job that answers it" }),
  "job.updated": Type.Object(
    { ...OfJob, status: OneOf(JOB_STATUSES), blockedReason: Type.Union([OneOf(BLOCKED_REASONS), Type.Null()]) },
    { description: "A job of the chat has a new status" },
  ),
  "chat.updated": Type.Object(
    {
      status: Type.Optional(OneOf(CHAT_STATUSES)),
      options: Type.Optional(
        Type.Partial(ChatOptions, { $id: "ChatOptionsChange", description: "The settings that have changed" }),
      ),
      metadata: Type.Optional(Type.Unsafe<JsonObject>(Type.Record(Type.String(), Type.Unknown()))),
      deleted: Type.Optional(Type.Boolean()),
    },
    { description: "The chat has changed; only the changed fields are present" },
  ),
  /** CHAT-11. */
  "chat.compacted": Type.Object(
    { ...OfTurn, messages: Type.Integer() },
    { description: "From now on this message, a summary, replaces older messages in model calls" },
  ),
  /** CHAT-12. */
  "message.updated": Type.Object(
    { messageId: Type.String(), pinned: Type.Boolean() },
    { description: "The message was pinned to the context, or unpinned" },
  ),
  "usage.updated": Type.Object(
    { ...OfJob, ...JobTokens.properties },
    { description: "Tokens that the chat turn has used so far" },
  ),
  error: Type.Object(
    { ...OfJob, code: OneOf(RUN_ERROR_CODES), message: Type.String() },
    { description: "A job of the chat has failed" },
  ),
} as const;
export type ChatEventType = keyof typeof CHAT_EVENTS;
export type ChatEventData<K extends ChatEventType> = Static<(typeof CHAT_EVENTS)[K]>;

/** Appends an event of the table to the stream of this turn's chat and returns its seq. */
export const appendChatEvent = <K extends ChatEventType>(tx: Tx, type: K, data: ChatEventData<K>): number =>
  tx.append(type, data);
