/** A replica of ledgers (`ledger-actor.ts`), and what tests of the runtime say to them. */
import type { Outcome } from "../../actors/fault.ts";
import type { EffectHandler } from "../../actors/runtime/outputs/effects.ts";
import type { StreamItem } from "../../actors/runtime/streams/replay.ts";
import type { Subscription } from "../../actors/runtime/streams/subscription.ts";
import { type Ledger, ledgerActor, type LedgerCommand, type LedgerProtocols, ledgerRef } from "./ledger-actor.ts";
import { erased, Replica, type ReplicaOptions, type World } from "./replica.ts";

export const ORG = "org_a";

export class LedgerReplica extends Replica<LedgerProtocols> {
  /** Turns that ran, re-runs included. */
  readonly turns: string[];

  constructor(world: World, options: Partial<ReplicaOptions> = {}) {
    const turns: string[] = [];
    super(world, {
      definitions: [erased(ledgerActor((kind) => void turns.push(kind)))],
      effects: { count: idleEffect() },
      ...options,
    });
    this.turns = turns;
  }

  ask(id: string, command: LedgerCommand, epoch?: number): Promise<Outcome<unknown>> {
    return this.system.dispatch(ledgerRef(ORG, id), command, epoch === undefined ? {} : { epoch });
  }

  add(id: string, by = 1): Promise<Outcome<unknown>> {
    return this.ask(id, { kind: "add", by });
  }

  async read(id: string): Promise<Ledger | null> {
    const outcome = await this.ask(id, { kind: "read" });
    if (!outcome.ok) throw new Error(`read was refused: ${outcome.fault.kind}`);
    return outcome.value as Ledger | null;
  }

  subscribe(id: string, after = 0): Subscription {
    return this.system.subscribe(ledgerRef(ORG, id), after);
  }

  /** What the table has. */
  stored(id: string): Ledger | null {
    return this.world.database.record("chat", ORG, id) as Ledger | null;
  }

  storedSeqs(id: string): number[] {
    return this.world.database.stream(ORG, id).map((event) => event.seq);
  }
}

export async function startLedgers(world: World, options: Partial<ReplicaOptions> = {}): Promise<LedgerReplica> {
  const replica = new LedgerReplica(world, options);
  await replica.system.start();
  return replica;
}

/** An effect that lasts until it is aborted. */
export function idleEffect(): EffectHandler {
  const untilAborted = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
  return { run: (_, { signal }) => untilAborted(signal), recover: async () => {} };
}

export const faultOf = (outcome: Outcome<unknown>): string => (outcome.ok ? "ok" : outcome.fault.kind);

/** Items as short words: `1` for the event of seq 1, `"ab"@3` for text after which the position is 3. */
export const said = (items: readonly StreamItem[]): string[] =>
  items.map((item) => (item.kind === "event" ? `${item.event.seq}` : `"${item.text}"@${item.position}`));
