/** What a chat's actor can be asked, and what it answers. */
import type { AgentSnapshot, Block, Job, JobTerms, RunError, Usage } from "../job/schema.ts";
import type { JsonObject } from "../schema.ts";
import type { ChatEventData } from "./events.ts";
import type { Chat, ChatOptions, Message, OnBusy } from "./schema.ts";

/** How a turn of the agent ended, as the chat is told. */
export type TurnEnd =
  | { readonly status: "completed" }
  | { readonly status: "cancelled" }
  | { readonly status: "failed"; readonly error: RunError }
  /** It waits for a person and may go on. */
  | { readonly status: "blocked" }
  /** It is done, and waits for a person's review. */
  | { readonly status: "in_review" };

type NewsType = "approval.requested" | "approval.resolved" | "review.updated" | "job.updated" | "usage.updated";
/** What a job tells the readers of its chat besides the turn itself. */
export type JobNews = { [K in NewsType]: { readonly type: K; readonly data: ChatEventData<K> } }[NewsType];

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
  /** A user's message: begins a turn, or does with the one that runs what `onBusy` says. `open` makes the chat first. */
  | {
      readonly kind: "send_message";
      readonly open: { readonly workspaceId: string; readonly title: string } | null;
      readonly agent: AgentSnapshot;
      readonly content: string;
      readonly userId: string;
      /** Null: as the chat's options say. */
      readonly onBusy: OnBusy | null;
      readonly terms: JobTerms;
      readonly metadata: JsonObject;
    }
  /**
   * The first message of a chat of its own, said by an agent for this user. Whoever says it again joins:
   * the job has the id that is given, and there is never a second one.
   */
  | {
      readonly kind: "send_once";
      readonly open: { readonly workspaceId: string; readonly title: string };
      readonly agent: AgentSnapshot;
      readonly content: string;
      readonly userId: string;
      readonly fromAgentId: string;
      readonly jobId: string;
      readonly terms: JobTerms;
    }
  | { readonly kind: "read_chat" }
  | { readonly kind: "update_chat"; readonly options: Partial<ChatOptions>; readonly version: number | null }
  | { readonly kind: "delete_chat" }
  /** The job's turn begins: the assistant's message exists from here on. */
  | {
      readonly kind: "turn_started";
      readonly jobId: string;
      readonly inputMessageId: string;
      readonly messageId: string;
      readonly attempt: number;
    }
  /** A runner goes on with the turn; `text` is what is committed of the message. */
  | {
      readonly kind: "turn_resumed";
      readonly jobId: string;
      readonly messageId: string;
      readonly attempt: number;
      readonly text: string;
    }
  /** Text as it is made; not stored. */
  | { readonly kind: "turn_text"; readonly messageId: string; readonly text: string }
  | {
      readonly kind: "tools_started";
      readonly jobId: string;
      readonly calls: readonly { readonly id: string; readonly name: string }[];
    }
  | { readonly kind: "tool_ended"; readonly jobId: string; readonly callId: string; readonly isError: boolean }
  /** The turn begins again after a crash. */
  | { readonly kind: "turn_restarted"; readonly jobId: string; readonly messageId: string; readonly attempt: number }
  | {
      readonly kind: "turn_ended";
      readonly jobId: string;
      readonly inputMessageId: string;
      readonly messageId: string;
      readonly end: TurnEnd;
      /** The message's content; null keeps what it has. */
      readonly blocks: readonly Block[] | null;
      readonly usage: Usage;
      readonly news: readonly JobNews[];
    }
  /** Something about a job that neither begins nor ends its turn. */
  | { readonly kind: "job_news"; readonly news: readonly JobNews[] };

export interface ChatReplies {
  open_chat: Chat;
  send_message: SentMessage;
  send_once: null;
  read_chat: Chat;
  update_chat: Chat;
  delete_chat: null;
  turn_started: { readonly isFirstTurn: boolean };
  turn_resumed: null;
  turn_text: null;
  tools_started: null;
  tool_ended: null;
  turn_restarted: null;
  turn_ended: null;
  job_news: null;
}

export interface SentMessage {
  readonly chat: Chat;
  readonly message: Message;
  /** The job that answers it; null where it steers the one that runs. */
  readonly job: Job | null;
  readonly queuedPosition: number;
  /** What must happen to the running job in the same group, and to which. */
  readonly also: { readonly kind: "steer" | "interrupt"; readonly jobId: string } | null;
}

export interface ChatProtocol {
  readonly command: ChatCommand;
  readonly replies: ChatReplies;
}
