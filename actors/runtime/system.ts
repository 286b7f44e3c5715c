/**
 * The actor system of one replica: the only door to every actor. HTTP, timers, effects and peers all
 * come through `dispatch` or `dispatchGroup`; there is no side door.
 *
 * Guarantees: the turns of one actor never overlap. Nothing of a group (its reply, its events, its
 * messages, its effects) leaves before its commit, and all of it commits or none does. What a commit
 * has promised to do later is a row, so a crash forgets nothing. A replica that may have lost its
 * lease answers nothing.
 */
import type { Outcome } from "../fault.ts";
import { ok, refuse } from "../fault.ts";
import { type ActorRef, type AnyDefinition, type CommandOf, type Protocols, refKey, type ReplyOf } from "./actor.ts";
import { Alarms } from "./alarms.ts";
import type { Cell } from "./cell.ts";
import { Cells } from "./cells.ts";
import type { Chance, Clock } from "./clock.ts";
import { Delivery } from "./delivery.ts";
import type { Draft } from "./draft.ts";
import { type EffectHandler, Effects } from "./effects.ts";
import { FlushLane } from "./flush.ts";
import { Loader } from "./loader.ts";
import { Ownership } from "./ownership.ts";
import { Lease, type Placement, shardOf } from "./placement.ts";
import { type Admission, type Place, Shards, type DispatchOptions } from "./shards.ts";
import type { ActorStore, AlarmKey, PageOfEvents } from "./store.ts";
import { type StreamStore, Subscription } from "./subscription.ts";
import { GroupRun, type MemberStep, type TurnHost } from "./turns.ts";

/** Cells that have been idle are looked for this often. */
const PASSIVATE_EVERY_MS = 10_000;

const NO_ADMISSION: Admission = {};

/** What the runtime tells its operator. Levels as in the log. */
export interface RuntimeLog {
  debug(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface SystemParts {
  readonly definitions: readonly AnyDefinition[];
  readonly effects: Readonly<Record<string, EffectHandler>>;
  readonly store: ActorStore;
  readonly placement: Placement;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: RuntimeLog;
  /** Called when this replica must end: it was declared dead. */
  readonly onLost: (reason: string) => void;
  /** Flush lanes; a shard always uses the same one. */
  readonly lanes?: number;
  readonly liveActors?: number;
}

export class System<P extends Protocols> implements TurnHost {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly cells: Cells;
  readonly shards: Shards;
  readonly loader: Loader;
  readonly lanes: readonly FlushLane[];
  readonly effects: Effects;
  readonly alarms: Alarms;
  private readonly store: ActorStore;
  private readonly log: RuntimeLog;
  private readonly delivery: Delivery;
  private readonly ownership: Ownership;
  private cancelSweep: () => void = () => {};

  constructor(parts: SystemParts) {
    this.clock = parts.clock;
    this.chance = parts.chance;
    this.store = parts.store;
    this.log = parts.log;
    const lease = new Lease(parts.clock);
    this.shards = new Shards(lease);
    this.cells = new Cells(parts.definitions, parts.liveActors, {
      now: () => parts.clock.now(),
      part: (cell, farewell) => void this.part(cell, farewell),
    });
    this.loader = new Loader(parts.store);
    const run = (steps: readonly MemberStep[], options: DispatchOptions) => this.run(steps, options);
    this.effects = new Effects(
      parts.effects,
      (place) => this.shards.serves(place),
      (cause, effect) =>
        parts.log.error({ err: cause, effect: effect.kind, actor: effect.actorId }, "an effect failed"),
    );
    this.delivery = new Delivery({ run, clock: this.clock, shards: this.shards, log: parts.log });
    this.alarms = new Alarms({ store: parts.store, shards: this.shards, clock: this.clock }, (alarm, stands) =>
      this.delivery.fire(alarm, stands),
    );
    this.ownership = new Ownership(
      { ...parts, shards: this.shards, cells: this.cells, lease, effects: this.effects, alarms: this.alarms },
      this.delivery,
    );
    this.lanes = Array.from({ length: parts.lanes ?? 1 }, () => new FlushLane(parts.store, this.ownership));
  }

  /** Joins, takes the shards and what is undone on them. Everything is served when it resolves. */
  async start(): Promise<void> {
    await this.ownership.start();
    this.sweep();
  }

  /**
   * Ends: refuses new commands, lets what is under way commit, stops the effects (their rows stay,
   * so the next owner takes them up again), lets the actors say farewell, gives the shards back.
   */
  async stop(): Promise<void> {
    this.cancelSweep();
    this.shards.draining = true;
    this.alarms.clearAll();
    await Promise.all(this.lanes.map((lane) => lane.settled()));
    this.effects.close();
    await this.effects.drained();
    await Promise.all(this.lanes.map((lane) => lane.settled()));
    await Promise.all(this.cells.farewells().map(({ cell, farewell }) => this.part(cell, farewell)));
    await this.ownership.stop();
    this.alarms.clearAll();
  }

  /**
   * Gives one actor a command. Resolves with its reply or its refusal, after the commit. Rejects for
   * bugs only.
   */
  dispatch<K extends keyof P & string, C extends CommandOf<P[K]>>(
    ref: ActorRef<K>,
    command: C,
    options: Admission = NO_ADMISSION,
  ): Promise<Outcome<ReplyOf<P[K], C>>> {
    return new Promise((resolve, reject) => {
      const answer = (outcome: Outcome<readonly unknown[]>): void =>
        resolve(outcome.ok ? ok(outcome.value[0] as ReplyOf<P[K], C>) : outcome);
      new GroupRun(this, [{ ref, command }], options).start(answer, reject);
    });
  }

  /**
   * Runs several commands of one organization as one atomic group: their turns follow each other
   * without anything between, and all commit or none. A member may depend on the replies before it.
   * A group may run more than once before it is answered, so members must be pure.
   */
  dispatchGroup(
    members: readonly MemberStep[],
    options: Admission = NO_ADMISSION,
  ): Promise<Outcome<readonly unknown[]>> {
    return this.run(members, options);
  }

  /**
   * As `dispatchGroup`; where nothing has to be waited for, the outcome itself and no promise of it. For
   * what is asked for every request. Throws a bug of such a group.
   */
  promptly(members: readonly MemberStep[]): Outcome<readonly unknown[]> | Promise<Outcome<readonly unknown[]>> {
    let outcome: Outcome<readonly unknown[]> | null = null;
    let resolve = (ended: Outcome<readonly unknown[]>): void => {
      outcome = ended;
    };
    let reject = (cause: unknown): void => {
      throw cause;
    };
    new GroupRun(this, members, NO_ADMISSION).start(
      (ended) => resolve(ended),
      (cause) => reject(cause),
    );
    if (outcome !== null) return outcome;
    return new Promise((whenEnded, whenFailed) => {
      resolve = whenEnded;
      reject = whenFailed;
    });
  }

  /**
   * A reader of an actor's event stream from after `after`. The caller has checked that it may read.
   * `head` is the newest event that it knows of; without `textOf` only text in memory is told.
   */
  subscribe(
    ref: ActorRef<keyof P & string>,
    after: number,
    { textOf, head }: { readonly textOf?: StreamStore["textOf"]; readonly head?: number } = {},
  ): Subscription {
    const replay = this.cells.stream(ref, shardOf(ref.organizationId));
    const page = (asked: PageOfEvents) => this.store.events(ref.organizationId, ref.id, asked);
    return new Subscription(replay, after, textOf === undefined ? { page } : { page, textOf }, head);
  }

  /**
   * Resolves when everything that the organization had committed or pending at the call is in the
   * tables: a list that is read afterwards shows its caller's own writes. Refuses without a lease.
   */
  async settled(organizationId: string): Promise<Outcome<null>> {
    const place = this.shards.admit(organizationId, {});
    if (!place.ok) return place;
    await this.laneOf(place.value.shard).settled();
    const after = this.shards.admit(organizationId, { epoch: place.value.epoch });
    return after.ok ? ok(null) : refuse(after.fault);
  }

  /** Calls `run` right before the next batch of the organization's commits is taken: what it dispatches joins that batch. */
  joinNext(organizationId: string, run: () => void): void {
    this.laneOf(shardOf(organizationId)).joinNext(run);
  }

  /** Whether this replica serves: it holds its lease and shards, and is not draining. */
  get isReady(): boolean {
    return this.ownership.isReady;
  }

  /** Messages whose receivers' turns have failed too often: rows that wait for better code. */
  get parkedMessages(): number {
    return this.delivery.parked;
  }

  laneOf(shard: number): FlushLane {
    return this.lanes[shard % this.lanes.length]!;
  }

  supersede(key: AlarmKey): () => void {
    return this.alarms.supersede(key);
  }

  release(draft: Draft, place: Place): void {
    if (draft.isEmpty) return;
    // The shard has been lost since the commit: what it has promised is its next owner's to keep.
    if (this.shards.epochOf(place.shard) !== place.epoch) return;
    const { effects, settled, messages, alarms, cleared } = draft.writes;
    for (const birth of draft.births) this.cells.born(birth, place, this.clock.monotonic());
    for (const id of settled) this.effects.abort(id);
    for (const id of draft.interrupts) this.effects.abort(id);
    for (const key of cleared) this.alarms.clear(key);
    for (const alarm of alarms) this.alarms.set(alarm);
    for (const message of messages) this.delivery.send(message, place);
    for (const effect of effects) if (!settled.includes(effect.id)) this.effects.start(effect, place);
  }

  /** An actor's last command before it is dropped. One that fails costs what was in mind, as a crash does. */
  private async part(cell: Cell, farewell: { readonly kind: string }): Promise<void> {
    try {
      const { ref, epoch } = cell;
      const outcome = await this.run([{ ref, command: farewell }], { epoch });
      if (outcome.ok) this.cells.leave(cell);
    } catch (err) {
      this.log.error({ err, actor: refKey(cell.ref) }, "an actor's farewell failed");
    }
  }

  private run(steps: readonly MemberStep[], options: DispatchOptions): Promise<Outcome<readonly unknown[]>> {
    return new Promise((resolve, reject) => new GroupRun(this, steps, options).start(resolve, reject));
  }

  private sweep(): void {
    this.cancelSweep = this.clock.after(PASSIVATE_EVERY_MS, () => {
      const dropped = this.cells.passivate(this.clock.monotonic());
      if (dropped > 0) this.log.debug({ dropped, live: this.cells.count }, "idle actors have left memory");
      this.sweep();
    });
  }
}
