/**
 * A successor of a replica that died, as a process of its own, so that its memory is that of the take-up and of
 * nothing else: `bun take-up-child.ts URL ORGANIZATION EFFECTS`. Prints one line of JSON when everything is taken up.
 */
import { openDatabase } from "../../db/client.ts";
import { ledgerActor, type LedgerProtocols, ledgerRef } from "./ledger-actor.ts";
import { erased } from "./replica.ts";
import { startPostgresSystem } from "./postgres-system.ts";
import { eventually } from "./troupe-process.ts";

/** What the parent is told; times are wall-clock ms. */
export interface TakeUpReport {
  readonly servedAt: number;
  /** Effects that were not yet taken up then. */
  readonly leftThen: number;
  readonly doneAt: number;
  readonly recovered: number;
  /** The most resident memory since the start of the system, above that at the start, in bytes. */
  readonly addedBytes: number;
}

const [url = "", organizationId = "", effects = ""] = process.argv.slice(2);
const database = openDatabase(url);
let recovered = 0;
const before = process.memoryUsage.rss();
let most = before;
const system = await startPostgresSystem<LedgerProtocols>(database, {
  id: "successor",
  definitions: [erased(ledgerActor())],
  handlers: () => ({ count: { run: () => Promise.resolve(), recover: async () => void recovered++ } }),
});
const isServed = async (): Promise<boolean> =>
  (await system.dispatch(ledgerRef(organizationId, "new"), { kind: "add", by: 1 })).ok;
await eventually("the shard is served", isServed);
const servedAt = Date.now();
const leftThen = Number(effects) - recovered;
const isTakenUp = async (): Promise<boolean> => {
  most = Math.max(most, process.memoryUsage.rss());
  const [row] = await database.read<{ left: boolean }[]>`
    select exists (select from actor_message) as left`;
  return row?.left === false && recovered >= Number(effects);
};
await eventually("everything is taken up", isTakenUp, 300_000);
const report: TakeUpReport = { servedAt, leftThen, doneAt: Date.now(), recovered, addedBytes: most - before };
console.log(JSON.stringify(report));
await system.stop();
await database.close();
