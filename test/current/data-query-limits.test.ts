/** What a query may cost, and what SQLite files answer (WSP-4). */
import { Database } from "bun:sqlite";
import { beforeAll, describe, expect, test } from "bun:test";
import { ok } from "../../actors/fault.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { dataQueries } from "../../src/wiring/data-queries.ts";
import { answered, type Json, refused } from "../support/current.ts";
import { HOSTILE_SQLITE } from "../support/hostile-queries.ts";
import { sceneOfFile } from "../support/scene.ts";

let workspace: string;

const { service, owner, client } = sceneOfFile();
beforeAll(async () => {
  workspace = `/api/workspaces/${owner.workspaceId}`;
  await put("data/app.db", sqliteFile());
  await put("broken.db", "SQLite format 3\0 and then nothing of the kind".repeat(100));
  await put("t.csv", "a\n1\n");
});

async function put(path: string, body: string | Uint8Array<ArrayBuffer>): Promise<void> {
  const answer = await client.putFile(owner.workspaceId, path, body);
  if (!answer.ok) throw new Error(await answer.text());
}

/** In WAL mode, as applications leave theirs. */
function sqliteFile(): Uint8Array<ArrayBuffer> {
  const database = new Database(":memory:");
  database.run("CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, photo BLOB)");
  database.run("CREATE TABLE pragma (a)");
  database.run("INSERT INTO people VALUES (1, 'Ann', x'00ff'), (9007199254740993, 'Bob', NULL)");
  const bytes = Uint8Array.from(database.serialize());
  // The versions of the format to write and to read: 2 is WAL.
  bytes.set([2, 2], 18);
  return bytes;
}

const send = (body: object): Promise<Response> => client.call("POST", `${workspace}/data-blocks/query`, body);
const inSqlite = (query: string, more: object = {}): Promise<Response> =>
  send({ query, database: "data/app.db", ...more });

test("[WSP-4] a query ends after its total time, also while it waits, and the error differs from that of the CPU time", async () => {
  let wasAborted = false;
  const run: Sandbox["run"] = ({ signal }) =>
    new Promise((resolve) => {
      signal?.addEventListener("abort", () => {
        wasAborted = true;
        resolve({ ok: false, error: "aborted", words: "" });
      });
    });
  const parts = { sandbox: { run }, system: { dispatch: async () => ok({}) }, contents: {} };
  const { organizationId, workspaceId } = owner;
  const asked = { organizationId, workspaceId, query: "FROM 't.csv'", params: [], database: null };
  const outcome = dataQueries(parts as never, 50).run({ ...asked, format: "json", limit: 1, maxBytes: 1 } as never);
  expect(await outcome).toEqual({
    ok: false,
    fault: { kind: "timeout", message: expect.stringContaining("not answered within 0.05 s") },
  });
  expect(wasAborted).toBe(true);
});

describe("SQLite", () => {
  test("[WSP-4] a query reads the tables of the file that `database` names", async () => {
    expect(await answered<Json>(inSqlite("SELECT * FROM people ORDER BY id;"))).toEqual({
      columns: [
        { name: "id", type: "INTEGER" },
        { name: "name", type: "TEXT" },
        { name: "photo", type: "BLOB" },
      ],
      rows: [
        [1, "Ann", "AP8="],
        ["9007199254740993", "Bob", null],
      ],
      row_count: 2,
      truncated: false,
      duration_ms: expect.any(Number),
    });
    expect(await (await inSqlite("SELECT name FROM people LIMIT 1", { format: "csv" })).text()).toBe("name\r\nAnn\r\n");
    expect(await answered<Json>(inSqlite("SELECT id, id, 1.5 FROM people LIMIT 1"))).toMatchObject({
      rows: [[1, 1, 1.5]],
    });
    expect(await answered<Json>(inSqlite("VALUES (1), (2)", { limit: 1 }))).toMatchObject({
      rows: [[1]],
      truncated: true,
    });
  });

  test("[WSP-4] parameters are bound by position or by name", async () => {
    const byPlace = inSqlite("SELECT id FROM people WHERE name = ? AND id = ?", { params: ["Ann", 1] });
    expect((await answered<Json>(byPlace))["rows"]).toEqual([[1]]);
    const byName = inSqlite("SELECT id FROM people WHERE name = $name OR name = :other", {
      params: { name: "Ann", other: "x' OR 1=1 --" },
    });
    expect((await answered<Json>(byName))["rows"]).toEqual([[1]]);
    for (const params of [[], [1, 2], { nope: 1 }])
      await refused(inSqlite("SELECT $a", { params }), 400, "invalid_request");
  });

  test(`[WSP-4] ${HOSTILE_SQLITE.length} hostile queries are refused`, async () => {
    for (const query of HOSTILE_SQLITE) {
      const { status, code } = (await (await inSqlite(query)).json()) as { status: number; code: string };
      expect([query, status, ["read_only_violation", "invalid_request"].includes(code)]).toEqual([query, 400, true]);
    }
    expect((await answered<Json>(inSqlite("SELECT count(*) FROM people")))["rows"]).toEqual([[2]]);
  });

  test("[WSP-4] a file that is not a database is refused, and so is a missing one", async () => {
    for (const database of ["broken.db", "t.csv", "missing.db", "data"])
      await refused(send({ query: "SELECT * FROM sqlite_master", database }), 400, "invalid_request");
    await refused(send({ query: "SELECT 1", database: "../app.db" }), 400, "invalid_path");
    await refused(send({ query: "FROM 'data/app.db'" }), 400, "read_only_violation");
  });
});

describe("limits", () => {
  test("[WSP-4] a query needs the scope to read workspaces, and changes nothing", async () => {
    const narrow = await service.tokenFor(owner, { kind: "service", scopes: ["jobs:read"] });
    const body = { query: "SELECT 1" };
    await refused(service.call(narrow, "POST", `${workspace}/data-blocks/query`, body), 403, "insufficient_scope");
    await refused(service.call(null, "POST", `${workspace}/data-blocks/query`, body), 401, "unauthenticated");
    await refused(client.call("POST", "/api/workspaces/wsp_missing/data-blocks/query", body), 404, "not_found");
  });
});
