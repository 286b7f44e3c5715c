/**
 * The job `sqlite-query`: runs one SELECT over an SQLite file in this child's folder, which is opened as immutable.
 * SQLite has no parser API, so the kind of a statement is tested by compiling it: only a single SELECT (or VALUES)
 * compiles both by itself and as a common table expression.
 */
import { type ExactNumber, isExactNumber } from "../../../actors/exact-json.ts";
import { constants, Database, type SQLQueryBindings, type Statement } from "bun:sqlite";
import type { JsonObject } from "../../../actors/schema.ts";
import { JobOutput, SQLITE_NAME } from "../protocol.ts";
import {
  type QueryParams,
  type QueryRefusal,
  isIntegerWithin,
  queryTextOf,
  refusedColumns,
  refusedQuery,
  tooExact,
} from "./query-answer.ts";
import type { ArrowJson } from "./arrow.ts";
import { asFormat, type Format, RowTaker } from "./query-rows.ts";
import type { QueryParameter } from "../../../actors/workspace/data-queries.ts";

/** Memory for pages, rows and sorting. */
const HEAP_BYTES = 512 * 1024 * 1024;
/** An integer of SQLite. */
const INTEGER_BITS = 64;

/** Content: a `QueryText`. Options: `format`, `limit` (rows), `maxBytes` (of the rows). */
export async function sqliteQuery(options: JsonObject, content: Uint8Array): Promise<JobOutput | QueryRefusal> {
  const { query, params } = queryTextOf(content);
  let database: Database | null = null;
  try {
    database = openSqlite();
    const sql = query.replace(/[\s;]+$/, "");
    return violationOf(database, sql) ?? (await runSqliteQuery(database, { sql, params }, options));
  } catch (error) {
    return sqliteRefusal(error);
  } finally {
    database?.close();
  }
}

/** Opens the file as immutable: it has no write-ahead log, nothing writes to it, and SQLite creates no files for it. */
function openSqlite(): Database {
  const file = `file:${encodeURI(process.cwd())}/${SQLITE_NAME}?immutable=1`;
  const database = new Database(file, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
  database.run(`PRAGMA hard_heap_limit = ${HEAP_BYTES}`);
  database.run("PRAGMA temp_store = MEMORY");
  database.run("PRAGMA trusted_schema = OFF");
  database.run("PRAGMA query_only = ON");
  return database;
}

/** Names that expose the process, or other files. */
const FORBIDDEN_NAMES = /\b(?:pragma_\w+|sqlite_dbpage|load_extension)\b/i;

function violationOf(database: Database, sql: string): QueryRefusal | null {
  // Compile it by itself first, so that SQLite's error is about the author's own text.
  database.prepare(sql).finalize();
  if (FORBIDDEN_NAMES.test(sql)) return refusedQuery("violation", "A query can read only the tables of the file");
  try {
    database.prepare(`WITH query AS (\n${sql}\n) SELECT 1 FROM query`).finalize();
    return null;
  } catch {
    return refusedQuery("violation", "A query must be exactly one SELECT statement");
  }
}

async function runSqliteQuery(
  database: Database,
  { sql, params }: { readonly sql: string; readonly params: QueryParams },
  { format, limit, maxBytes }: JsonObject,
): Promise<JobOutput | QueryRefusal> {
  // Released before the file is closed: otherwise its memory stays until the next collection.
  using statement = database.prepare(sql).safeIntegers(true);
  const exact = Object.entries(params).find(
    ([, value]) => isExactNumber(value) && !isIntegerWithin(value, INTEGER_BITS),
  );
  if (exact !== undefined) {
    const name = Array.isArray(params) ? String(Number(exact[0]) + 1) : exact[0];
    return refusedQuery("params", tooExact(name, exact[1] as ExactNumber));
  }
  const bindings = bindingsOf(params);
  const given = Array.isArray(params) ? params.length : Object.keys(params).length;
  const stranger = Array.isArray(params) ? undefined : Object.keys(params).find((name) => !isUsed(sql, name));
  if (stranger !== undefined) return refusedQuery("params", `\`params\` has ${stranger}, which the query does not use`);
  if (given !== statement.paramsCount)
    return refusedQuery("params", `The query has ${statement.paramsCount} parameters, but \`params\` has ${given}`);
  const names = statement.columnNames;
  const taker = new RowTaker(Number(limit), Number(maxBytes));
  for (const row of rowsOf(statement, names, bindings)) if (!taker.take(row.map(sqliteJson))) break;
  const { rows, isFull: truncated } = taker;
  const types = statement.declaredTypes;
  const columns = names.map((name, i) => ({ name, type: types[i] ?? "ANY" }));
  const refusal = refusedColumns(columns);
  if (refusal !== null) return refusal;
  const bytes = await asFormat(String(format) as Format, columns, rows);
  return new JobOutput({ kind: "done", columns, rowCount: rows.length, truncated }, bytes);
}

type SqliteRows = Iterable<readonly unknown[]>;

/**
 * Yields rows one by one. Only duplicate column names need all rows at once, because SQLite's iterator returns objects
 * by column name.
 */
function* rowsOf(
  statement: Statement,
  names: readonly string[],
  bindings: SQLQueryBindings[],
): Generator<readonly unknown[]> {
  if (new Set(names).size < names.length) return yield* statement.values(...bindings) as SqliteRows;
  for (const row of statement.iterate(...bindings)) yield names.map((name) => (row as Record<string, unknown>)[name]);
}

const isUsed = (sql: string, name: string): boolean => /^\w+$/.test(name) && new RegExp(`[$:@]${name}\\b`).test(sql);

/** SQLite identifies a parameter by its full name, including the sign. */
function bindingsOf(params: QueryParams): SQLQueryBindings[] {
  if (Array.isArray(params)) return params.map(bindingOf);
  const named = Object.entries(params as Readonly<Record<string, QueryParameter>>);
  if (named.length === 0) return [];
  return [
    Object.fromEntries(
      named.flatMap(([name, value]) => ["$", ":", "@"].map((sign) => [sign + name, bindingOf(value)])),
    ),
  ];
}

/** Whole numbers are bound as integers: in SQLite, 1.0 is not the same value as 1. */
const bindingOf = (value: QueryParameter) => {
  if (isExactNumber(value)) return BigInt(value.rawJSON);
  return Number.isSafeInteger(value) ? BigInt(value as number) : value;
};

function sqliteJson(value: unknown): ArrowJson {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  return typeof value === "string" ? value.toWellFormed() : null;
}

function sqliteRefusal(error: unknown): QueryRefusal {
  const message = error instanceof Error ? error.message : String(error);
  if (/out of memory|string or blob too big/i.test(message))
    return refusedQuery("memory", "The query needs more than 512 MiB of memory");
  if (/not authorized|readonly database|unable to open database: /i.test(message))
    return refusedQuery("violation", "A query can read only the tables of the file");
  if (/file is not a database|unable to open database file|malformed/i.test(message))
    return refusedQuery("database", "The file is not an SQLite database");
  return refusedQuery("query", message);
}
