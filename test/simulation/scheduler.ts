/**
 * The seeded scheduler. Everything that a simulated replica waits for (an answer of the database, a
 * timer, a step of an effect) stands here until it is chosen, so one seed is one exact interleaving.
 * Code between two waits runs to its end before the next choice.
 *
 *   pass ──▶ held ─ chosen ──▶ goes on
 *              └── its line has ended ──▶ never goes on
 */
import type { Chance } from "../../actors/runtime/ports.ts";
import { seededChance } from "../support/fake-clock.ts";
import { Gate } from "../support/memory-store.ts";

/** What belongs to one process: it can be frozen, and it ends as a whole. */
export interface Line {
  readonly name: string;
  isAlive: boolean;
  isFrozen: boolean;
}

interface Wait {
  /** Null for what is of the database: it goes on whatever happens to the process that asked. */
  readonly line: Line | null;
  readonly what: string;
  readonly go: () => void;
}

/** Lines of the trace that are kept to be printed. */
export const TRACE_KEPT = 80;

export class Scheduler {
  readonly chance: Chance;
  private waits: Wait[] = [];
  private readonly hasher = new Bun.CryptoHasher("sha256");
  /** The last lines of the trace. */
  readonly last: string[] = [];
  lines = 0;

  private readonly kept: number;

  constructor(seed: number, kept: number) {
    this.kept = kept;
    this.chance = seededChance(seed);
  }

  /** Whether something happens that happens in `share` of all cases. */
  happens(share: number): boolean {
    return this.chance.fraction() < share;
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    return Math.floor(this.chance.fraction() * limit);
  }

  one<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  /** One of the keys, as often as its weight says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as [K, number][];
    let rest = this.chance.fraction() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of entries) if ((rest -= weight) < 0) return key;
    return entries[0]![0];
  }

  note(line: string): void {
    this.lines++;
    this.hasher.update(`${line}\n`);
    if (this.last.push(`${this.lines} ${line}`) > this.kept) this.last.shift();
  }

  /** What the whole trace comes to; ends it. */
  digest(): string {
    return this.hasher.digest("hex");
  }

  /** Resolves when the scheduler chooses it; never once the line has ended. */
  pass(line: Line, what: string): Promise<void> {
    return new Promise((resolve) => this.hold(line, what, resolve));
  }

  /** Runs `go` when it is chosen. The answer takes it back. */
  hold(line: Line | null, what: string, go: () => void): () => void {
    const wait = { line, what, go };
    if (line === null || line.isAlive) this.waits.push(wait);
    return () => {
      this.waits = this.waits.filter((other) => other !== wait);
    };
  }

  /** A door in the database: the scheduler opens it, or ends the statement that stands at it. */
  gate(what: string, breaks: boolean): Gate {
    const gate = new Gate();
    void gate.reached.then(() =>
      this.hold(null, what, () => {
        if (breaks && this.happens(0.3)) gate.break();
        else gate.open();
      }),
    );
    return gate;
  }

  get hasWaits(): boolean {
    return this.waits.length > 0;
  }

  /** Lets one wait go on; false without one that could. */
  resume(): boolean {
    const ready = this.waits.filter(({ line }) => line === null || (line.isAlive && !line.isFrozen));
    if (ready.length === 0) return false;
    // The oldest often: otherwise one answer could be late for ever.
    const wait = this.happens(0.3) ? ready[0]! : this.one(ready);
    this.waits = this.waits.filter((other) => other !== wait);
    this.note(`${wait.line?.name ?? "database"}: ${wait.what}`);
    wait.go();
    return true;
  }

  /** The process is gone, and all that it waited for. */
  end(line: Line): void {
    line.isAlive = false;
    this.waits = this.waits.filter((wait) => wait.line !== line);
  }
}
