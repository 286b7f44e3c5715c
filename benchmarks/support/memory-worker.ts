/**
 * An actor system in its own process, to measure memory: it reports the size of its heap after it has loaded or evicted
 * many actors, and the cost of an append then.
 *
 *   bun memory-worker.ts <url of the database> <actors that may live>
 */
import { heapStats } from "bun:jsc";
import { newId } from "../../actors/ids.ts";
import { openDatabase } from "../../db/client.ts";
import { ledgerActor, type LedgerCommand, type LedgerProtocols, ledgerRef } from "../../test/support/ledger-actor.ts";
import { startPostgresSystem } from "../../test/support/postgres-system.ts";
import { callInLoops } from "./callers.ts";
import { serveWorker } from "./worker.ts";

export type MemoryQuestion =
  | { readonly kind: "heap" }
  /** Reads the actors with these numbers, so that they are loaded. */
  | { readonly kind: "load"; readonly from: number; readonly to: number }
  /** Evicts the actors that would be evicted after a minute without a command. */
  | { readonly kind: "passivate" }
  | { readonly kind: "append"; readonly actors: number; readonly seconds: number };

export interface MemoryAnswer {
  readonly heapBytes: number;
  readonly liveActors: number;
  /** CPU of the process in µs for each append. */
  readonly cpuUs: number;
}

/** All actors are in one organization, as for one large customer. */
export const ORGANIZATION = "org_memory";
const LOADS_AT_ONCE = 500;
const CALLERS = 10;
const TWO_MINUTES_MS = 120_000;

const [url = "", liveActors = ""] = process.argv.slice(2);
const database = openDatabase(url);
const log = {
  debug: () => {},
  warn: () => {},
  error: (fields: object, message: string) => console.error(message, fields),
};
const system = await startPostgresSystem<LedgerProtocols>(database, {
  id: newId("rpl"),
  definitions: [ledgerActor()],
  log,
  onLost: (reason) => log.error({}, reason),
  liveActors: Number(liveActors),
});

async function ask(actor: number, command: LedgerCommand): Promise<void> {
  const outcome = await system.dispatch(ledgerRef(ORGANIZATION, `ledger-${actor}`), command);
  if (!outcome.ok) throw new Error(`refused: ${outcome.fault.kind}`);
}

function heapBytes(): number {
  for (let i = 0; i < 3; i++) Bun.gc(true);
  const { heapSize, extraMemorySize } = heapStats();
  return heapSize + extraMemorySize;
}

async function handle(question: MemoryQuestion): Promise<number> {
  switch (question.kind) {
    case "heap":
      return 0;
    case "load": {
      const { from, to } = question;
      for (let first = from; first < to; first += LOADS_AT_ONCE) {
        const last = Math.min(to, first + LOADS_AT_ONCE);
        await Promise.all(Array.from({ length: last - first }, (_, i) => ask(first + i, { kind: "read" })));
      }
      return 0;
    }
    case "passivate":
      system.actors.passivate(performance.now() + TWO_MINUTES_MS);
      return 0;
    case "append": {
      const load = { callers: CALLERS, keys: question.actors, seconds: question.seconds };
      return (await callInLoops(load, (key) => ask(key, { kind: "add", by: 1 }))).cpuUs;
    }
  }
}

serveWorker<MemoryQuestion, MemoryAnswer>(
  async (question) => {
    const cpuUs = await handle(question);
    return { heapBytes: question.kind === "append" ? 0 : heapBytes(), liveActors: system.actors.count, cpuUs };
  },
  async () => {
    await system.stop();
    await database.close();
  },
);
