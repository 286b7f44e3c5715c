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
 * `begin` is a turn that starts or goes on; `wait`, one that needs a person; `next`, the end of one
 * behind which another waits. A message that comes while a turn runs or waits changes no status: what
 * becomes of it is its policy's (CHAT-5). A deleted chat has no status any more.
 */
import { assert } from "../assert.ts";
import type { Chat } from "./schema.ts";

export const CHAT_TRIGGERS = [
  "send_message",
  "update_options",
  "delete",
  "begin",
  "wait",
  "next",
  "finish",
  "fail",
] as const;
export type ChatTrigger = (typeof CHAT_TRIGGERS)[number];

/** The triggers that a caller has a verb for. */
export const CHAT_ACTIONS = ["send_message", "update_options", "delete"] as const satisfies readonly ChatTrigger[];
export type ChatAction = (typeof CHAT_ACTIONS)[number];

type ChatStatus = Chat["status"];
type Row = Readonly<Record<ChatTrigger, ChatStatus | null>>;

/** A chat without a turn, in this status. */
const idle = (status: ChatStatus): Row => ({
  send_message: "working",
  update_options: status,
  delete: status,
  begin: null,
  wait: null,
  next: null,
  finish: null,
  fail: null,
});
/** A chat with a turn, in this status. */
const busy = (status: ChatStatus): Row => ({
  send_message: status,
  update_options: status,
  delete: status,
  begin: "working",
  wait: "needs_attention",
  next: "working",
  finish: "done",
  fail: "error",
});

export const CHAT_MACHINE: Readonly<Record<ChatStatus, Row>> = {
  standby: idle("standby"),
  working: busy("working"),
  needs_attention: busy("needs_attention"),
  done: idle("done"),
  error: idle("error"),
};

/** The status after the trigger, or null where it is refused. */
export const afterTrigger = (status: ChatStatus, trigger: ChatTrigger): ChatStatus | null =>
  CHAT_MACHINE[status][trigger];

/** The status after a trigger that the caller knows to be allowed. */
export function moved(chat: { readonly status: ChatStatus }, trigger: ChatTrigger): ChatStatus {
  const status = afterTrigger(chat.status, trigger);
  assert(status !== null, `a ${chat.status} chat can ${trigger}`);
  return status;
}

/** The verbs that a caller may use now. */
export const allowedActions = ({ status }: { readonly status: ChatStatus }): readonly ChatAction[] =>
  CHAT_ACTIONS.filter((action) => afterTrigger(status, action) !== null);
