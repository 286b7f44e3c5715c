/**
 * The actor system of one replica, and the only way to its actors: HTTP, timers, effects and peers all use `dispatch`
 * or `dispatchGroup`. (`textWriter` changes nothing: it shows readers the text that a turn has allowed. `dispatchKept`
 * repeats a turn's reply.)
 *
 * Guarantees: the turns of one actor never overlap. No output of a group (its reply, its events, its messages, its
 * effects) leaves before its commit, and all of it commits or none does. Whatever a commit promises to do later is a
 * row, so a crash loses nothing. A replica that may have lost its lease answers nothing.
 */
import { BoundedMap } from "../bounded-map.ts";
import { ok, type Outcome, refuse } from "../fault.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import { type ActorRef, type AnyDefinition, type CommandOf, type Protocols, refKey, type ReplyOf } from "./actor.ts";
import { Alarms } from "./outputs/alarms.ts";
import type { LiveActor } from "./turns/live-actor.ts";
import { LiveActors, Passivation } from "./turns/live-actors.ts";
import type { Chance, Clock, RuntimeLog } from "./ports.ts";
import { Delivery } from "./outputs/delivery.ts";
import { DispatchOrder } from "./turns/dispatch-order.ts";
import { runGroup, runGroupSync, runKept, runOne } from "./turns/dispatching.ts";
import type { Draft } from "./turns/draft.ts";
import { type EffectHandlers, Effects } from "./outputs/effects.ts";
import { FlushLane } from "./commit/flush.ts";
import { handOver, type HandOverHost, within } from "./placement/hand-over.ts";
import type { OnBug } from "./isolate.ts";
import type { KeptAsk } from "./turns/kept-reply.ts";
import { Loader } from "./turns/loader.ts";
import { commitTime, LoopTime } from "./fairness/loop-time.ts";
import { Ownership } from "./placement/ownership.ts";
import { Lease, type Peers, type Placement, type ShardGrant, shardOf } from "./placement/placement.ts";
import type { DispatchAdmission, DispatchOptions, MemberStep, RepliesOf } from "./turns/members.ts";
import { Shards } from "./placement/shards.ts";
import type { ActorStore, PageOfEvents } from "./store.ts";
import { type StreamStore, Subscription } from "./streams/subscription.ts";
import { TakeUp } from "./placement/take-up.ts";
import type { Tracing } from "./tracing.ts";
import type { TurnHost } from "./turns/turns.ts";
import { TextWriter, type WrittenText } from "./streams/text-writer.ts";
import type { WriteGuard } from "./turns/write-admission.ts";

/** An effect that does not stop within this time is left behind: its row stays, and its later reports are refused. */
const STOPPED_EFFECTS_MS = 4_000;
/** Organizations with a wrong guess that are remembered. */
const WRONG_GUESSES = 1_000;

const NO_CONDITIONS: DispatchAdmission = {};

export interface SystemParts {
  readonly definitions: readonly AnyDefinition[];
  readonly store: ActorStore;
  readonly placement: Placement;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: RuntimeLog;
  /** Called when this replica must end: it was declared dead, or can commit nothing any more. */
  readonly onLost: (reason: string) => void;
  /** Flush lanes; a shard always uses the same one. */
  readonly lanes?: number;
  readonly liveActors?: number;
  readonly loopTime?: LoopTime;
  /**
   * Whether the storage accepts more writes (`storage_full`). Omitted: always. Called for each commit, so it must be
   * cheap.
   */
  readonly hasRoom?: () => boolean;
  /** Bounds how much an organization stores. Omitted: no bound. */
  readonly guard?: WriteGuard;
  /** The other replicas. Omitted: this is the only one. */
  readonly peers?: Peers;
  /** The tracing port. Omitted: nothing is traced. */
  readonly tracing?: Tracing;
}

export class System<P extends Protocols> implements TurnHost, HandOverHost {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly tracing: Tracing | null;
  readonly actors: LiveActors;
  readonly shards: Shards;
  readonly loader: Loader;
  readonly order = new DispatchOrder();
  readonly wrongGuesses = new BoundedMap<number>(WRONG_GUESSES);
  readonly loopTime: LoopTime;
  readonly lanes: readonly FlushLane[];
  readonly effects: Effects;
  readonly alarms: Alarms;
  readonly hasRoom: () => boolean;
  readonly guard: WriteGuard | null;
  /** Takes the handlers of effects, before `start`. Without them, effects stay rows. */
  readonly handle = (handlers: EffectHandlers): void => this.effects.handle(handlers);
  readonly onBug: OnBug = (cause) => this.ownership.onBug(cause);
  private readonly store: ActorStore;
  private readonly peers: Peers | null;
  private readonly log: RuntimeLog;
  private readonly delivery: Delivery;
  private readonly takeUp: TakeUp;
  private readonly ownership: Ownership;
  private readonly passivation: Passivation;

  constructor(parts: SystemParts) {
    this.clock = parts.clock;
    this.chance = parts.chance;
    this.tracing = parts.tracing ?? null;
    this.loopTime = parts.loopTime ?? new LoopTime(() => parts.clock.monotonic());
    this.store = parts.store;
    this.peers = parts.peers ?? null;
    this.hasRoom = parts.hasRoom ?? (() => true);
    this.guard = parts.guard ?? null;
    this.log = parts.log;
    const lease = new Lease(parts.clock);
    this.shards = new Shards(lease);
    this.actors = new LiveActors(parts.definitions, parts.liveActors, {
      now: () => parts.clock.now(),
      onBug: (cause) => this.onBug(cause),
      store: (actor, lastCommand) => void this.storeVolatile(actor, lastCommand),
    });
    this.passivation = new Passivation(parts, this.actors);
    this.loader = new Loader(parts.store);
    const run = (steps: readonly MemberStep[], options: DispatchOptions) => this.run(steps, options);
    this.effects = new Effects(
      (grant) => this.shards.serves(grant),
      (cause, effect) =>
        parts.log.error({ err: cause, effect: effect.kind, actor: effect.actorId }, "an effect failed"),
      this.tracing,
    );
    this.delivery = new Delivery({ ...parts, run, shards: this.shards, tracing: this.tracing });
    this.alarms = new Alarms({ store: parts.store, shards: this.shards, clock: this.clock }, (alarm) =>
      this.delivery.fire(alarm),
    );
    const { shards, actors, effects, alarms, delivery } = this;
    this.takeUp = new TakeUp({ ...parts, shards, effects, delivery });
    effects.onFailedRun = (effect, grant) => this.takeUp.recoverFailed(effect, grant);
    const held = { shards, actors, lease, effects, alarms, takeUp: this.takeUp };
    const give = parts.peers === undefined ? null : handOver(this, parts.placement, parts.peers);
    this.ownership = new Ownership({ ...parts, ...held, handOver: give });
    const { clock } = parts;
    this.lanes = Array.from(
      { length: parts.lanes ?? 1 },
      () =>
        new FlushLane(parts.store, this.ownership, {
          time: commitTime(this.loopTime),
          tracing: this.tracing,
          clock,
        }),
    );
  }

  /** Joins, claims the shards and takes up their undone work. When it resolves, everything is served. */
  async start(): Promise<void> {
    await this.ownership.start();
    this.passivation.start();
  }

  /**
   * Stops: refuses new commands, lets commits in flight finish, stops the effects (their rows stay, so the next owner
   * recovers them), lets actors store their volatile state, and gives the shards back.
   */
  async stop(): Promise<void> {
    this.passivation.stop();
    this.shards.draining = true;
    this.alarms.clearAll();
    await Promise.all(this.lanes.map((lane) => lane.settled()));
    this.effects.close();
    await within(this.clock, STOPPED_EFFECTS_MS, this.effects.drained());
    await Promise.all(this.lanes.map((lane) => lane.settled()));
    await Promise.all(
      this.actors.lastCommands().map(({ actor, lastCommand }) => this.storeVolatile(actor, lastCommand)),
    );
    await this.ownership.stop();
    this.alarms.clearAll();
  }

  /** Gives one actor a command. Resolves with its reply or its refusal, after the commit. Rejects only for bugs. */
  dispatch<K extends keyof P & string, C extends CommandOf<P[K]>>(
    ref: ActorRef<K>,
    command: C,
    options: DispatchAdmission = NO_CONDITIONS,
  ): Promise<Outcome<ReplyOf<P[K], C>>> {
    // The reply is the result of this command's handler.
    return runOne(this, this.peers, { ref, command }, options) as Promise<Outcome<ReplyOf<P[K], C>>>;
  }

  /**
   * Runs several commands of one organization as one atomic group: their turns follow each other without interruption,
   * and all commit or none does. A member may depend on the replies before it. A group may run more than once before it
   * is answered, so members must be pure.
   */
  dispatchGroup<const S extends readonly MemberStep[]>(
    members: S,
    options: DispatchAdmission = NO_CONDITIONS,
  ): Promise<Outcome<RepliesOf<S>>> {
    // One reply for each member, in order: the results of these commands' handlers.
    return this.run(members, options) as Promise<Outcome<RepliesOf<S>>>;
  }

  /**
   * Like `dispatchGroup`, but returns the outcome itself instead of a promise if nothing has to be waited for. For the
   * checks of every request. A bug is then thrown.
   */
  dispatchSync<const S extends readonly MemberStep[]>(
    members: S,
  ): Outcome<RepliesOf<S>> | Promise<Outcome<RepliesOf<S>>> {
    return runGroupSync(this, this.peers, members, NO_CONDITIONS) as
      | Outcome<RepliesOf<S>>
      | Promise<Outcome<RepliesOf<S>>>;
  }

  /**
   * Asks one actor a frequent question: a kept reply that still holds is returned without a turn (RT-19). Otherwise
   * like `dispatchSync`.
   */
  dispatchKept<R>(asked: KeptAsk<R>): MaybePromise<Outcome<R>> {
    return runKept(this, this.peers, asked) as MaybePromise<Outcome<R>>;
  }

  /** Passes live text to readers without a turn, if a turn would do nothing else. */
  textWriter(text: WrittenText): TextWriter {
    return new TextWriter(this, text);
  }

  /**
   * A reader of an actor's event stream after `after`. The caller has checked that it may read. `head` is the newest
   * event that the caller knows; without `textOf` only text in memory is sent.
   */
  subscribe(
    ref: ActorRef<keyof P & string>,
    after: number,
    { textOf, head }: { readonly textOf?: StreamStore["textOf"]; readonly head?: number } = {},
  ): Subscription {
    const replay = this.actors.stream(ref, shardOf(ref.organizationId));
    const page = (asked: PageOfEvents) => this.store.events(ref.organizationId, ref.id, asked);
    return new Subscription(replay, after, textOf === undefined ? { page } : { page, textOf }, head);
  }

  /**
   * Resolves when every write that the organization had committed or pending at the call is in the tables, so that a
   * list read afterwards shows its caller's own writes. Refuses without a lease.
   */
  async settled(organizationId: string): Promise<Outcome<null>> {
    if (this.peers !== null && !this.serves(organizationId)) return this.peers.settled(organizationId);
    const grant = this.shards.admit(organizationId, {});
    if (!grant.ok) return grant;
    await this.laneOf(grant.value.shard).settled(organizationId);
    const after = this.shards.admit(organizationId, { epoch: grant.value.epoch });
    return after.ok ? ok(null) : refuse(after.fault);
  }

  /**
   * Calls `run` right before the organization's next batch is taken; commands that `run` dispatches join that batch.
   */
  joinNext(organizationId: string, run: () => void): void {
    this.laneOf(shardOf(organizationId)).joinNext(organizationId, run);
  }

  /** Whether this replica serves: it holds its lease and shards, and is not draining. */
  get isReady(): boolean {
    return this.ownership.isReady;
  }

  /** Whether this process accepts new commands to the organization now. */
  serves(organizationId: string): boolean {
    return this.shards.isOpen(shardOf(organizationId));
  }

  /** The epoch at which this process owns the organization, or null. What it remembers of it belongs to that epoch. */
  epochOf(organizationId: string): number | null {
    return this.shards.epochOf(shardOf(organizationId));
  }

  /** Checks the placement now: another replica has changed it. */
  lookAtPlacement(): void {
    this.ownership.look();
  }

  /**
   * Whether more alarms are due than may fire at once. In such a burst, work that can wait lets the other alarms fire
   * first.
   */
  get hasDueAlarms(): boolean {
    return this.alarms.hasDue;
  }

  /**
   * Parked messages, of an organization or of all (null): their receivers' turns have failed too often, until the code
   * is fixed.
   */
  parkedMessages(organizationId: string | null): number {
    return this.delivery.parked(organizationId);
  }

  laneOf(shard: number): FlushLane {
    return this.lanes[shard % this.lanes.length]!;
  }

  intend({ writes: { effects, settled } }: Draft, grant: ShardGrant): void {
    for (const effect of effects) if (!settled.includes(effect.id)) this.effects.intend(effect, grant);
  }

  startOutputs(draft: Draft, grant: ShardGrant): void {
    if (draft.isEmpty) return;
    // The shard has been lost since the commit: its next owner keeps the commit's promises.
    if (this.shards.epochOf(grant.shard) !== grant.epoch) return;
    const { effects, settled, messages, alarms, cleared } = draft.writes;
    for (const birth of draft.births) this.actors.born(birth, grant, this.clock.monotonic());
    for (const id of settled) this.effects.abort(id);
    for (const id of draft.interrupts) this.effects.abort(id);
    for (const key of cleared) this.alarms.clear(key);
    for (const alarm of alarms) this.alarms.set(alarm);
    for (const message of messages) this.takeUp.send(message, grant);
    for (const effect of effects) if (!settled.includes(effect.id)) this.takeUp.start(effect, grant);
  }

  /** Runs an actor's last command before its eviction. If it fails, the volatile state is lost, as in a crash. */
  async storeVolatile(actor: LiveActor, lastCommand: { readonly kind: string }): Promise<void> {
    try {
      const { ref, epoch } = actor;
      const outcome = await this.run([{ ref, command: lastCommand }], { epoch });
      if (outcome.ok) this.actors.evict(actor);
    } catch (err) {
      this.log.error({ err, actor: refKey(actor.ref) }, "an actor's last command before its eviction failed");
    }
  }

  private run(steps: readonly MemberStep[], options: DispatchOptions): Promise<Outcome<readonly unknown[]>> {
    return runGroup(this, this.peers, steps, options);
  }
}
