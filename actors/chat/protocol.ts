/** The commands and replies of a chat's actor. */
import type { Interjection, MadeArtifact } from "../job/terms.ts";
import type { AgentSnapshot, Block, Job, JobTerms, RunError, Usage } from "../job/schema.ts";
import type { StopReason } from "../job/stop-reason.ts";
import type { AttachmentBlock, InputBlock } from "../upload/terms.ts";
import type { JsonObject } from "../schema.ts";
import type { ChatEventData } from "./events.ts";
import type { Chat, ChatOptions, ContextMeasure, Message, MessageBlock, OnBusy } from "./schema.ts";

/** How a turn of the agent ended. */
export type TurnEnd =
  | { readonly status: "completed" }
  | { readonly status: "cancelled" }
  | { readonly status: "failed"; readonly error: RunError }
  /** It waits for a person and can be resumed. */
  | { readonly status: "blocked" }
  /** It is finished and waits for a review. */
  | { readonly status: "in_review" };

type UpdateType =
  | "approval.requested"
  | "approval.resolved"
  | "authorization.requested"
  | "tool.requested"
  | "review.updated"
  | "job.updated"
  | "usage.updated";
/** Changes of a job, other than its turn, that readers of its chat see. */
export type JobUpdate = { [K in UpdateType]: { readonly type: K; readonly data: ChatEventData<K> } }[UpdateType];

/** A chat that its first message opens. */
export interface ChatOpening {
  readonly workspaceId: string;
  readonly title: string;
  /** The mission's run that the chat is for (MIS-8). */
  readonly mission?: { readonly id: string; readonly runNumber: number };
  /** The conversation that it continues, which took place elsewhere: turns of a user and the agent, oldest first. */
  readonly history?: readonly PastMessage[];
}

/** A message of a conversation that took place elsewhere. */
export interface PastMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
  readonly blocks: readonly MessageBlock[];
}

/** Ids derived from a key of the sender: the message and its job exist once, however often they are sent. */
export interface KeyedMessage {
  readonly messageId: string;
  readonly jobId: string;
}

export type ChatCommand =
  /** Makes an empty chat. */
  | {
      readonly kind: "open_chat";
      readonly agent: { readonly id: string; readonly name: string };
      readonly workspaceId: string;
      readonly title: string;
      readonly userId: string;
      readonly options: Partial<ChatOptions>;
      readonly metadata: JsonObject;
    }
  /**
   * A user's message: starts a turn, or affects the running one as `onBusy` says. `open` creates the chat first, and is
   * refused as a version conflict if the chat exists: the message was prepared for a new one.
   */
  | {
      readonly kind: "send_message";
      readonly open: ChatOpening | null;
      readonly agent: AgentSnapshot;
      readonly content: string;
      /** All pieces of a message that is more than text; `content` is then the text among them. */
      readonly blocks?: readonly InputBlock[] | undefined;
      readonly userId: string;
      /** Null: as the chat's options say. */
      readonly onBusy: OnBusy | null;
      readonly terms: JobTerms;
      readonly metadata: JsonObject;
      /** A repeat is answered without a job. Not for a message that may steer. */
      readonly keyed?: KeyedMessage | undefined;
    }
  /**
   * The first message of a new chat for this user. Idempotent: the job has the given id, so a repeat creates no second
   * one.
   */
  | {
      readonly kind: "send_once";
      readonly open: ChatOpening;
      readonly agent: AgentSnapshot;
      readonly content: string;
      /** All pieces of a message that is more than text; `content` is then the text among them. */
      readonly blocks?: readonly InputBlock[] | undefined;
      readonly userId: string;
      readonly sender: Message["sender"];
      readonly jobId: string;
      readonly terms: JobTerms;
    }
  /**
   * Begins a job that compacts the conversation; in a busy chat it waits in the queue. `instructions`: what the summary
   * must keep.
   */
  | {
      readonly kind: "compact_chat";
      readonly agent: AgentSnapshot;
      readonly instructions: string;
      readonly userId: string;
      readonly terms: JobTerms;
    }
  /** A summary replaces the older turns from now on. `messageId`: the message that the job began for it, or null. */
  | {
      readonly kind: "turns_compacted";
      readonly jobId: string;
      readonly messageId: string | null;
      readonly text: string;
      readonly throughTurn: number;
      readonly messages: number;
      readonly usage: Usage;
    }
  /** The message stays in the context, or may be compacted again. */
  | { readonly kind: "pin_message"; readonly messageId: string; readonly isPinned: boolean }
  | { readonly kind: "read_message"; readonly messageId: string }
  /** The chat, and whether a message whose id derives from a key was sent to it. */
  | { readonly kind: "find_message"; readonly messageId: string }
  /** Creates a chat that continues from the message `from` of `source`, with these messages of it, in any order. */
  | ({
      readonly kind: "fork_chat";
      readonly source: Chat;
      readonly from: string;
      readonly agent: { readonly id: string; readonly name: string };
      readonly title: string;
      readonly userId: string;
    } & {
      readonly messages: readonly Message[];
      readonly summary: ForkedSummary | null;
    })
  | { readonly kind: "read_chat" }
  | {
      readonly kind: "update_chat";
      readonly options: Partial<ChatOptions>;
      /** Replaces the current value; absent: unchanged. */
      readonly metadata?: JsonObject;
      readonly version: number | null;
    }
  | { readonly kind: "delete_chat" }
  /** The job's turn begins: the assistant's message exists from here on. */
  | {
      readonly kind: "turn_started";
      readonly jobId: string;
      readonly inputMessageId: string;
      readonly messageId: string;
      readonly attempt: number;
      /** Set for a job that compacts: its message is a summary. */
      readonly isSummary?: true;
    }
  /** A runner resumes the turn; `text` is the committed text of the message. */
  | {
      readonly kind: "turn_resumed";
      readonly jobId: string;
      readonly messageId: string;
      readonly attempt: number;
      readonly text: string;
    }
  /** Live text; not stored. */
  | { readonly kind: "turn_text"; readonly messageId: string; readonly text: string }
  | {
      readonly kind: "tools_started";
      readonly jobId: string;
      /** `arguments`: null if they are too long for an event. */
      readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: JsonObject | null }[];
    }
  | {
      readonly kind: "tool_ended";
      readonly jobId: string;
      readonly callId: string;
      readonly isError: boolean;
      /** The beginning of the tool's result, and whether it was cut. */
      readonly result: string;
      readonly isTruncated: boolean;
      /** Images and files of the result. */
      readonly attachments?: readonly AttachmentBlock[];
      /** Files that no earlier call of the job had written. */
      readonly artifacts?: readonly MadeArtifact[];
    }
  /** The turn begins again after a crash. */
  | { readonly kind: "turn_restarted"; readonly jobId: string; readonly messageId: string; readonly attempt: number }
  | {
      readonly kind: "turn_ended";
      readonly jobId: string;
      readonly inputMessageId: string;
      readonly messageId: string;
      readonly end: TurnEnd;
      /** The message's content; null: unchanged. */
      readonly blocks: readonly Block[] | null;
      /** What the model got between these blocks; absent: nothing. Commands of earlier versions have none. */
      readonly interjections?: readonly Interjection[];
      readonly usage: Usage;
      /** Why the model stopped; absent in commands of earlier versions. */
      readonly stopReason?: StopReason | null;
      readonly updates: readonly JobUpdate[];
      /** The measurements of the last model call. */
      readonly measured?: ContextMeasure | null;
    }
  /** Updates of a job that neither start nor end its turn. */
  | { readonly kind: "job_updates"; readonly updates: readonly JobUpdate[] };

export interface ChatReplies {
  open_chat: Chat;
  send_message: SentMessage;
  /** The job; null if an earlier command has already created it. */
  send_once: Job | null;
  compact_chat: StartedCompaction;
  turns_compacted: null;
  pin_message: { readonly chat: Chat; readonly message: Message };
  read_message: Message;
  find_message: FoundMessage;
  fork_chat: Chat;
  read_chat: Chat;
  update_chat: Chat;
  delete_chat: Chat;
  turn_started: { readonly isFirstTurn: boolean };
  turn_resumed: null;
  turn_text: null;
  tools_started: null;
  tool_ended: null;
  turn_restarted: null;
  turn_ended: null;
  job_updates: null;
}

/** Where a message with a key is to go. */
export interface FoundMessage {
  /** Null if it does not exist or was deleted. */
  readonly chat: Chat | null;
  /** Also true if the chat was deleted afterwards. */
  readonly isSent: boolean;
}

/** The other chat's summary, its last turn there, and how many messages it replaces. */
export interface ForkedSummary {
  readonly message: Message;
  readonly throughTurn: number;
  readonly messages: number;
}

export interface StartedCompaction {
  readonly chat: Chat;
  readonly job: Job;
}

export interface SentMessage {
  readonly chat: Chat;
  readonly message: Message;
  /** The job that answers the message; null if it steers the running job, or was sent before under its key. */
  readonly job: Job | null;
  readonly queuedPosition: number;
  /** What must happen to the running job in the same group, and which job that is. */
  readonly also: { readonly kind: "steer" | "interrupt"; readonly jobId: string } | null;
}

export interface ChatProtocol {
  readonly command: ChatCommand;
  readonly replies: ChatReplies;
}
