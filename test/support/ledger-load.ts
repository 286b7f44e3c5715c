/**
 * Clients of ledgers that write, read and follow as fast as they are answered, and note what they
 * are told. What they do is drawn from a seed.
 */
import type { Fault, Outcome } from "../../actors/fault.ts";
import type { Chance } from "../../actors/runtime/ports.ts";
import type { Subscription } from "../../actors/runtime/streams/subscription.ts";
import { until } from "./condition.ts";
import { seededChance } from "./fake-clock.ts";
import type { Ledger, LedgerCommand } from "./ledger-actor.ts";
import { type LedgerBench, organizationOf, refOf } from "./ledger-bench.ts";
import type { History, StoredLedger, Write } from "./ledger-history.ts";

/** Refusals after which nothing was done for certain. */
const NOTHING_DONE: ReadonlySet<Fault["kind"]> = new Set([
  "overloaded",
  "unavailable",
  "shutting_down",
  "invalid_request",
]);
/** How long a client that was refused stays away: the shape of the load, not a wait for anything. */
const AWAY_MS = 10;
/** The longest outage of a working service: a flush that waits for its deadline, and a recovery. */
const MORE_LIMIT_MS = 120_000;
const CLIENTS = 192;
const LEDGERS = 128;

/** A row that PostgreSQL refuses: a NUL in jsonb. */
export const POISON = "a\u0000b";

interface LoadOptions {
  readonly seed: number;
  readonly clients?: number;
  readonly ledgers?: number;
}

export class LedgerLoad {
  private readonly bench: LedgerBench;
  private readonly history: History;
  private readonly chance: Chance;
  private readonly ledgers: number;
  private readonly clients: Promise<void>[];
  private isOver = false;
  private waiting: (() => void)[] = [];

  constructor(bench: LedgerBench, history: History, { seed, clients = CLIENTS, ledgers = LEDGERS }: LoadOptions) {
    this.bench = bench;
    this.history = history;
    this.chance = seededChance(seed);
    this.ledgers = ledgers;
    this.clients = Array.from({ length: clients }, () => this.client());
  }

  /** Resolves when every client has its last answer. */
  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.clients);
  }

  /** Resolves when so many more writes have been acknowledged: the service works. */
  async more(count: number): Promise<void> {
    const goal = this.history.acknowledged + count;
    const giveUpAt = performance.now() + MORE_LIMIT_MS;
    while (this.history.acknowledged < goal) {
      if (performance.now() > giveUpAt) throw new Error(`did not come true: ${count} more acknowledgements`);
      await this.nextAnswer();
    }
  }

  /** Resolves when a client has been answered, whatever was said. */
  private nextAnswer(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private async client(): Promise<void> {
    while (!this.isOver) {
      const isFine = await this.act();
      for (const resolve of this.waiting.splice(0)) resolve();
      if (!isFine) await Bun.sleep(AWAY_MS);
    }
  }

  private act(): Promise<boolean> {
    const ledger = this.pick();
    const draw = this.chance.fraction();
    if (draw < 0.55) return this.write(this.history.begin([ledger]), (by) => ({ kind: "add", by }));
    if (draw < 0.67) return this.tell(ledger);
    if (draw < 0.73) return this.write(this.history.begin([ledger], true), (by) => ({ kind: "add_with_effect", by }));
    if (draw < 0.8) return this.pair(ledger);
    if (draw < 0.82) return this.wake();
    if (draw < 0.97) return this.look(ledger);
    if (draw < 0.9705) return this.write(this.history.begin([ledger]), (by) => ({ kind: "add", by, note: POISON }));
    if (draw < 0.99) return this.inVain(ledger, { kind: "fall" });
    return this.inVain(ledger, { kind: "refuse_after_writing" });
  }

  private pick(organization?: string): string {
    for (;;) {
      const ledger = `l${Math.floor(this.chance.fraction() * this.ledgers)}`;
      if (organization === undefined || organizationOf(ledger) === organization) return ledger;
    }
  }

  private another(ledger: string): string {
    for (;;) {
      const other = this.pick(organizationOf(ledger));
      if (other !== ledger) return other;
    }
  }

  private tell(ledger: string): Promise<boolean> {
    const to = this.another(ledger);
    return this.write(this.history.begin([ledger, to]), (by) => ({ kind: "add_and_tell", by, to }));
  }

  private write(write: Write, command: (by: number) => LedgerCommand): Promise<boolean> {
    const [ledger = ""] = write.ledgers;
    return this.settle(write, this.bench.ask(ledger, command(write.key)), (value) => [
      typeof value === "number" ? value : null,
    ]);
  }

  /** Two ledgers in one atomic group. */
  private pair(ledger: string): Promise<boolean> {
    const write = this.history.begin([ledger, this.another(ledger)]);
    const members = write.ledgers.map((id) => ({ ref: refOf(id), command: { kind: "add", by: write.key } }));
    return this.settle(write, this.bench.group(members), (value) => value as number[]);
  }

  /** An alarm that is due at once, on a ledger of its own. */
  private wake(): Promise<boolean> {
    const probe = this.history.writes.length;
    const ledger = `w${probe}`;
    return this.write(this.history.begin([ledger]), (by) => ({ kind: "wake_at", dueAtMs: Date.now(), by }));
  }

  private async settle(
    write: Write,
    answer: Promise<Outcome<unknown>>,
    counts: (value: unknown) => readonly (number | null)[],
  ): Promise<boolean> {
    try {
      const outcome = await answer;
      if (outcome.ok) this.history.acknowledge(write, counts(outcome.value));
      else write.answer = NOTHING_DONE.has(outcome.fault.kind) ? "refused" : "unknown";
      return outcome.ok;
    } catch {
      // A broken group: its rows were certainly refused.
      write.answer = "refused";
      return true;
    }
  }

  /** A turn that throws or refuses after it has written; nothing of it may be found (`by` is no key). */
  private async inVain(ledger: string, command: LedgerCommand): Promise<boolean> {
    try {
      const outcome = await this.bench.ask(ledger, command);
      return outcome.ok || outcome.fault.kind === "invalid_request";
    } catch {
      return true;
    }
  }

  private async look(ledger: string): Promise<boolean> {
    const floor = this.history.floor(ledger);
    const outcome = await this.bench.ask(ledger, { kind: "read" });
    if (!outcome.ok) return false;
    const seen = outcome.value as Ledger | null;
    this.history.seen.push({ ledger, lastSeq: seen?.lastSeq ?? 0, count: seen?.count ?? 0, floor });
    return true;
  }
}

/** A reader of one stream on one replica; it must be shown every event once, in order. */
export class Follower {
  readonly ledger: string;
  readonly seqs: number[] = [];
  readonly bys: number[] = [];
  private readonly bench: LedgerBench;
  private subscription: Subscription;
  private readonly over: Promise<void>;

  constructor(bench: LedgerBench, ledger: string) {
    this.ledger = ledger;
    this.bench = bench;
    this.subscription = this.subscribe();
    this.over = this.follow();
  }

  /** Waits until it has all that is stored, and says what is wrong with what it was shown. */
  async finish(stored: StoredLedger): Promise<string[]> {
    await until(`the reader of ${this.ledger} is at its end`, () => this.seqs.length >= stored.events.length).catch(
      () => {},
    );
    this.subscription.close();
    await this.over;
    const shown = this.seqs.map((seq, i) => `${seq}:${this.bys[i]}`).join(" ");
    const wanted = stored.events.map(({ seq, by }) => `${seq}:${by}`).join(" ");
    return shown === wanted
      ? []
      : [`the reader of ${this.ledger} was shown ${this.seqs.length} of ${stored.events.length} events, or others`];
  }

  private async follow(): Promise<void> {
    for (;;) {
      const items = await this.subscription.next().catch(() => null);
      // A page that could not be read is asked for again.
      if (items === null) await Bun.sleep(AWAY_MS);
      else if (this.subscription.isLost) {
        await Bun.sleep(AWAY_MS);
        this.subscription = this.subscribe();
      } else if (items.length === 0) return;
      else
        for (const item of items) if (item.kind === "event") this.note(item.event.seq, Number(item.event.data["by"]));
    }
  }

  /** From where it is: also after the replica has been without its shard for so long that it let the readers go. */
  private subscribe(): Subscription {
    return this.bench.replica.system.subscribe(refOf(this.ledger), this.seqs.at(-1) ?? 0);
  }

  private note(seq: number, by: number): void {
    this.seqs.push(seq);
    this.bys.push(by);
  }
}
