/** A system of actors that a test chooses, on PostgreSQL. */
import type { Protocols } from "../../actors/runtime/actor.ts";
import type { EffectHandlers } from "../../actors/runtime/outputs/effects.ts";
import type { System } from "../../actors/runtime/system.ts";
import type { Database } from "../../db/client.ts";
import { PostgresPlacement } from "../../db/placement.ts";
import { PostgresActorStore } from "../../db/stores/actor-store.ts";
import { systemChance, systemClock } from "../../src/wiring/clock.ts";
import { bareSystem, type GivenParts } from "./bare-system.ts";

interface PostgresParts<P extends Protocols> extends GivenParts<"definitions"> {
  readonly id: string;
  /** Omitted: its actors have no effects. */
  readonly handlers?: (system: System<P>) => EffectHandlers;
}

/** Starts the only replica on this database. */
export async function startPostgresSystem<P extends Protocols>(
  database: Database,
  { id, handlers, ...parts }: PostgresParts<P>,
): Promise<System<P>> {
  const placement = new PostgresPlacement(database, { id, address: "", build: "", folder: null });
  await placement.join();
  const store = new PostgresActorStore(database);
  const system = bareSystem<P>({ store, placement, clock: systemClock, chance: systemChance, ...parts });
  system.handle(handlers?.(system) ?? {});
  await system.start();
  return system;
}
