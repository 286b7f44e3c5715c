/**
 * A replica of the runtime whose every wait belongs to the scheduler: its calls of the store and of
 * the placement wait before they arrive and before their answer does, its timers run when they are
 * chosen, and each call may meet a fault. The model in memory decides what the database does.
 */
import type { Clock } from "../../actors/runtime/ports.ts";
import type { OwnedPart, Placement, ShardGrant } from "../../actors/runtime/placement/placement.ts";
import type { ActorStore, ShardWrites, Writes } from "../../actors/runtime/store.ts";
import type { FakeClock } from "../support/fake-clock.ts";
import { type MemoryPlacement, Unreachable } from "../support/memory-placement.ts";
import { delegatingStore } from "../support/delegating-store.ts";
import type { FlushFault, MemoryActorStore } from "../support/memory-store.ts";
import type { Line, Scheduler } from "./scheduler.ts";

/** How often what goes wrong; all off while the simulation drains. */
export interface Faults {
  isOn: boolean;
  /** Share of the flushes that meet a fault. */
  readonly flush: number;
  /** Share of the other calls that fail. */
  readonly call: number;
  struck: number;
}

export interface Wiring {
  readonly scheduler: Scheduler;
  readonly line: Line;
  readonly faults: Faults;
}

/** SQLSTATEs that certainly stored nothing: two at fault themselves, three of a server that could not. */
export const BREAKING = ["22P05", "23505"];
const PASSING = ["40001", "53300", "55P03"];

const FLUSH_FAULTS = { abort: 5, pass: 3, lost_request: 4, lost_reply: 6, hold: 4, zombie: 4, late_reply: 2 };

/**
 * Groups that the store may not refuse for their rows: a message then waits for better code in its
 * receiver, and a job for another process, because nobody could be told that it has failed.
 */
const mustFit = (batch: readonly ShardWrites[]): boolean =>
  batch.length === 1 &&
  batch.some(
    ({ writes }) =>
      writes.consumed.length > 0 || writes.events.some(({ type }) => type === "job.failed") || refusesRun(writes),
  );

/** The refusal of a mission's run: it is how the mission hears of what has gone wrong. */
const refusesRun = ({ settled, records }: Writes): boolean =>
  settled.length > 0 &&
  records.some(({ table }) => table === "mission_run") &&
  !records.some(({ table }) => table === "job");

function drawFault({ scheduler, faults, line }: Wiring, batch: readonly ShardWrites[]): FlushFault | null {
  if (!faults.isOn || !scheduler.happens(faults.flush)) return null;
  const kind = scheduler.weighted(FLUSH_FAULTS);
  if (kind === "abort" && mustFit(batch)) return null;
  faults.struck++;
  scheduler.note(`${line.name}: the next flush meets ${kind}`);
  switch (kind) {
    case "abort":
      return { kind, code: scheduler.one(BREAKING) };
    case "pass":
      return { kind: "abort", code: scheduler.one(PASSING) };
    case "lost_request":
    case "lost_reply":
      return { kind };
    case "hold":
    case "zombie":
      return { kind, gate: scheduler.gate(`a statement of ${line.name} ends`, true) };
    case "late_reply":
      return { kind, gate: scheduler.gate(`a reply to ${line.name}`, false) };
  }
}

/** Waits of a page before it is read. */
const SLOW_PAGE = 16;

/** A call that waits on its way there and on its way back, and may not get there. */
export async function call<T>({ scheduler, line, faults }: Wiring, what: string, run: () => Promise<T>): Promise<T> {
  await scheduler.pass(line, what);
  if (faults.isOn && scheduler.happens(faults.call)) {
    faults.struck++;
    scheduler.note(`${line.name}: ${what} fails`);
    throw new Unreachable(`${what}: a drawn fault`);
  }
  const answer = await run();
  await scheduler.pass(line, `${what} answered`);
  return answer;
}

export function simulatedStore(store: MemoryActorStore, wiring: Wiring): ActorStore {
  const { scheduler, line } = wiring;
  store.onFlush = (batch) => drawFault(wiring, batch);
  return delegatingStore(store, {
    async flush(batch) {
      await scheduler.pass(line, `flush of ${batch.length}`);
      const outcome = await store.flush(batch);
      await scheduler.pass(line, `flush ${outcome.kind}`);
      return outcome;
    },
    read: (...of) => call(wiring, "read", () => store.read(...of)),
    events: (...of) => call(wiring, "events", () => store.events(...of)),
    undoneShards: (...of) => call(wiring, "undone", () => store.undoneShards(...of)),
    /** Slow now and then: a shard is served before its last page has come. */
    async undoneMessages(...of) {
      for (let waits = scheduler.below(SLOW_PAGE); waits > 0; waits--) await scheduler.pass(line, "undone is slow");
      return call(wiring, "undone", () => store.undoneMessages(...of));
    },
    undoneEffects: (...of) => call(wiring, "undone", () => store.undoneEffects(...of)),
    alarms: (...of) => call(wiring, "alarms", () => store.alarms(...of)),
  });
}

export class SimulatedPlacement implements Placement {
  private readonly placement: MemoryPlacement;
  private readonly wiring: Wiring;

  constructor(placement: MemoryPlacement, wiring: Wiring) {
    this.placement = placement;
    this.wiring = wiring;
  }

  renew(): Promise<boolean> {
    return call(this.wiring, "renew", () => this.placement.renew());
  }

  claim(most?: number): Promise<readonly ShardGrant[]> {
    return call(this.wiring, "claim", () => this.placement.claim(most));
  }

  claimPart(): Promise<OwnedPart> {
    return call(this.wiring, "claim", () => this.placement.claimPart());
  }

  release(grants: readonly ShardGrant[]): Promise<void> {
    return call(this.wiring, "release", () => this.placement.release(grants));
  }

  raise(shards: readonly number[]): Promise<readonly ShardGrant[]> {
    return call(this.wiring, "raise", () => this.placement.raise(shards));
  }

  leave(): Promise<void> {
    return call(this.wiring, "leave", () => this.placement.leave());
  }
}

/** The world's time, with timers that are late by as much as the scheduler likes. */
export class SimulatedClock implements Clock {
  private readonly clock: FakeClock;
  private readonly wiring: Wiring;

  constructor(clock: FakeClock, wiring: Wiring) {
    this.clock = clock;
    this.wiring = wiring;
  }

  now(): number {
    return this.clock.now();
  }

  monotonic(): number {
    return this.clock.monotonic();
  }

  after(delayMs: number, run: () => void): () => void {
    const { scheduler, line } = this.wiring;
    let takeBack = (): void => {};
    const cancel = this.clock.after(delayMs, () => {
      if (line.isAlive) takeBack = scheduler.hold(line, `timer of ${delayMs} ms`, run);
    });
    return () => {
      cancel();
      takeBack();
    };
  }
}
