/**
 * The states of a chat (CHAT-1), as a pure and total table: status × trigger → next status, or null
 * where the trigger is refused. `allowed_actions`, the 409s and `GET /api/state-machines` come from it.
 *
 *   standby ──send──▶ working ──finish──▶ done ───send──▶ working
 *                     │  ▲ │ └──fail────▶ error ──send──▶ working
 *                wait │  │ └──next──▶ working
 *                     ▼  │ begin, next
 *               needs_attention ──finish──▶ done, ──fail──▶ error
 *
 * `begin`: a turn starts or resumes; `wait`: it needs a person; `next`: it ends and another one is queued. A message
 * that arrives while a turn runs or waits does not change the status: its `on_busy` policy decides (CHAT-5). `compact`
 * begins a turn as `send_message` does. A chat without messages can be neither compacted nor forked. A deleted chat has
 * no status.
 */
import { assert } from "../assert.ts";
import type { Chat } from "./schema.ts";

export const CHAT_TRIGGERS = [
  "send_message",
  "update",
  "update_options",
  "delete",
  "compact",
  "fork",
  "begin",
  "wait",
  "next",
  "finish",
  "fail",
] as const;
export type ChatTrigger = (typeof CHAT_TRIGGERS)[number];

/** The triggers that callers have a verb for. */
export const CHAT_ACTIONS = [
  "send_message",
  "update",
  "update_options",
  "delete",
  "compact",
  "fork",
] as const satisfies readonly ChatTrigger[];
export type ChatAction = (typeof CHAT_ACTIONS)[number];

type ChatStatus = Chat["status"];
type ChatTransitions = Readonly<Record<ChatTrigger, ChatStatus | null>>;

/** Total: a new trigger does not compile until each status has an answer to it. */
export const CHAT_MACHINE: Readonly<Record<ChatStatus, ChatTransitions>> = {
  standby: {
    send_message: "working",
    update: "standby",
    update_options: "standby",
    delete: "standby",
    compact: null,
    fork: null,
    begin: null,
    wait: null,
    next: null,
    finish: null,
    fail: null,
  },
  working: {
    send_message: "working",
    update: "working",
    update_options: "working",
    delete: "working",
    compact: "working",
    fork: "working",
    begin: "working",
    wait: "needs_attention",
    next: "working",
    finish: "done",
    fail: "error",
  },
  needs_attention: {
    send_message: "needs_attention",
    update: "needs_attention",
    update_options: "needs_attention",
    delete: "needs_attention",
    compact: "needs_attention",
    fork: "needs_attention",
    begin: "working",
    wait: "needs_attention",
    next: "working",
    finish: "done",
    fail: "error",
  },
  done: {
    send_message: "working",
    update: "done",
    update_options: "done",
    delete: "done",
    compact: "working",
    fork: "done",
    begin: null,
    wait: null,
    next: null,
    finish: null,
    fail: null,
  },
  error: {
    send_message: "working",
    update: "error",
    update_options: "error",
    delete: "error",
    compact: "working",
    fork: "error",
    begin: null,
    wait: null,
    next: null,
    finish: null,
    fail: null,
  },
};

/** The status after the trigger, or null where it is refused. */
export const chatStatusAfter = (status: ChatStatus, trigger: ChatTrigger): ChatStatus | null =>
  CHAT_MACHINE[status][trigger];

/** The status after a trigger that the caller knows to be allowed. */
export function movedChatStatus(chat: { readonly status: ChatStatus }, trigger: ChatTrigger): ChatStatus {
  const status = chatStatusAfter(chat.status, trigger);
  assert(status !== null, `a ${chat.status} chat can ${trigger}`);
  return status;
}

/** The verbs that a caller may use now. */
export const allowedChatActions = ({ status }: { readonly status: ChatStatus }): readonly ChatAction[] =>
  CHAT_ACTIONS.filter((action) => chatStatusAfter(status, action) !== null);
