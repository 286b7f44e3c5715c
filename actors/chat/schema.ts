/** The chat and its messages (CHAT-1 to CHAT-3), as far as a conversation by v1 needs them. */
import { cutText } from "../cut-text.ts";
import { Block, Usage } from "../job/schema.ts";
import { StopReasonField } from "../job/stop-reason.ts";
import { Interjection } from "../job/terms.ts";
import { type NewRecord, refTo, table } from "../runtime/actor.ts";
import { AttachmentBlock, type InputBlock, isAttachment } from "../upload/terms.ts";
import { type JsonObject, NullableText, OneOf, RecordBase, type Static, Timestamp, Type } from "../schema.ts";

export const CHAT_STATUSES = ["standby", "working", "done", "error", "needs_attention"] as const;
export const MESSAGE_STATUSES = ["queued", "streaming", "completed", "cancelled", "failed"] as const;
export const MESSAGE_ROLES = ["user", "assistant", "system", "tool"] as const;

/** Turns that may wait in one chat; further messages are refused. */
export const CHAT_QUEUE = 100;
/** Characters of the newest message that a list of chats shows. */
export const PREVIEW_CHARACTERS = 200;

/** What a message does while a turn runs (CHAT-5). */
export const ON_BUSY = ["queue", "steer", "interrupt", "reject"] as const;
export type OnBusy = (typeof ON_BUSY)[number];

/** What a chat's owner may set. `tools` and `model` override the agent's; null leaves them unchanged (CHAT-2). */
export const ChatOptions = Type.Object({
  model: NullableText,
  onBusy: OneOf(ON_BUSY),
  tools: Type.Union([Type.Array(Type.String()), Type.Null()]),
  /** Calls run without the approval that they would need. */
  autoApprove: Type.Boolean(),
  title: Type.String(),
  pinned: Type.Boolean(),
});
export type ChatOptions = Static<typeof ChatOptions>;

/** The summary that replaces the older turns of a chat in model calls (CHAT-11). */
export const ChatSummary = Type.Object({
  /** The message that has its text. */
  messageId: Type.String(),
  /** The last turn that it replaces, in the numbering of `turnsOf`. */
  throughTurn: Type.Integer(),
  /** How many messages it replaces, including those of earlier summaries. */
  messages: Type.Integer(),
  at: Timestamp,
});
export type ChatSummary = Static<typeof ChatSummary>;

/** Tokens that a provider counted for the newest model call of a chat, and the bytes of that call (CHAT-8). */
export const ContextMeasure = Type.Object({
  tokens: Type.Integer(),
  bytes: Type.Integer(),
  /** The estimate in tokens of its images and documents. */
  attached: Type.Optional(Type.Integer()),
});
export type ContextMeasure = Static<typeof ContextMeasure>;

/** Messages of one chat that compaction never removes from the context. */
export const CHAT_PINS = 20;

export const Chat = Type.Object({
  ...RecordBase,
  status: OneOf(CHAT_STATUSES),
  options: ChatOptions,
  agentId: Type.String(),
  agentName: Type.String(),
  workspaceId: Type.String(),
  messageCount: Type.Integer(),
  activeJobId: Type.Union([Type.String(), Type.Null()]),
  /** Jobs that wait behind the active one, in order (CHAT-5). */
  queue: Type.Array(Type.String(), { maxItems: CHAT_QUEUE }),
  lastMessagePreview: Type.Union([Type.String(), Type.Null()]),
  missionId: NullableText,
  runNumber: Type.Union([Type.Integer(), Type.Null()]),
  lastSeq: Type.Integer(),
  /** Absent: no turn has been compacted. */
  summary: Type.Optional(ChatSummary),
  /** Ids of messages that stay in the context (CHAT-12). */
  pins: Type.Optional(Type.Array(Type.String(), { maxItems: CHAT_PINS })),
  measured: Type.Optional(ContextMeasure),
  /** The source chat of a fork, and the last message that was copied (CHAT-13). */
  forkedFrom: Type.Optional(Type.Object({ chatId: Type.String(), messageId: Type.String() })),
  metadata: Type.Unsafe<JsonObject>({ type: "object" }),
  createdBy: Type.String(),
  /** The records of deleted chats are kept, but no request finds them (CHAT-1). */
  deletedAt: Type.Union([Timestamp, Type.Null()]),
});
export type Chat = Static<typeof Chat>;

/** A piece of a message; only users send attachments. */
export const MessageBlock = Type.Union([...Block.anyOf, AttachmentBlock]);
export type MessageBlock = Static<typeof MessageBlock>;

export const Message = Type.Object({
  ...RecordBase,
  chatId: Type.String(),
  role: OneOf(MESSAGE_ROLES),
  status: OneOf(MESSAGE_STATUSES),
  /** The text blocks joined; `position` of the streams counts in it. */
  content: Type.String(),
  /** Absent if they follow from the content (`messageBlocks`), so that no text is stored twice. */
  blocks: Type.Optional(Type.Array(MessageBlock)),
  /** Of an answer: what the model got while it wrote it, so that the next turn can repeat its calls exactly (RUN-34). */
  interjections: Type.Optional(Type.Array(Interjection)),
  jobId: Type.Union([Type.String(), Type.Null()]),
  usage: Type.Union([Usage, Type.Null()]),
  /** Of an answer: why the model stopped. */
  stopReason: StopReasonField,
  /** Of a summary: what it replaces. */
  compaction: Type.Optional(Type.Object({ throughTurn: Type.Integer(), messages: Type.Integer() })),
  sender: Type.Object({ type: OneOf(["user", "agent"] as const), id: Type.String() }),
  metadata: Type.Unsafe<JsonObject>({ type: "object" }),
  /** The seq of its `message.created` event: the order of the conversation. */
  seq: Type.Integer(),
  completedAt: Type.Union([Timestamp, Type.Null()]),
});
export type Message = Static<typeof Message>;

/** All blocks of a message, in order. */
export function messageBlocks({ content, blocks }: Pick<Message, "content" | "blocks">): readonly MessageBlock[] {
  if (blocks !== undefined) return blocks;
  return content === "" ? [] : [{ type: "text", text: content }];
}

/** The content of a message with these blocks, and the blocks themselves unless they follow from it. */
export function blocksFields(content: string, blocks: readonly MessageBlock[]): Pick<Message, "content" | "blocks"> {
  const [block] = blocks;
  const isContent =
    content !== "" && block?.type === "text" && block.text === content && Object.keys(block).length === 2;
  const follows = blocks.length === 0 ? content === "" : blocks.length === 1 && isContent;
  return follows ? { content } : { content, blocks: [...blocks] };
}

/** The blocks of a user's message. */
export const inputBlocks = (blocks: readonly MessageBlock[]): InputBlock[] =>
  blocks.filter((block): block is InputBlock => block.type === "text" || isAttachment(block));

export const chatTable = table<Chat>("chat");
export const messageTable = table<Message>("message");
export const chatRef = refTo("chat");

/** A chat without messages. */
export function newChat(of: {
  readonly id: string;
  readonly agent: { readonly id: string; readonly name: string };
  readonly workspaceId: string;
  readonly createdBy: string;
  readonly title: string;
  readonly options?: Partial<ChatOptions>;
  readonly metadata?: JsonObject;
  readonly mission?: { readonly id: string; readonly runNumber: number };
}): NewRecord<Chat> {
  const defaults = {
    model: null,
    onBusy: "queue",
    tools: null,
    autoApprove: false,
    title: of.title,
    pinned: false,
  } as const;
  return {
    id: of.id,
    status: "standby",
    options: { ...defaults, ...of.options },
    agentId: of.agent.id,
    agentName: of.agent.name,
    workspaceId: of.workspaceId,
    messageCount: 0,
    activeJobId: null,
    queue: [],
    lastMessagePreview: null,
    missionId: of.mission?.id ?? null,
    runNumber: of.mission?.runNumber ?? null,
    lastSeq: 0,
    metadata: of.metadata ?? {},
    createdBy: of.createdBy,
    deletedAt: null,
  };
}

/** The beginning of the text. */
export const preview = (text: string, characters: number = PREVIEW_CHARACTERS): string => cutText(text, characters);
