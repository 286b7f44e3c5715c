/**
 * Durable turns in their own process, from callers in the same process. Two contestants on the same tables, storing the
 * same rows for each turn, an event and the state after it:
 *
 *   group        the actor system: turns in memory, group commit
 *   transaction  no state in memory: each turn is one prepared statement, which reads, changes,
 *                appends and commits in one round trip, on as many connections as help
 *
 *   bun turns-worker.ts <contestant> <url of the database>
 */
import postgres from "postgres";
import { newId } from "../../actors/ids.ts";
import { openDatabase } from "../../db/client.ts";
import { ledgerActor, type LedgerProtocols, ledgerRef } from "../../test/support/ledger-actor.ts";
import { startPostgresSystem } from "../../test/support/postgres-system.ts";
import { callInLoops, type Load, type Measured } from "./callers.ts";
import { serveWorker } from "./worker.ts";

export interface TurnsRun extends Measured {
  /** SQL statements for each acknowledgement. */
  readonly statements: number;
}

interface Contestant {
  turn(key: number): Promise<void>;
  /** Statements sent since the start. */
  statements(): number;
  end(): Promise<void>;
}

/** Keys are spread over this many organizations, and so over shards. */
const ORGANIZATIONS = 64;
/** More connections than this make it slower on two cores. */
const CONNECTIONS = 32;

const organizationOf = (key: number): string => `org_bench_${key % ORGANIZATIONS}`;

async function groupCommit(url: string): Promise<Contestant> {
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
  });
  return {
    async turn(key) {
      const outcome = await system.dispatch(ledgerRef(organizationOf(key), `ledger-${key}`), { kind: "add", by: 1 });
      if (!outcome.ok) throw new Error(`refused: ${outcome.fault.kind}`);
    },
    statements: () => system.lanes.reduce((sum, lane) => sum + lane.statements, 0),
    async end() {
      await system.stop();
      await database.close();
    },
  };
}

async function oneTransaction(url: string): Promise<Contestant> {
  const sql = postgres(url, { max: CONNECTIONS, onnotice: () => {} });
  let statements = 0;
  return {
    async turn(key) {
      statements++;
      const at = new Date().toISOString();
      const organizationId = organizationOf(key);
      const id = `one-${key}`;
      const first = { id, organizationId, version: 1, createdAt: at, updatedAt: at, count: 1, lastSeq: 1, note: "" };
      const rows = await sql.unsafe(ONE_TURN, [organizationId, id, JSON.stringify(first), at], { prepare: true });
      if (rows.length !== 1) throw new Error("no acknowledgement");
    },
    statements: () => statements,
    end: () => sql.end({ timeout: 5 }),
  };
}

const ONE_TURN = `
with state as (
  insert into chat (organization_id, id, version, body) values ($1, $2, 1, $3::text::jsonb)
  on conflict (organization_id, id) do update set
    version = chat.version + 1,
    body = chat.body || jsonb_build_object('version', chat.version + 1, 'updatedAt', $4::text,
      'count', (chat.body ->> 'count')::int + 1, 'lastSeq', (chat.body ->> 'lastSeq')::int + 1)
  returning body)
insert into event (organization_id, stream, seq, type, at, data)
select $1, $2, (body ->> 'lastSeq')::int, 'added', $4, '{"by":1}'::json from state
returning seq`;

const [name = "", url = ""] = process.argv.slice(2);
const contestant = await (name === "group" ? groupCommit(url) : oneTransaction(url));

serveWorker<Load, TurnsRun>(
  async (load) => {
    let before = 0;
    const measured = await callInLoops(load, contestant.turn, () => (before = contestant.statements()));
    return { ...measured, statements: (contestant.statements() - before) / measured.acknowledged };
  },
  () => contestant.end(),
);
