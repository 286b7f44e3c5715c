/**
 * A small actor kind for tests of the runtime: a ledger that counts, with a stream, messages, effects
 * and alarms. It stores in the table `chat`, whose shape all record tables share.
 */
import { invalid, ok } from "../../actors/fault.ts";
import { type ActorDefinition, type ActorRef, table } from "../../actors/runtime/actor.ts";

export interface Ledger {
  readonly id: string;
  readonly organizationId: string;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly count: number;
  readonly lastSeq: number;
  readonly note: string;
}

export type LedgerCommand =
  | { readonly kind: "add"; readonly by: number; readonly note?: string }
  | { readonly kind: "read" }
  | { readonly kind: "refuse_after_writing" }
  | { readonly kind: "fall" }
  | { readonly kind: "add_patiently"; readonly by: number }
  | {
      readonly kind: "add_and_tell";
      readonly by: number;
      readonly to: string;
      readonly note?: string;
      readonly mayWait?: true;
    }
  | { readonly kind: "add_with_effect"; readonly by: number }
  | { readonly kind: "effect_done"; readonly effectId: string }
  | { readonly kind: "wake_at"; readonly dueAtMs: number; readonly by: number }
  | { readonly kind: "wake_and_refuse"; readonly dueAtMs: number }
  | { readonly kind: "sleep_on" }
  | { readonly kind: "settle"; readonly effectId: string }
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "begin_text" };

export interface LedgerProtocol {
  readonly command: LedgerCommand;
  readonly replies: {
    add: number;
    read: Ledger | null;
    refuse_after_writing: null;
    fall: null;
    add_patiently: number;
    add_and_tell: number;
    add_with_effect: string;
    effect_done: number;
    wake_at: null;
    wake_and_refuse: null;
    sleep_on: null;
    settle: null;
    say: null;
    begin_text: null;
  };
}

export type LedgerProtocols = { ledger: LedgerProtocol };

const ledgers = table<Ledger>("chat");

export const ledgerRef = (organizationId: string, id: string): ActorRef<"ledger"> => ({
  kind: "ledger",
  organizationId,
  id,
});

const adding = (by: number): LedgerCommand => ({ kind: "add", by });

/** The definition; `onTurn` sees every turn, so that a test can count re-runs. */
export function ledgerActor(onTurn: (kind: string) => void = () => {}): ActorDefinition<LedgerProtocol> {
  const add = (
    tx: Parameters<ActorDefinition<LedgerProtocol>["handlers"]["add"]>[0],
    by: number,
    note = "",
  ): number => {
    onTurn("add");
    const ledger =
      tx.read(ledgers, tx.self.id) ?? tx.create(ledgers, { id: tx.self.id, count: 0, lastSeq: 0, note: "" });
    const seq = tx.append("added", { by });
    const next = tx.update(ledgers, { ...ledger, count: ledger.count + by, note });
    tx.addText("text", `${seq} `);
    return next.count;
  };
  return {
    kind: "ledger",
    stream: ledgers,
    needs: (ref, { kind }) => (kind === "wake_at" || kind === "sleep_on" ? [] : [{ table: "chat", id: ref.id }]),
    handlers: {
      add: (tx, { by, note }) => ok(add(tx, by, note)),
      read: (tx) => ok(tx.read(ledgers, tx.self.id)),
      refuse_after_writing(tx) {
        add(tx, 1000);
        return invalid("/by", "no");
      },
      fall(tx) {
        add(tx, 1000);
        throw new Error("a bug in a turn");
      },
      add_patiently(tx, { by }) {
        tx.mayWait();
        return ok(add(tx, by));
      },
      add_and_tell(tx, { by, to, note, mayWait }) {
        const told: LedgerCommand = mayWait === true ? { kind: "add_patiently", by } : adding(by);
        tx.send(ledgerRef(tx.self.organizationId, to), told);
        return ok(add(tx, by, note));
      },
      add_with_effect(tx, { by }) {
        add(tx, by);
        return ok(tx.effect(tx.self, "count", { by }));
      },
      effect_done(tx, { effectId }) {
        tx.settle(effectId);
        return ok(add(tx, 1));
      },
      wake_at(tx, { dueAtMs, by }) {
        tx.setAlarm("wake", dueAtMs, adding(by));
        return ok(null);
      },
      wake_and_refuse(tx, { dueAtMs }) {
        tx.setAlarm("wake", dueAtMs, { kind: "refuse_after_writing" });
        return ok(null);
      },
      sleep_on(tx) {
        tx.clearAlarm("wake");
        return ok(null);
      },
      settle(tx, { effectId }) {
        tx.settle(effectId);
        return ok(null);
      },
      say(tx, { text }) {
        tx.addText("text", text);
        return ok(null);
      },
      begin_text(tx) {
        tx.beginText("text", 1, "");
        return ok(null);
      },
    },
  };
}
