/** What live actors hold: with nothing pending it must be what the tables have. */
import type { LiveActor } from "../../actors/runtime/turns/live-actor.ts";
import { recordKey } from "../../actors/runtime/turns/draft.ts";
import type { MemoryDatabase } from "../support/memory-database.ts";
import type { SimulatedReplica } from "./simulated-replica.ts";
import { must } from "./violation.ts";

/** The live actors, which the runtime shows nobody. */
const liveActors = ({ actors }: SimulatedReplica["system"]): readonly LiveActor[] => {
  const { live } = actors as unknown as { readonly live: ReadonlyMap<string, LiveActor> };
  return [...live.values()];
};

/** Pairs that have been compared: records are never changed in place. */
const same = new WeakMap<object, object>();

/** Compares each actor's own record with its row, as long as the replica owns the shard at the actor's epoch. */
export function checkLiveRecords({ system, line }: SimulatedReplica, database: MemoryDatabase): void {
  for (const actor of liveActors(system)) {
    const shard = database.shards[actor.shard];
    if (actor.isEvicted || actor.lastPending !== null || shard?.owner !== line.name || shard.epoch !== actor.epoch)
      continue;
    const { organizationId, id } = actor.ref;
    const table = actor.definition.stream?.name ?? "";
    const held = actor.get(recordKey(table, id));
    if (held === undefined) continue;
    const stored = database.record(table, organizationId, id);
    if (held !== null && stored !== null && same.get(held) === stored) continue;
    const [inMemory, inTable] = [JSON.stringify(held), JSON.stringify(stored)];
    must(
      inMemory === inTable,
      "memory",
      () => `${organizationId}/${id} at ${line.name}: ${inMemory}, stored is ${inTable}`,
    );
    if (held !== null && stored !== null) same.set(held, stored);
  }
}
