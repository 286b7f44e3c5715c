/**
 * Group commit. While a flush is in flight, arriving groups form the next batch; only patient groups, for which nobody
 * waits, have a timer (`patience.ts`). Two statements may be in flight: one of small groups, and one of large work,
 * which rests after each. One batch is one statement and has three outcomes (see `ActorStore.flush`):
 *
 *   answered ─ live shard ──▶ committed      aborted ─ one group ──▶ broken
 *            └ other shard ─▶ fenced                 ├ several ────▶ one by one, in order
 *                                                    └ the server could not ─▶ unavailable
 *   unknown ──▶ unknown: the epochs must rise before anything of these shards runs again
 *
 * - FL-1: an organization has groups in one statement at a time, so they stay in order.
 * - FL-2: an organization's groups end in the order of their arrival. A group that runs again after one of them loads
 *   from the tables, so everything before it must be there.
 * - FL-3: each group ends once.
 * - FL-4: a group is sent at the epoch of its shard. A process that loses a shard and regains it would otherwise mix two
 *   epochs in one batch.
 *
 * A callback that throws (a group's end, a follower, a reader) is reported and stops nothing else. A bug of the lane
 * itself is fatal: everything in it ends, and the host ends the process.
 */
import { assert } from "../../assert.ts";
import type { Clock } from "../ports.ts";
import type { ActorStore, CommitResult, FlushOutcome } from "../store.ts";
import type { TurnGroup } from "./group.ts";
import { costOf, FlushQueue, type GroupSize } from "./flush-queue.ts";
import { isolate } from "../isolate.ts";
import { FlushPatience } from "./patience.ts";
import type { LoopTime } from "../fairness/loop-time.ts";
import type { Tracing } from "../tracing.ts";

/** SQLSTATE classes of errors that are not about the rows: a read-only server, a deadlock, no space, a lock. */
const SERVER_COULD_NOT = new Set(["25", "40", "53", "55"]);

/**
 * The duration of a statement of a few small groups. An organization over its share that sends only these does not
 * rest.
 */
export const SMALL_MS = 2;
/** The longest pause. On a slow disk, most of a statement's duration is waiting. */
const MOST_REST_MS = 10;

export interface FlushHost {
  /** The epoch at which this replica owns the shard now, or null. */
  epochOf(shard: number): number | null;
  /** Called before the groups of a batch with an unknown outcome end. */
  onUnknown(shards: ReadonlySet<number>, cause: unknown): void;
  onFenced(shards: ReadonlySet<number>): void;
  /** Reports what a group's end, a follower or a `joinNext` callback throws. Must not throw. */
  onBug(cause: unknown): void;
  /** The lane itself has failed and commits nothing any more. Must not throw. */
  onLaneFailed(cause: unknown): void;
}

/** The lane's port to the loop's time. */
export type LaneTime = Pick<LoopTime, "isShared" | "isOverShare" | "begin" | "end" | "charge">;

export interface LaneParts {
  /** Shows whether several organizations are at work, so that each batch is divided. */
  readonly time: LaneTime;
  /** Null if tracing is off. */
  readonly tracing: Pick<Tracing, "within"> | null;
  readonly clock: Pick<Clock, "after" | "monotonic">;
}

/** The statement in flight, or the next one, for groups of one size. */
interface Channel {
  readonly size: GroupSize;
  isRunning: boolean;
  batch: readonly TurnGroup[];
  /** The organizations of the batch's groups. */
  organizations: ReadonlySet<string>;
}
const channel = (size: GroupSize): Channel => ({ size, isRunning: false, batch: [], organizations: NOBODY });
const NOBODY: ReadonlySet<string> = new Set();

interface Joining {
  readonly organizationId: string;
  readonly run: () => void;
}

export class FlushLane {
  private readonly queue = new FlushQueue();
  private joining: Joining[] = [];
  private readonly channels: readonly Channel[] = [channel("small"), channel("large")];
  private hasFailed = false;
  /** How many statements were sent, for the benchmarks. */
  statements = 0;
  private readonly store: ActorStore;
  private readonly host: FlushHost;
  private readonly time: LaneTime;
  private readonly tracing: Pick<Tracing, "within"> | null;
  private readonly clock: LaneParts["clock"];
  private readonly patience: FlushPatience;

  constructor(store: ActorStore, host: FlushHost, { time, tracing, clock }: LaneParts) {
    this.patience = new FlushPatience(this.queue, clock, () => this.begin());
    this.clock = clock;
    this.tracing = tracing;
    this.store = store;
    this.host = host;
    this.time = time;
  }

  push(group: TurnGroup): void {
    if (group.isPatient) group.hurry = this.patience.hurry;
    this.queue.push(group);
    if (this.hasFailed) queueMicrotask(() => this.refuseAll());
    else this.patience.go();
  }

  /**
   * Calls `run` right before the organization's next batch is taken; groups that `run` pushes synchronously are in that
   * batch. So a caller can collect what arrives while another batch is in flight into one group, at no extra wait.
   */
  joinNext(organizationId: string, run: () => void): void {
    this.joining.push({ organizationId, run });
    if (this.hasFailed) queueMicrotask(() => this.refuseAll());
    else this.begin();
  }

  /** Resolves when all groups pushed or due to join before this call have ended, of an organization or of all. */
  async settled(organizationId: string | null = null): Promise<void> {
    const isAsked = (one: string): boolean => organizationId === null || one === organizationId;
    const joining = new Set(this.joining.map((one) => one.organizationId).filter(isAsked));
    // After the groups that join.
    if (joining.size > 0) await Promise.all([...joining].map((one) => this.joined(one)));
    const isOf = (group: TurnGroup): boolean => !group.hasEnded && isAsked(group.organizationId);
    const sent = this.channels.flatMap(({ batch }) => batch);
    const last = [...sent.filter(isOf), ...this.queue.last(organizationId)];
    await Promise.all(last.map((group) => new Promise<void>((end) => group.follow(() => end()))));
  }

  private joined(organizationId: string): Promise<void> {
    return new Promise((resolve) => this.joinNext(organizationId, resolve));
  }

  private begin(): void {
    for (const one of this.channels) {
      if (one.isRunning || (one.size === "large" && !this.queue.hasLarge)) continue;
      one.isRunning = true;
      const run = (): void => queueMicrotask(() => this.run(one).catch((cause: unknown) => this.fail(cause)));
      // The lane works for all callers, so its spans do not belong to the caller that woke it.
      if (this.tracing === null) run();
      else this.tracing.within(null, run);
    }
  }

  private async run(one: Channel): Promise<void> {
    for (let isRefused = true; isRefused || one.batch.length > 0;) {
      const from = this.clock.monotonic();
      if (one.batch.length > 0) await this.commit(one.batch);
      if (this.hasFailed) return;
      const hasCommitted = one.batch.length > 0;
      one.batch = [];
      one.organizations = NOBODY;
      if (hasCommitted && one.size === "large") await this.rest(from);
      this.join();
      isRefused = this.takeBatch(one);
      // The other channel may now take groups that it left out because their organization was here, or that this one
      // leaves to it. Without a change do not wake it: two channels that wait for each other must not wake each other for ever.
      if (hasCommitted || one.size === "small") this.patience.go();
    }
    one.isRunning = false;
  }

  /**
   * While others are active, large work pauses after each of its statements, for as long as the statement took beyond a small one.
   * Meanwhile the others have PostgreSQL, its cores and its disk. Without the pause, their statements mostly wait for a
   * large one's sync.
   */
  private rest(begunAt: number): Promise<void> | null {
    if (!this.time.isShared) return null;
    const restMs = Math.min(Math.round(this.clock.monotonic() - begunAt) - SMALL_MS, MOST_REST_MS);
    return restMs <= 0 ? null : new Promise((resolve) => this.clock.after(restMs, resolve));
  }

  /** Lets waiting callers join; if their organization is in flight, later, before its next batch. */
  private join(): void {
    if (this.joining.length === 0) return;
    const joining = this.joining;
    this.joining = this.hasFailed ? [] : joining.filter(({ organizationId }) => this.isInFlight(organizationId));
    for (const { organizationId, run } of joining)
      if (this.hasFailed || !this.isInFlight(organizationId)) isolate(run, (cause) => this.host.onBug(cause));
  }

  private isInFlight(organizationId: string): boolean {
    return this.channels.some(({ organizations }) => organizations.has(organizationId));
  }

  /**
   * Handles a bug of the lane itself. Nothing must wait for it any more: groups that may have been sent end as unknown,
   * the others as unavailable, and the host ends the process.
   */
  private fail(cause: unknown): void {
    if (this.hasFailed) return;
    this.hasFailed = true;
    this.host.onLaneFailed(cause);
    for (const one of this.channels) {
      one.isRunning = false;
      const sent = one.batch;
      one.batch = [];
      for (const group of sent) this.end(group, { kind: "unknown" });
    }
    this.refuseAll();
  }

  private refuseAll(): void {
    this.join();
    for (const group of this.queue.clear()) this.end(group, { kind: "unavailable" });
  }

  private end(group: TurnGroup, result: CommitResult): void {
    // Groups that were in flight when the lane failed have ended already.
    if (!group.hasEnded) group.end(result, (cause) => this.host.onBug(cause));
  }

  /**
   * Takes the next groups that may still be sent. Ends the others as refused, unless a group of the batch is before
   * them. Returns whether any was refused.
   */
  private takeBatch(one: Channel): boolean {
    if (!this.patience.isUrgent) return false;
    let isRefused = false;
    one.batch = this.queue.take(this.time.isShared, one.size, {
      isInFlight: (organizationId) => this.isInFlight(organizationId),
      isOverShare: (organizationId) => this.time.isOverShare(organizationId),
      mayBeSent: (group) => this.refusalOf(group) === null,
      refuse: (group) => {
        isRefused = true;
        this.end(group, this.refusalOf(group)!);
      },
    });
    this.patience.taken();
    for (const { organizationId } of one.batch)
      assert(!this.isInFlight(organizationId), "an organization is in one statement (FL-1)");
    one.organizations = new Set(one.batch.map(({ organizationId }) => organizationId));
    return isRefused;
  }

  /** Why a group may not be sent any more, or null. */
  private refusalOf(group: TurnGroup): CommitResult | null {
    if (this.host.epochOf(group.shard) !== group.epoch) return { kind: "fenced" };
    return group.isEvicted ? { kind: "evicted" } : null;
  }

  private async commit(batch: readonly TurnGroup[]): Promise<void> {
    this.statements++;
    const from = this.time.begin("commits", batch.length === 1 ? batch[0]!.organizationId : null);
    const flushed = this.flush(batch);
    this.charge(batch, this.time.end(from, null, "commits"));
    const outcome = await flushed;
    switch (outcome.kind) {
      case "answered":
        return this.endAnswered(batch, outcome.live);
      case "aborted": {
        const result: CommitResult = SERVER_COULD_NOT.has(outcome.code.slice(0, 2))
          ? { kind: "unavailable" }
          : { kind: "broken", code: outcome.code, cause: outcome.cause };
        if (batch.length > 1 && result.kind === "broken") return this.split(batch);
        for (const group of batch) this.end(group, result);
        return;
      }
      case "unknown": {
        this.host.onUnknown(new Set(batch.map((g) => g.shard)), outcome.cause);
        for (const group of batch) this.end(group, { kind: "unknown" });
        return;
      }
    }
  }

  /** A store that throws has a bug: the outcome is unknown, and the lane continues. */
  private async flush(batch: readonly TurnGroup[]): Promise<FlushOutcome> {
    try {
      return await this.store.flush(batch);
    } catch (cause) {
      return { kind: "unknown", cause };
    }
  }

  /** Charges the time for building a statement to the organizations, by their groups' cost. */
  private charge(batch: readonly TurnGroup[], ms: number): void {
    const cost = batch.reduce((sum, group) => sum + costOf(group), 0);
    for (const group of batch) this.time.charge(group.organizationId, "commits", (ms * costOf(group)) / cost);
  }

  /** Sends the groups one by one. If some have guessed, those of other organizations are first sent together. */
  private async split(batch: readonly TurnGroup[]): Promise<void> {
    const guessing = new Set(batch.filter(({ hasGuessed }) => hasGuessed).map(({ organizationId }) => organizationId));
    const sure = guessing.size === 0 ? [] : batch.filter(({ organizationId }) => !guessing.has(organizationId));
    const doubtful = sure.length === 0 ? batch : batch.filter(({ organizationId }) => guessing.has(organizationId));
    for (const groups of [sure, ...doubtful.map((group) => [group])]) {
      const sent = groups.filter((group) => this.refusalOf(group) === null);
      for (const group of groups) if (!sent.includes(group)) this.end(group, this.refusalOf(group)!);
      if (sent.length > 0) await this.commit(sent);
    }
  }

  private endAnswered(batch: readonly TurnGroup[], live: ReadonlySet<number>): void {
    const fenced = new Set<number>();
    // If a shard's epoch has risen since, the other statement has already reported it.
    for (const { shard, epoch } of batch) if (!live.has(shard) && this.host.epochOf(shard) === epoch) fenced.add(shard);
    if (fenced.size > 0) this.host.onFenced(fenced);
    for (const group of batch) this.end(group, { kind: live.has(group.shard) ? "committed" : "fenced" });
  }
}
