/** What a chat's actor can be asked, and what it answers. */
import type { AgentSnapshot, Block, Job, RunError, Usage } from "../job/schema.ts";
import type { Chat, Message } from "./schema.ts";

/** How a turn of the agent ended, as the chat is told. */
export type TurnEnd =
  | { readonly status: "completed" }
  | { readonly status: "failed"; readonly error: RunError }
  | { readonly status: "blocked" };

export type ChatCommand =
  /** A user's message: begins a turn, or queues behind the one that runs. `open` makes the chat first. */
  | {
      readonly kind: "send_message";
      readonly open: { readonly workspaceId: string; readonly title: string } | null;
      readonly agent: AgentSnapshot;
      readonly content: string;
      readonly userId: string;
    }
  | { readonly kind: "read_chat" }
  /** The job's turn begins: the assistant's message exists from here on. */
  | { readonly kind: "turn_started"; readonly jobId: string; readonly inputMessageId: string; readonly messageId: string; readonly attempt: number }
  /** Text as it is made; not stored. */
  | { readonly kind: "turn_text"; readonly messageId: string; readonly text: string }
  | { readonly kind: "tool_started"; readonly jobId: string; readonly callId: string; readonly name: string }
  | { readonly kind: "tool_ended"; readonly jobId: string; readonly callId: string; readonly isError: boolean }
  /** The turn begins again after a crash; `text` is what is committed of the message. */
  | { readonly kind: "turn_restarted"; readonly jobId: string; readonly messageId: string; readonly attempt: number; readonly text: string }
  | {
      readonly kind: "turn_ended";
      readonly jobId: string;
      readonly inputMessageId: string;
      readonly messageId: string;
      readonly end: TurnEnd;
      readonly blocks: readonly Block[];
      readonly usage: Usage;
    };

export interface ChatReplies {
  send_message: { readonly chat: Chat; readonly message: Message; readonly job: Job; readonly queuedPosition: number };
  read_chat: Chat;
  turn_started: { readonly isFirstTurn: boolean };
  turn_text: null;
  tool_started: null;
  tool_ended: null;
  turn_restarted: null;
  turn_ended: null;
}

export interface ChatProtocol {
  readonly command: ChatCommand;
  readonly replies: ChatReplies;
}
