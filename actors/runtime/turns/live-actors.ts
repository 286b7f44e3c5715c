/**
 * The live actors and streams of this process, least recently used first. Idle actors are evicted. Their records are
 * committed, so eviction writes nothing. An actor with pending work stays, and one whose volatile state must be stored
 * first (`beforeEviction`) is evicted after that commit.
 */
import { type ActorRef, type AnyDefinition, refKey } from "../actor.ts";
import { LiveActor } from "./live-actor.ts";
import { ActorDraft, type Birth, recordKey } from "./draft.ts";
import { type OnBug, uncaught } from "../isolate.ts";
import { Replay } from "../streams/replay.ts";
import type { ShardGrant } from "../placement/placement.ts";
import type { Clock, RuntimeLog } from "../ports.ts";

/** An actor that was unused for this long is evicted. */
export const IDLE_MS = 60_000;
/** Live actors in one process; beyond this the least recently used quiet ones are evicted at once. */
export const LIVE_ACTORS = 20_000;
/** A used actor moves to the young end if its last move is this long ago; more often would only cost. */
export const MOVED_MS = IDLE_MS / 8;
/** Actors and streams that a search for idle ones examines before the event loop turns: half a millisecond. */
export const PASSIVATION_LOOKS = 256;
/** Actors that are examined to make room for a new one. This bounds the cost of a new actor in a full process. */
const EVICTION_LOOKS = 64;
/** The interval between two searches for idle actors, and between two pieces of one search. */
const PASSIVATION_MS = 10_000;
const PIECES_APART_MS = 2;

/** What eviction needs from the system. */
export interface EvictionHost {
  /** Wall clock in ms. */
  now(): number;
  /** Reports an exception in a reader's callback. */
  readonly onBug: OnBug;
  /** Dispatches the last command, and calls `evict` when it is committed. */
  store(actor: LiveActor, lastCommand: { readonly kind: string }): void;
}
const NO_EVICTIONS: EvictionHost = { now: () => 0, store: () => {}, onBug: uncaught };

/** The live actors of one kind. */
export interface ActorCensus {
  readonly live: number;
  /** Commands that wait at all of them. */
  readonly waiting: number;
  /** Commands that wait at the actor with the most. */
  readonly deepest: number;
}

export class LiveActors {
  private readonly live = new Map<string, LiveActor>();
  private readonly streams = new Map<string, { readonly shard: number; readonly replay: Replay }>();
  private readonly definitions: ReadonlyMap<string, AnyDefinition>;
  private readonly limit: number;
  private readonly host: EvictionHost;

  constructor(definitions: readonly AnyDefinition[], limit = LIVE_ACTORS, host = NO_EVICTIONS) {
    this.definitions = new Map(definitions.map((d) => [d.kind, d]));
    this.limit = limit;
    this.host = host;
  }

  get count(): number {
    return this.live.size;
  }

  /** The live actors by kind. It examines each, so call it a few times a minute at most. */
  census(): ReadonlyMap<string, ActorCensus> {
    const kinds = new Map<string, { live: number; waiting: number; deepest: number }>();
    for (const kind of this.definitions.keys()) kinds.set(kind, { live: 0, waiting: 0, deepest: 0 });
    for (const { ref, mailbox } of this.live.values()) {
      const kind = kinds.get(ref.kind)!;
      kind.live++;
      kind.waiting += mailbox.depth;
      kind.deepest = Math.max(kind.deepest, mailbox.depth);
    }
    return kinds;
  }

  definitionOf(kind: string): AnyDefinition {
    const definition = this.definitions.get(kind);
    if (definition === undefined) throw new Error(`no actor kind ${kind}`);
    return definition;
  }

  /** The live actor under this grant. One that was evicted or has an older epoch is replaced by an empty one. */
  get(ref: ActorRef, grant: ShardGrant, at: number): LiveActor {
    const key = refKey(ref);
    let actor = this.live.get(key);
    if (actor === undefined || actor.isEvicted || actor.epoch !== grant.epoch) {
      actor = new LiveActor(ref, this.definitionOf(ref.kind), grant);
      actor.live = this.streams.get(key)?.replay.mark ?? null;
      // A replacement under the same key would keep the old place, among the least recently used.
      this.live.delete(key);
      if (this.live.size >= this.limit) this.makeRoom();
      this.live.set(key, actor);
      actor.movedAt = at;
    } else if (at - actor.movedAt > MOVED_MS) {
      this.live.delete(key);
      this.live.set(key, actor);
      actor.movedAt = at;
    }
    actor.usedAt = at;
    return actor;
  }

  /** The actor if it is live. This does not count as use. */
  find(ref: ActorRef): LiveActor | null {
    return this.live.get(refKey(ref)) ?? null;
  }

  /** Like `find`, by `refKey`. */
  known(key: string): LiveActor | undefined {
    return this.live.get(key);
  }

  /** Whether the record of an actor that a group creates is in memory: then the actor was created before. */
  isThere({ ref, table, record }: Birth): boolean {
    const actor = this.find(ref);
    return actor?.isEvicted === false && (actor.get(recordKey(table, record.id)) ?? null) !== null;
  }

  /** Actors created in a group can get commands from the next one, which waits for the creation as for any change. */
  unborn(births: readonly Birth[], grant: ShardGrant, at: number): ActorDraft[] {
    return births.map(({ ref, table, record }) => {
      const draft = new ActorDraft(this.get(ref, grant, at));
      draft.put(recordKey(table, record.id), record);
      return draft;
    });
  }

  /** Adds a created actor after its commit, so that the first command and the first reader find it in memory. */
  born(birth: Birth, grant: ShardGrant, at: number): void {
    const actor = this.get(birth.ref, grant, at);
    actor.loaded(recordKey(birth.table, birth.record.id), birth.record);
    if (birth.events.length === 0) return;
    const replay = this.stream(birth.ref, grant.shard);
    for (const event of birth.events) replay.publish(event);
    replay.wake();
  }

  stream(ref: ActorRef, shard: number): Replay {
    const key = refKey(ref);
    let entry = this.streams.get(key);
    if (entry === undefined) {
      entry = { shard, replay: new Replay(this.host.onBug) };
      this.streams.set(key, entry);
    }
    return entry.replay;
  }

  /** The stream of an actor. Cached at the actor, because every piece of text goes through here. */
  streamOf(actor: LiveActor): Replay {
    if (actor.replay === null || actor.replay.isDropped) actor.replay = this.stream(actor.ref, actor.shard);
    return actor.replay;
  }

  private dropStream(key: string): void {
    const entry = this.streams.get(key);
    if (entry !== undefined) entry.replay.isDropped = true;
    this.streams.delete(key);
  }

  /** Evicts all actors of these shards and sends their readers to the database. */
  drop(shards: ReadonlySet<number>): void {
    for (const [key, actor] of this.live) {
      if (!shards.has(actor.shard)) continue;
      actor.isEvicted = true;
      this.live.delete(key);
    }
    for (const { shard, replay } of this.streams.values()) if (shards.has(shard)) replay.invalidate();
  }

  /** Ends the readers of these shards: they must go to the new owner. */
  endReaders(shards: ReadonlySet<number>): void {
    for (const [key, { shard, replay }] of this.streams) {
      if (!shards.has(shard)) continue;
      this.streams.delete(key);
      replay.lose();
    }
  }

  /** Evicts idle actors; returns how many. */
  passivate(at: number): number {
    const passes = this.passivating(at);
    for (;;) {
      const { done, value } = passes.next();
      if (done === true) return value;
    }
  }

  /**
   * Like `passivate`, in pieces between which the event loop may turn: each examines `PASSIVATION_LOOKS` actors or
   * streams at most. It stops at the first actor that moved lately, because those after it moved later.
   */
  *passivating(at: number): Generator<undefined, number, undefined> {
    let dropped = 0;
    let looked = 0;
    for (const [key, actor] of this.live) {
      if (at - actor.movedAt <= IDLE_MS) break;
      if (looked++ % PASSIVATION_LOOKS === PASSIVATION_LOOKS - 1) yield;
      // Another actor may have its place by now.
      if (this.live.get(key) !== actor) continue;
      // A kept reply does not update `usedAt`.
      if (at - actor.usedAt <= IDLE_MS + (actor.kept === null ? 0 : MOVED_MS)) continue;
      if (this.tryEvict(key, actor) === "evicted") dropped++;
    }
    for (const [key, { replay }] of this.streams) {
      if (looked++ % PASSIVATION_LOOKS === PASSIVATION_LOOKS - 1) yield;
      if (this.streams.get(key)?.replay !== replay) continue;
      if (!this.live.has(key) && replay.readers === 0) this.dropStream(key);
    }
    return dropped;
  }

  private makeRoom(): void {
    let looked = 0;
    let storing = 0;
    for (const [key, actor] of this.live) {
      if (this.live.size - storing < this.limit || ++looked > EVICTION_LOOKS) return;
      const end = this.tryEvict(key, actor);
      if (end === "evicted") continue;
      if (end === "storing") storing++;
      // It must stay; at the young end it does not delay the next searches.
      this.live.delete(key);
      this.live.set(key, actor);
    }
  }

  /** Evicts an actor whose last command is committed, unless it is in use again. */
  evict(actor: LiveActor): void {
    const key = refKey(actor.ref);
    if (this.live.get(key) === actor && this.lastCommandOf(actor) === null) this.tryEvict(key, actor);
  }

  /** The actors whose volatile state must be stored before the process ends. */
  lastCommands(): { readonly actor: LiveActor; readonly lastCommand: { readonly kind: string } }[] {
    return [...this.live.values()].flatMap((actor) => {
      const lastCommand = this.lastCommandOf(actor);
      return lastCommand === null ? [] : [{ actor, lastCommand }];
    });
  }

  private tryEvict(key: string, actor: LiveActor): "evicted" | "storing" | "kept" {
    if (!actor.isQuiet) return "kept";
    const stream = this.streams.get(key);
    if (stream !== undefined && (stream.replay.readers > 0 || stream.replay.hasLiveText)) return "kept";
    const lastCommand = this.lastCommandOf(actor);
    if (lastCommand !== null) {
      this.host.store(actor, lastCommand);
      return "storing";
    }
    actor.isEvicted = true;
    this.live.delete(key);
    this.dropStream(key);
    return "evicted";
  }

  private lastCommandOf(actor: LiveActor): { readonly kind: string } | null {
    return actor.isEvicted ? null : (actor.definition.beforeEviction?.(actor.volatile, this.host.now()) ?? null);
  }
}

/** Evicts idle actors periodically. The search is done in pieces, so that it delays nobody. */
export class Passivation {
  private readonly actors: Pick<LiveActors, "passivating" | "count">;
  private readonly clock: Pick<Clock, "monotonic" | "after">;
  private readonly log: Pick<RuntimeLog, "debug">;
  private cancel: () => void = () => {};

  constructor(
    parts: { readonly clock: Pick<Clock, "monotonic" | "after">; readonly log: RuntimeLog },
    actors: LiveActors,
  ) {
    this.clock = parts.clock;
    this.log = parts.log;
    this.actors = actors;
  }

  start(): void {
    this.cancel = this.clock.after(PASSIVATION_MS, () => this.goOn(this.actors.passivating(this.clock.monotonic())));
  }

  stop(): void {
    this.cancel();
  }

  private goOn(pieces: Generator<undefined, number, undefined>): void {
    const { done, value: dropped } = pieces.next();
    if (done !== true) {
      this.cancel = this.clock.after(PIECES_APART_MS, () => this.goOn(pieces));
      return;
    }
    if (dropped > 0) this.log.debug({ dropped, live: this.actors.count }, "idle actors were evicted");
    this.start();
  }
}
