/**
 * The job `query`: runs one SELECT over the files in this child's folder. `query-plan.ts` has checked it before; here
 * the number and kind of its statements are checked again, on the prepared statement that runs.
 */
import { isExactNumber } from "../../../actors/exact-json.ts";
import {
  BIGINT,
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  type DuckDBType,
  HUGEINT,
  StatementType,
} from "@duckdb/node-api";
import type { JsonObject } from "../../../actors/schema.ts";
import { JobOutput } from "../protocol.ts";
import { connectDuck } from "./duck-session.ts";
import { duckJson } from "./duck-value.ts";
import {
  isIntegerWithin,
  type QueryParams,
  type QueryRefusal,
  queryTextOf,
  refusedColumns,
  refusedQuery,
  tooExact,
} from "./query-answer.ts";
import { asFormat, type Format, RowTaker } from "./query-rows.ts";

/** CPU time of one query, across all its threads. */
export const QUERY_CPU_MS = 5_000;
const QUERY_LOOK_MS = 20;
/** The widest integer of DuckDB that all its functions take. */
const HUGEINT_BITS = 128;

const CPU_EXCEEDED = `The query used more than ${QUERY_CPU_MS / 1_000} s of CPU time`;
const MEMORY_EXCEEDED = "The query needs more than 512 MiB of memory";

/** Content: a `QueryText`. Options: `lane`, `format`, `limit` (rows), `maxBytes` (of the rows). */
export async function query(options: JsonObject, content: Uint8Array): Promise<JobOutput | QueryRefusal> {
  const { query: sql, params } = queryTextOf(content);
  const connection = await connectDuck(String(options["lane"]));
  let isLate = false;
  const from = process.cpuUsage();
  const watch = setInterval(() => {
    const { user, system } = process.cpuUsage(from);
    if ((user + system) / 1_000 < QUERY_CPU_MS) return;
    isLate = true;
    connection.interrupt();
  }, QUERY_LOOK_MS);
  try {
    const statement = await prepareQuery(connection, sql);
    if ("kind" in statement) return statement;
    const refusal = bind(statement, params);
    if (refusal !== null) return refusal;
    return await runDuckQuery(statement, options);
  } catch (error) {
    if (isLate) return refusedQuery("timeout", CPU_EXCEEDED);
    return duckRefusal(error);
  } finally {
    clearInterval(watch);
    connection.closeSync();
  }
}

async function prepareQuery(
  connection: DuckDBConnection,
  sql: string,
): Promise<DuckDBPreparedStatement | QueryRefusal> {
  const statements = await connection.extractStatements(sql);
  if (statements.count !== 1) return refusedQuery("violation", "A query must be exactly one SELECT statement");
  const statement = await statements.prepare(0);
  return statement.statementType === StatementType.SELECT
    ? statement
    : refusedQuery("violation", "A query must be exactly one SELECT statement");
}

/** Binds values by position or name. Refuses values that do not fit the query's parameters. */
function bind(statement: DuckDBPreparedStatement, params: QueryParams): QueryRefusal | null {
  const names: string[] = [];
  for (let i = 1; i <= statement.parameterCount; i++) {
    const name = nameAt(statement, i);
    if (name === null)
      return refusedQuery(
        "query",
        `Parameters must be numbered from $1 without a gap: the query has later ones, but no $${i}`,
      );
    names.push(name);
  }
  const given: Readonly<Record<string, QueryParams[keyof QueryParams] | undefined>> = Array.isArray(params)
    ? Object.fromEntries(params.map((value, i) => [String(i + 1), value]))
    : { ...(params as object) };
  const missing = names.find((name) => !Object.hasOwn(given, name));
  if (missing !== undefined)
    return refusedQuery("params", `The query has a parameter $${missing}, which \`params\` does not have`);
  const unused = Object.keys(given).find((name) => !names.includes(name));
  if (unused !== undefined) return refusedQuery("params", `\`params\` has ${unused}, which the query does not use`);
  for (const [i, name] of names.entries()) {
    const value = given[name];
    if (!isExactNumber(value)) bindOne(statement, i + 1, value);
    else if (isIntegerWithin(value, HUGEINT_BITS)) statement.bindValue(i + 1, BigInt(value.rawJSON), HUGEINT);
    else return refusedQuery("params", tooExact(name, value));
  }
  return null;
}

/**
 * Null if the numbers have a gap: DuckDB takes `$3` after `$1` for the third of two parameters, and binds it to
 * nothing.
 */
function nameAt(statement: DuckDBPreparedStatement, index: number): string | null {
  try {
    return statement.parameterName(index);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function bindOne(statement: DuckDBPreparedStatement, index: number, value: unknown): void {
  if (typeof value === "string") statement.bindVarchar(index, value);
  else if (typeof value === "boolean") statement.bindBoolean(index, value);
  // Bind whole numbers as integers: DuckDB requires that in places such as LIMIT, and accepts it everywhere else.
  else if (Number.isSafeInteger(value)) statement.bindValue(index, BigInt(value as number), BIGINT);
  else if (typeof value === "number") statement.bindDouble(index, value);
  else statement.bindNull(index);
}

async function runDuckQuery(
  statement: DuckDBPreparedStatement,
  { format, limit, maxBytes }: JsonObject,
): Promise<JobOutput | QueryRefusal> {
  const result = await statement.stream();
  const types: readonly DuckDBType[] = result.columnTypes();
  const columns = result.columnNames().map((name, i) => ({ name, type: String(types[i]) }));
  const refusal = refusedColumns(columns);
  if (refusal !== null) return refusal;
  const taker = new RowTaker(Number(limit), Number(maxBytes));
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    for (const row of chunk.getRows()) if (!taker.take(row.map(duckJson))) break;
    if (taker.isFull) break;
  }
  const { rows, isFull: truncated } = taker;
  const bytes = await asFormat(String(format) as Format, columns, rows);
  return new JobOutput({ kind: "done", columns, rowCount: rows.length, truncated }, bytes);
}

function duckRefusal(error: unknown): QueryRefusal {
  const message = error instanceof Error ? error.message : String(error);
  if (message.startsWith("Out of Memory Error") || message.includes("bad_alloc") || error instanceof RangeError) {
    // The child ends with this answer, because it cannot free all of its memory.
    return refusedQuery("memory", MEMORY_EXCEEDED);
  }
  if (message.startsWith("Permission Error"))
    return refusedQuery("violation", "A query can read only the files that it names");
  return refusedQuery("query", message);
}
