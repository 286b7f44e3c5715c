/** What live actors hold: with nothing pending it must be what the tables have. */
import type { Cell } from "../../actors/runtime/cell.ts";
import { recordKey } from "../../actors/runtime/draft.ts";
import type { MemoryDatabase } from "../support/memory-database.ts";
import type { SimulatedReplica } from "./simulated-replica.ts";
import { must } from "./violation.ts";

/** The live cells, which the runtime shows nobody. */
const liveCells = ({ cells }: SimulatedReplica["system"]): readonly Cell[] => {
  const { live } = cells as unknown as { readonly live: ReadonlyMap<string, Cell> };
  return [...live.values()];
};

/** Pairs that have been compared: records are never changed in place. */
const same = new WeakMap<object, object>();

/** Compares each actor's own record with its row, as long as the replica owns the shard at the cell's epoch. */
export function checkLiveRecords({ system, line }: SimulatedReplica, database: MemoryDatabase): void {
  for (const cell of liveCells(system)) {
    const shard = database.shards[cell.shard];
    if (cell.dead || cell.lastPending !== null || shard?.owner !== line.name || shard.epoch !== cell.epoch) continue;
    const { organizationId, id } = cell.ref;
    const table = cell.definition.stream?.name ?? "";
    const held = cell.get(recordKey(table, id));
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
