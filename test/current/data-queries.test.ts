/** Queries over the files of a workspace, over HTTP and in real children of the sandbox (WSP-4). */
import { beforeAll, describe, expect, test } from "bun:test";
import { tableFromIPC } from "apache-arrow";
import { answered, type Json, refused } from "../support/current.ts";
import { HOSTILE_DUCK } from "../support/hostile-queries.ts";
import { sceneOfFile } from "../support/scene.ts";

let workspace: string;

/** `SELECT 7 AS n, 'seven' AS word`, as DuckDB writes it. */
const PARQUET =
  "UEFSMRUAFRQVGCwVAhUAFQYVBgAACiQCAAAAAgEHAAAAFQAVHhUiLBUCFQAVBhUGAAAPOAIAAAACAQUAAABzZXZlbhUCGTw1ABgNZHVja2RiX3NjaGVtYRUEABUCJQIYAW4lIgAVDCUCGAR3b3JkJQAAFgIZHBksJgAcFQIZFQAZGAFuFQIWAhY2FjomCDwYBAcAAAAYBAcAAAAWACgEBwAAABgEBwAAABERAAAAJgAcFQwZFQAZGAR3b3JkFQIWAhZAFkQmQjwYBXNldmVuGAVzZXZlbhYAKAVzZXZlbhgFc2V2ZW4REQAAABZ2FgImCBZ+ACgoRHVja0RCIHZlcnNpb24gdjEuNS41IChidWlsZCBkOGNkYWEzM2ZkKRksHAAAHAAAAOQAAABQQVIx";
const SALES = "region,amount,day\nnorth,10.5,2026-01-01\nsouth,20,2026-01-02\nnorth,1,2026-02-01\n";

const { service, owner, client } = sceneOfFile();
beforeAll(async () => {
  workspace = `/api/workspaces/${owner.workspaceId}`;
  await put("reports/sales.csv", SALES);
  await put("sales.csv", SALES);
  await put("people.jsonl", '{"id":1,"name":"Ann","tags":["a"]}\n{"id":2,"name":"Bob","tags":[]}\n');
  await put("semicolons.txt", "a;b\n1;2\n");
});

async function put(path: string, body: string | Uint8Array<ArrayBuffer>): Promise<void> {
  const answer = await client.putFile(owner.workspaceId, path, body);
  if (!answer.ok) throw new Error(await answer.text());
}

const send = (body: object): Promise<Response> => client.call("POST", `${workspace}/data-blocks/query`, body);
const ask = (query: string, more: object = {}): Promise<Json> => answered<Json>(send({ query, ...more }), 200);
const rowsOf = async (query: string, more: object = {}): Promise<unknown> => (await ask(query, more))["rows"];
const errorOf = async (answer: Promise<Response>): Promise<{ status: number; code: string; message: string }> => {
  const { status, code, message } = (await (await answer).json()) as { status: number; code: string; message: string };
  return { status, code, message };
};

describe("a result", () => {
  test("[WSP-4] has the columns with their types, the rows, their number and the time", async () => {
    const result = await ask("SELECT region, sum(amount) AS total FROM 'reports/sales.csv' GROUP BY region ORDER BY 1");
    expect(result).toEqual({
      columns: [
        { name: "region", type: "VARCHAR" },
        { name: "total", type: "DOUBLE" },
      ],
      rows: [
        ["north", 11.5],
        ["south", 20],
      ],
      row_count: 2,
      truncated: false,
      duration_ms: expect.any(Number),
    });
  });

  test("[WSP-4] comes from CSV, JSON and Parquet, by the file's name or by a reader with options", async () => {
    expect(await rowsOf("SELECT name, tags FROM 'people.jsonl' ORDER BY id")).toEqual([
      ["Ann", ["a"]],
      ["Bob", []],
    ]);
    expect(await rowsOf("FROM read_csv('semicolons.txt', delim = ';')")).toEqual([[1, 2]]);
    expect(await rowsOf("SELECT count(*) FROM read_csv(['sales.csv', 'reports/sales.csv'])")).toEqual([[6]]);
    expect(await rowsOf("SELECT count(*) FROM sales.csv")).toEqual([[3]]);
    expect(await rowsOf("SELECT count(*) FROM './Reports//SALES.csv'")).toEqual([[3]]);
    await put("small.parquet", Uint8Array.from(Buffer.from(PARQUET, "base64")));
    expect(await rowsOf("SELECT * FROM 'small.parquet'")).toEqual([[7, "seven"]]);
  });

  test("[WSP-4] joins files and knows the expressions of the query", async () => {
    const query = `WITH totals AS (SELECT region, sum(amount) AS total FROM 'sales.csv' GROUP BY ALL)
      SELECT p.name, t.total FROM totals t JOIN 'people.jsonl' p ON p.id = 1 WHERE t.region = 'south'`;
    expect(await rowsOf(query)).toEqual([["Ann", 20]]);
    const recursive =
      "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 4) SELECT max(i) FROM n";
    expect(await rowsOf(recursive)).toEqual([[4]]);
  });

  test("[WSP-4] comes from every file that a workspace takes, also where its name looks like a pattern", async () => {
    for (const [name, n] of [
      ["a[1].csv", 1],
      ["a1.csv", 2],
      ["~home.csv", 3],
      ["x{1,2}.csv", 4],
      ["é/it's [new].csv", 5],
    ])
      await put(String(name), `n\n${n}\n`);
    expect(await rowsOf("SELECT 'a[1].csv é' AS é, n FROM 'a[1].csv'")).toEqual([["a[1].csv é", 1]]);
    expect(await rowsOf(`SELECT x.n, y.n FROM "a[1].csv" x, './a1.csv' y`)).toEqual([[1, 2]]);
    expect(await rowsOf("SELECT n FROM read_csv(['a[1].csv', '~home.csv', 'x{1,2}.csv']) ORDER BY n")).toEqual([
      [1],
      [3],
      [4],
    ]);
    expect(await rowsOf("SELECT 'é', n FROM 'é/it''s [new].csv'")).toEqual([["é", 5]]);
    const { status, code, message } = await errorOf(send({ query: "FROM read_csv(E'a[1].csv')" }));
    expect([status, code, message]).toEqual([400, "read_only_violation", expect.stringContaining("single quotes")]);
  });

  test("[WSP-4] knows a name as DuckDB does: after its definition, and by no other letters than its own", async () => {
    for (const [name, n] of [
      ["é.csv", 1],
      ["k.csv", 2],
      ["r.csv", 3],
    ])
      await put(String(name), `n\n${n}\n`);
    expect(await rowsOf(`WITH "É.csv" AS (SELECT 9 AS n) SELECT n FROM 'é.csv'`)).toEqual([[1]]);
    expect(await rowsOf(`WITH "\u212A.csv" AS (SELECT 9 AS n) SELECT n FROM 'k.csv'`)).toEqual([[2]]);
    expect(await rowsOf(`WITH "K.csv" AS (SELECT 9 AS n) SELECT n FROM 'k.csv'`)).toEqual([[9]]);
    const counted = `WITH RECURSIVE "r.csv"(n) AS (SELECT n FROM 'r.csv' UNION ALL SELECT n + 1 FROM "r.csv" WHERE n < 5)`;
    expect(await rowsOf(`${counted} SELECT n FROM "r.csv" ORDER BY n`)).toEqual([[3], [4], [5]]);
  });

  test("[WSP-4] describes a file", async () => {
    const described = (await rowsOf("DESCRIBE FROM 'sales.csv'")) as unknown[][];
    expect(described.map(([name, type]) => [name, type])).toEqual([
      ["region", "VARCHAR"],
      ["amount", "DOUBLE"],
      ["day", "DATE"],
    ]);
    expect((await ask("SUMMARIZE 'sales.csv'"))["row_count"]).toBe(3);
  });

  test("[WSP-4] is exact in JSON: large numbers as text, times in ISO 8601, bytes in Base64", async () => {
    const query = `SELECT 9007199254740993, 42::BIGINT, 1.25::DECIMAL(9,2), 'nan'::DOUBLE, TIMESTAMP '2026-01-02 03:04:05',
      TIMESTAMPTZ '2026-01-02 03:04:05+02', DATE '2026-01-02', '\\xFF'::BLOB, {'a': [1, NULL]}, MAP {'k': 1}, NULL`;
    expect(await rowsOf(query)).toEqual([
      [
        "9007199254740993",
        42,
        1.25,
        "NaN",
        "2026-01-02T03:04:05",
        "2026-01-02T01:04:05.000Z",
        "2026-01-02",
        "/w==",
        { a: [1, null] },
        [{ key: "k", value: 1 }],
        null,
      ],
    ]);
  });

  test("[WSP-4] is exact at the edges: times before 1970, the ends of time, decimals of sixteen digits", async () => {
    const query = `SELECT TIMESTAMPTZ '1969-12-31 23:59:59.999999+00', TIMESTAMPTZ '1900-01-01 00:00:00.000001+00',
      TIMESTAMPTZ 'infinity', TIMESTAMPTZ '-infinity', DATE 'infinity', DATE '-infinity', TIMESTAMP 'infinity',
      '-infinity'::TIMESTAMP_S, 8.000000000000003::DECIMAL(16,15), -0.00000000000012::DECIMAL(16,14),
      9007199254740991::DECIMAL(18,0), 9007199254740993::DECIMAL(18,0)`;
    expect(await rowsOf(query)).toEqual([
      [
        "1969-12-31T23:59:59.999999Z",
        "1900-01-01T00:00:00.000001Z",
        "infinity",
        "-infinity",
        "infinity",
        "-infinity",
        "infinity",
        "-infinity",
        "8.000000000000003",
        -1.2e-13,
        9_007_199_254_740_991,
        "9007199254740993",
      ],
    ]);
  });

  test("[WSP-4] can be CSV and Arrow", async () => {
    const query = `SELECT 'a "quoted", text' AS "first, name", 9007199254740993 AS n, NULL AS none, true AS yes`;
    const csv = await send({ query, format: "csv" });
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    expect([csv.headers.get("x-row-count"), csv.headers.get("x-truncated")]).toEqual(["1", "false"]);
    expect(await csv.text()).toBe('"first, name",n,none,yes\r\n"a ""quoted"", text",9007199254740993,,true\r\n');
    const arrow = await send({ query, format: "arrow" });
    expect(arrow.headers.get("content-type")).toBe("application/vnd.apache.arrow.stream");
    const table = tableFromIPC(await arrow.bytes());
    expect(table.schema.fields.map(({ name }) => name)).toEqual(["first, name", "n", "none", "yes"]);
    expect(table.get(0)?.toArray()).toEqual(['a "quoted", text', 9007199254740993n, null, true]);
    expect(
      tableFromIPC(await (await send({ query: "SELECT 1 AS a, 2 AS a WHERE false", format: "arrow" })).bytes()).numRows,
    ).toBe(0);
  });

  test("[WSP-4] ends at its limit and says that there is more", async () => {
    expect(await ask("FROM range(5)", { limit: 5 })).toMatchObject({ row_count: 5, truncated: false });
    expect(await ask("FROM range(6)", { limit: 5 })).toMatchObject({ row_count: 5, truncated: true });
    expect(await ask("FROM range(1001)")).toMatchObject({ row_count: 1_000, truncated: true });
    expect(await ask("FROM range(10001)", { limit: 10_000 })).toMatchObject({ row_count: 10_000, truncated: true });
    await refused(send({ query: "SELECT 1", limit: 10_001 }), 400, "invalid_request");
    // 8 MiB of rows.
    const wide = await ask("SELECT repeat('x', 1000000) FROM range(20)");
    expect(wide).toMatchObject({ row_count: 8, truncated: true });
  });
});

describe("parameters", () => {
  test("[WSP-4] are bound by their place or their name, and take the type that is wanted", async () => {
    const query = "SELECT count(*) FROM 'sales.csv' WHERE region = ? AND amount > ? AND day < ?";
    expect(await rowsOf(query, { params: ["north", 0.5, "2026-01-15"] })).toEqual([[1]]);
    expect(await rowsOf("FROM 'sales.csv' LIMIT $1", { params: [1] })).toHaveLength(1);
    expect(await rowsOf("SELECT $a AS a, $b AS b", { params: { a: null, b: true } })).toEqual([[null, true]]);
  });

  test("[WSP-4] have no gap in their numbers, which is reported as that", async () => {
    for (const [query, params] of [
      ["SELECT $1, $3", [1, 2, 3]],
      ["SELECT $1, $3", { 1: 1, 3: 3 }],
      ["SELECT $1, $99999999", [1]],
    ] as const) {
      const { errors } = (await refused(send({ query, params }), 400, "invalid_request")) as { errors: Json[] };
      expect(errors).toEqual([{ path: "/query", message: expect.stringContaining("but no $2") }]);
    }
  });

  test("[WSP-4] are never part of the text", async () => {
    const text = "x' OR '1'='1; DROP TABLE t; --";
    expect(await rowsOf("SELECT count(*) FROM 'sales.csv' WHERE region = $1", { params: [text] })).toEqual([[0]]);
    expect(await rowsOf("SELECT $1", { params: [text] })).toEqual([[text]]);
    expect(await errorOf(send({ query: "FROM read_csv($1)", params: ["/etc/passwd"] }))).toMatchObject({
      code: "read_only_violation",
    });
  });

  test("[WSP-4] fit the query, or the refusal names the one that does not", async () => {
    for (const [query, params, words] of [
      ["SELECT ?, ?", [1], "has a parameter $2"],
      ["SELECT $1", [1, 2], "has 2, which the query does not use"],
      ["SELECT $a", { b: 1 }, "has a parameter $a"],
      ["SELECT 1", { a: 1 }, "has a, which the query does not use"],
    ] as const) {
      const { errors } = (await refused(send({ query, params }), 400, "invalid_request")) as {
        errors: { path: string; message: string }[];
      };
      expect(errors).toEqual([{ path: "/params", message: expect.stringContaining(words) }]);
    }
  });
});

describe("hostile queries", () => {
  for (const [what, queries] of Object.entries(HOSTILE_DUCK))
    test(`[WSP-4] ${queries.length} that want ${what} are refused`, async () => {
      for (const query of queries) {
        const { status, code } = await errorOf(send({ query }));
        expect([query, status, code]).toEqual([query, 400, "read_only_violation"]);
      }
    });

  test("[WSP-4] are more than eighty", () => {
    expect(new Set(Object.values(HOSTILE_DUCK).flat()).size).toBeGreaterThan(80);
  });

  test("[WSP-4] none of them has left anything: the same child answers, and its folder is as it was", async () => {
    expect(await rowsOf("SELECT count(*) FROM 'sales.csv'")).toEqual([[3]]);
  });

  test("[WSP-4] a file of another workspace or organization is not found", async () => {
    const other = await service.found("Other");
    const answer = service.call(other, "POST", `/api/workspaces/${other.workspaceId}/data-blocks/query`, {
      query: "FROM 'sales.csv'",
    });
    expect((await errorOf(answer)).message).toContain("There is no file `sales.csv`");
    await refused(
      service.call(other, "POST", `${workspace}/data-blocks/query`, { query: "SELECT 1" }),
      404,
      "not_found",
    );
  });

  test("[WSP-4] a query that is not SQL, or does not fit the files, is refused with the database's own message", async () => {
    for (const [query, words] of [
      ["SELEC 1", "syntax error"],
      ["SELECT nope FROM 'sales.csv'", 'Referenced column "nope" not found'],
      ["FROM 'missing.csv'", "There is no file `missing.csv`"],
      ["SELECT 1 +", "syntax error"],
      ["SELECT 1e400", "A number in the query is too large"],
      ["SELECT -1e400::DOUBLE", "A number in the query is too large"],
      [
        `SELECT ${Array.from({ length: 5_000 }, (_, i) => `1 AS column_${i}`).join()}`,
        "The names and types of the columns",
      ],
      [`SELECT ${"1 + (".repeat(5_000)}1${")".repeat(5_000)}`, ""],
    ] as const) {
      const refusal = await errorOf(send({ query }));
      expect(refusal).toMatchObject({ status: 400, code: "invalid_request" });
      expect(refusal.message).toContain(words);
      expect(refusal.message).not.toContain("children/");
    }
    await refused(send({ query: " " }), 400, "invalid_request");
    await answered(send({ query: `SELECT '"value":Infinity'` }));
  });

  test("[WSP-4] a refusal names the wrong field: the database, or the values of the parameters", async () => {
    for (const [fields, path, message] of [
      [{ database: "sales.csv" }, "/database", "The file is not an SQLite database"],
      [
        { params: [{ a: 1 }] },
        "/params",
        "Field params must be a list of at most 1000 values, or an object; values are texts, numbers, booleans and null",
      ],
    ] as const)
      expect(await refused(send({ query: "SELECT 1", ...fields }), 400, "invalid_request")).toEqual({
        errors: [{ path, message }],
      });
  });
});
