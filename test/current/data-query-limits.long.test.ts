/** Queries that compute for ever or take all memory, in more ways than `data-query-limits.test.ts` has time for (WSP-4). */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { answered, type Json, refused } from "../support/current.ts";
import { sceneOfFile } from "../support/scene.ts";

const { service, owner, client } = sceneOfFile();

const send = (body: object) => client.call("POST", `/api/workspaces/${owner.workspaceId}/data-blocks/query`, body);

for (const [what, query] of [
  ["a slow expression", "SELECT count(*) FROM range(1000000000) t(i) WHERE sha256(i::VARCHAR) = 'x'"],
  ["a product of ranges", "SELECT count(*) FROM range(1000000) a, range(100000000) b"],
] as const)
  test(`[WSP-4] ${what} ends after its time, and the next query is answered`, async () => {
    await refused(send({ query }), 504, "timeout");
    expect((await answered<Json>(send({ query: "SELECT 1" })))["rows"]).toEqual([[1]]);
  });

// reason: elsewhere nothing limits the memory of a child.
test.skipIf(Bun.which("prlimit") === null)(
  "[WSP-4] bombs of memory are refused, and the next query is answered",
  async () => {
    for (const query of [
      "SELECT length(repeat('x', 1000000000))",
      "SELECT length(string_agg(repeat('x', 1000), '')) FROM range(10000000)",
      "SELECT list(i) FROM range(1000000000) t(i)",
      "SELECT list(repeat('x', i::INTEGER)) FROM range(1000000) t(i)",
      "SELECT count(*) FROM (SELECT DISTINCT i, repeat('x', 200) || i FROM range(100000000) t(i))",
      "SELECT * FROM range(100000000) t(i) ORDER BY hash(i)",
    ]) {
      const { status, code } = (await (await send({ query })).json()) as { status: number; code: string };
      // On a machine that is slow the time may be over first.
      expect([query, code === "timeout" ? 400 : status]).toEqual([query, 400]);
    }
    expect((await answered<Json>(send({ query: "SELECT 1" })))["rows"]).toEqual([[1]]);
  },
);

test("[WSP-4] a query of SQLite without an end ends after its time", async () => {
  const database = new Database(":memory:");
  database.run("CREATE TABLE one (a)");
  const stored = await client.putFile(owner.workspaceId, "one.db", Uint8Array.from(database.serialize()));
  expect(stored.status).toBe(201);
  const inSqlite = (query: string) => send({ query, database: "one.db" });
  const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
  await refused(inSqlite(endless), 504, "timeout");
  expect((await answered<Json>(inSqlite("SELECT 1")))["rows"]).toEqual([[1]]);
});

test("[WSP-4] a recursive bomb ends after its time, and delays no other organization", async () => {
  const other = await service.found("Other");
  const bomb = "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
  const endless = send({ query: bomb });
  const path = `/api/workspaces/${other.workspaceId}/data-blocks/query`;
  const answer = await answered<Json>(service.call(other, "POST", path, { query: "SELECT 42" }));
  expect(answer["rows"]).toEqual([[42]]);
  await refused(endless, 504, "timeout");
  expect((await answered<Json>(send({ query: "SELECT 1" })))["rows"]).toEqual([[1]]);
});
