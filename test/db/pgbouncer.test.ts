/** A pooler between the service and PostgreSQL is refused at the start, whichever way it shares sessions. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import postgres from "postgres";
import { checkSessions, SessionsShared } from "../../db/sessions.ts";
import { type GuardedFolder, guardedFolder } from "../support/guarded-folder.ts";
import { PGBOUNCER, type PgbouncerSettings, startPgbouncer } from "../support/pgbouncer.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { TroupeProcess } from "../support/troupe-process.ts";

/** What a session of the service sets. */
const OURS = "statement_timeout, lock_timeout, idle_in_transaction_session_timeout, tcp_user_timeout, jit";

let database: TestDatabase;
let folder: GuardedFolder;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = guardedFolder();
});
afterAll(async () => {
  await folder.remove();
  await database.drop();
});

test("[PG-4] a connection to PostgreSQL itself is its own session", async () => {
  await checkSessions(database.url);
});

const POOLERS: readonly (readonly [name: string, settings: PgbouncerSettings, said: string])[] = [
  ["as it comes", { pool_mode: "transaction" }, "unsupported startup parameter"],
  [
    "that drops settings",
    { pool_mode: "transaction", ignore_startup_parameters: OURS },
    "statement_timeout does not arrive",
  ],
  [
    "that drops settings, in session mode",
    { pool_mode: "session", ignore_startup_parameters: OURS },
    "statement_timeout does not arrive",
  ],
];

for (const [name, settings, said] of POOLERS) {
  test.skipIf(PGBOUNCER === null)(`[PG-4] pgbouncer ${name} is refused`, async () => {
    const url = await startPgbouncer(folder, database.url, settings);
    const refused = await checkSessions(url).catch((cause: unknown) => cause);
    expect(refused).toBeInstanceOf(SessionsShared);
    expect(String(refused)).toContain(said);
    expect(String(refused)).toContain("Connect to PostgreSQL itself");
  });
}

test.skipIf(PGBOUNCER === null)(
  "[PG-4] transaction mode is detected even if the settings are those of the database",
  async () => {
    const url = await startPgbouncer(folder, database.url, {
      pool_mode: "transaction",
      ignore_startup_parameters: OURS,
    });
    const name = new URL(database.url).pathname.slice(1);
    const direct = postgres(database.url, { max: 1, onnotice: () => {} });
    await direct.unsafe(`alter database ${name} set statement_timeout = '10s'`);
    await expect(checkSessions(url)).rejects.toThrow("a session changed between two transactions");
    await direct.unsafe(`alter database ${name} reset statement_timeout`);
    await direct.end();
  },
);

test.skipIf(PGBOUNCER === null)("[PG-4] a start through pgbouncer fails with advice, and changes nothing", async () => {
  const url = await startPgbouncer(folder, database.url, { pool_mode: "transaction" });
  const service = new TroupeProcess(folder, { env: { DATABASE_URL: url } });
  expect(await service.ended()).toBe(69);
  expect(service.output + service.complaint).toContain("Connect to PostgreSQL itself");
});
