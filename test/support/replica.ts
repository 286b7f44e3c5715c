/**
 * A replica of the runtime over the model in memory: a `System` with its store, its placement and
 * its log in a test's hands. Several may share one world, as processes share one PostgreSQL.
 */
import type { ActorDefinition, AnyDefinition, Protocol, Protocols } from "../../actors/runtime/actor.ts";
import type { EffectHandlers } from "../../actors/runtime/outputs/effects.ts";
import type { Peers } from "../../actors/runtime/placement/placement.ts";
import type { Tracing } from "../../actors/runtime/tracing.ts";
import type { WriteGuard } from "../../actors/runtime/turns/write-admission.ts";
import type { System } from "../../actors/runtime/system.ts";
import { FakeClock, seededChance } from "./fake-clock.ts";
import { MemoryDatabase } from "./memory-database.ts";
import { MemoryPlacement } from "./memory-placement.ts";
import { MemoryActorStore } from "./memory-store.ts";
import { bareSystem } from "./bare-system.ts";

const THIEF = "thief";

/** What several replicas share: one clock and one database. */
export class World {
  readonly clock = new FakeClock();
  readonly database = new MemoryDatabase(this.clock);
  readonly seed: number;
  private replicas = 0;

  constructor(seed = 1) {
    this.seed = seed;
  }

  /** The next replica's name and chance: no two draw the same ids. */
  next(): { readonly id: string; readonly seed: number } {
    const count = ++this.replicas;
    return { id: `r${count}`, seed: this.seed * 1_000 + count };
  }

  /** A row of another replica, without a process behind it, takes the shard. */
  steal(shard: number): void {
    const row = this.database.shards[shard]!;
    Object.assign(row, { owner: THIEF, epoch: row.epoch + 1 });
    this.database.replicas.set(THIEF, { leaseUntil: Infinity, dead: false });
  }

  /** What was stolen is free. */
  giveBack(): void {
    this.database.replicas.get(THIEF)!.dead = true;
  }
}

export interface LogLine {
  readonly level: "debug" | "warn" | "error";
  readonly message: string;
  readonly fields: object;
}

export interface ReplicaOptions {
  readonly definitions: readonly AnyDefinition[];
  /** Omitted: the test gives the system its handlers, or has no effects. */
  readonly effects?: EffectHandlers;
  readonly lanes?: number;
  readonly liveActors?: number;
  readonly peers?: Peers;
  readonly guard?: WriteGuard;
  readonly tracing?: Tracing;
}

export class Replica<P extends Protocols> {
  readonly world: World;
  readonly store: MemoryActorStore;
  readonly placement: MemoryPlacement;
  readonly system: System<P>;
  readonly log: LogLine[] = [];
  /** Why this replica was told to end. */
  readonly lost: string[] = [];

  constructor(world: World, { definitions, effects, ...rest }: ReplicaOptions) {
    const { id, seed } = world.next();
    this.world = world;
    this.store = new MemoryActorStore(world.database);
    this.placement = new MemoryPlacement(world.database, id);
    this.placement.join();
    const at = (level: LogLine["level"]) => (fields: object, message: string) =>
      void this.log.push({ level, message, fields });
    this.system = bareSystem<P>({
      ...rest,
      definitions,
      store: this.store,
      placement: this.placement,
      clock: world.clock,
      chance: seededChance(seed),
      log: { debug: at("debug"), warn: at("warn"), error: at("error") },
      onLost: (reason) => void this.lost.push(reason),
    });
    if (effects !== undefined) this.system.handle(effects);
  }

  get errors(): readonly string[] {
    return this.log.filter((line) => line.level === "error").map((line) => line.message);
  }

  /** Nothing of it reaches the database any more, as after kill -9; its shards are free at once. */
  crash(): void {
    this.store.isCut = true;
    this.placement.isCut = true;
    const row = this.world.database.replicas.get(this.placement.id);
    if (row !== undefined) row.dead = true;
  }
}

/** A definition as the system keeps it. */
export const erased = <P extends Protocol>(definition: ActorDefinition<P>): AnyDefinition => definition;

/** A world of its own, and the replica that `start` starts in it. */
export async function inWorld<R>(start: (world: World) => Promise<R>): Promise<{ world: World; replica: R }> {
  const world = new World();
  return { world, replica: await start(world) };
}
