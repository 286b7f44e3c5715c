import { expect, test } from "bun:test";
import {
  chatStatusAfter,
  allowedChatActions,
  CHAT_ACTIONS,
  CHAT_MACHINE,
  CHAT_TRIGGERS,
  type ChatTrigger,
  movedChatStatus,
} from "../../../actors/chat/machine.ts";
import { CHAT_STATUSES, type Chat } from "../../../actors/chat/schema.ts";

type Status = Chat["status"];
const turn = { begin: "working", wait: "needs_attention", next: "working", finish: "done", fail: "error" } as const;

/** The table of CHAT-1, written down a second time by hand, without what keeps the status; what is not here is refused. */
const MOVES: Readonly<Record<Status, Partial<Record<ChatTrigger, Status>>>> = {
  standby: { send_message: "working" },
  working: { send_message: "working", compact: "working", fork: "working", ...turn },
  needs_attention: {
    send_message: "needs_attention",
    compact: "needs_attention",
    fork: "needs_attention",
    ...turn,
  },
  done: { send_message: "working", compact: "working", fork: "done" },
  error: { send_message: "working", compact: "working", fork: "error" },
};

test("[CHAT-1] every trigger in every status leads to the status in the table, or is refused", () => {
  for (const status of CHAT_STATUSES) {
    for (const trigger of CHAT_TRIGGERS) {
      const stays = trigger === "update" || trigger === "update_options" || trigger === "delete" ? status : null;
      expect(`${status} ${trigger} ${chatStatusAfter(status, trigger)}`).toBe(
        `${status} ${trigger} ${MOVES[status][trigger] ?? stays}`,
      );
    }
  }
});

test("[CHAT-1] the table is total, and a refused transition is a bug", () => {
  expect(Object.keys(CHAT_MACHINE).sort()).toEqual([...CHAT_STATUSES].sort());
  for (const status of CHAT_STATUSES)
    expect(Object.keys(CHAT_MACHINE[status]).sort()).toEqual([...CHAT_TRIGGERS].sort());
  expect(() => movedChatStatus({ status: "done" }, "begin")).toThrow("a done chat can begin");
});

test("[GEN-5] a chat that is not deleted accepts messages and options in every status", () => {
  const ofEmpty = CHAT_ACTIONS.filter((action) => action !== "compact" && action !== "fork");
  for (const status of CHAT_STATUSES)
    expect(allowedChatActions({ status })).toEqual(status === "standby" ? ofEmpty : CHAT_ACTIONS);
});
