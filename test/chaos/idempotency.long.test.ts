/** Requests under an idempotency key whose process is killed at every commit in turn: each is done once. */
import { expect, test } from "bun:test";
import postgres from "postgres";
import { answered, COMMITS, countOf, FLUSH, operations } from "../support/broken-commits.ts";
import { guardedFolder } from "../support/guarded-folder.ts";
import { keyed } from "../support/keyed.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { PostgresProxy } from "../support/postgres-proxy.ts";
import { startTroupe, type TroupeProcess } from "../support/troupe-process.ts";

/** A killed process, then a new one: each is a start of the whole service. */
test("[IDEM-3] [IDEM-4] kill -9 of the service at each commit of an execution, then the request again: one job", async () => {
  const folder = guardedFolder();
  const testDatabase = await createTestDatabase();
  const inFront = await PostgresProxy.open(testDatabase.url);
  const sql = postgres(testDatabase.url, { max: 1 });
  try {
    const env = { DATABASE_URL: inFront.urlOf(testDatabase.url) };
    let process: TroupeProcess = await startTroupe(folder, { env });
    const { personal: token, agentId } = process.firstRun();
    const { execute } = operations(
      () => agentId,
      () => "",
    );
    let kills = 0;
    for (const fault of ["request_lost", "reply_swallowed"] as const) {
      for (let commit = 0; commit < COMMITS; commit++) {
        const marker = `${fault} ${commit}`;
        const ask = () => keyed(process, { token }, marker, execute!.request(marker));
        const struck = inFront.strike(FLUSH, fault, commit);
        const first = ask().catch(() => null);
        const met = await Promise.race([struck.then(() => true), first.then(() => false)]);
        if (!met) inFront.forgive();
        else {
          kills++;
          await process.end("SIGKILL");
          // Its lease would run out by itself, some seconds later.
          await sql`update replica set lease_until = now()`;
          process = await startTroupe(folder, { env });
        }
        const second = await answered(ask);
        expect(second).toMatchObject({ status: 200 });
        expect((await ask()).text).toBe(second.text);
        expect(await countOf(sql, execute!.effect, marker)).toBe(1);
        if (!met) break;
      }
    }
    expect(kills).toBeGreaterThan(4);
    await process.end();
  } finally {
    await sql.end();
    await inFront.close();
    await testDatabase.drop();
    await folder.remove();
  }
}, 300_000);
