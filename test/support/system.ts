/** Systems of actors that a test chooses, over a store of its choice: quiet, unless it says who listens. */
import type { Protocols } from "../../actors/runtime/actor.ts";
import type { EffectHandlers } from "../../actors/runtime/effects.ts";
import { System } from "../../actors/runtime/system.ts";
import type { SystemParts } from "../../actors/runtime/system-parts.ts";
import type { Database } from "../../db/client.ts";
import { PostgresPlacement } from "../../db/placement.ts";
import { PostgresActorStore } from "../../db/stores/actor-store.ts";
import { systemChance, systemClock } from "../../src/wiring/clock.ts";

type Given<K extends keyof SystemParts> = Pick<SystemParts, K> & Partial<SystemParts>;

const QUIET = { debug: () => {}, warn: () => {}, error: () => {} };

/** Not started, and without handlers of effects. */
export const bareSystem = <P extends Protocols>(
  parts: Given<"definitions" | "store" | "placement" | "clock">,
): System<P> => new System<P>({ chance: systemChance, log: QUIET, onLost: () => {}, ...parts });

/** A started system on PostgreSQL, the only replica there. Its handlers have it before it starts. */
export async function startPostgresSystem<P extends Protocols>(
  database: Database,
  {
    id,
    handlers,
    ...parts
  }: Given<"definitions"> & {
    readonly id: string;
    readonly handlers?: (system: System<P>) => EffectHandlers;
  },
): Promise<System<P>> {
  const placement = new PostgresPlacement(database, { id, address: "", build: "", folder: null });
  await placement.join();
  const system = bareSystem<P>({ store: new PostgresActorStore(database), placement, clock: systemClock, ...parts });
  system.handle(handlers?.(system) ?? {});
  await system.start();
  return system;
}
