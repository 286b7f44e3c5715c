/**
 * The job `query-plan`: whether a text is one SELECT over files, and which files it names. DuckDB's own parser reads
 * the text; this job walks the syntax tree. Nothing runs, and no file has been placed yet.
 *
 * Guarantees of a plan: the text is exactly one statement, and it is a SELECT; each table of it is one of its common
 * table expressions or a named file; each table function reads named files or none. So the later query needs only these
 * files, and the lock of `duck-session.ts` enforces that.
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import type { JsonObject } from "../../../actors/schema.ts";
import { connectDuck } from "./duck-session.ts";
import { isSpecialName, type NamePlace, withPlainNames } from "./literal-names.ts";
import { type QueryPlan, type QueryRefusal, queryTextOf, refusedQuery } from "./query-answer.ts";

/** File names that a query may use as tables without a reader function. */
const TABLE_FILE = /\.(?:(?:csv|tsv|json|jsonl|ndjson)(?:\.gz|\.zst)?|parquet)$/i;
const SQLITE_FILE = /\.(?:sqlite3?|db3?)$/i;

/** Table functions that read files: their first argument names them. */
const READERS = new Set([
  "read_csv",
  "read_csv_auto",
  "sniff_csv",
  "read_json",
  "read_json_auto",
  "read_json_objects",
  "read_json_objects_auto",
  "read_ndjson",
  "read_ndjson_auto",
  "read_ndjson_objects",
  "read_parquet",
  "parquet_scan",
  "parquet_schema",
  "parquet_metadata",
  "parquet_file_metadata",
]);
/** Table functions that read nothing. */
const GENERATORS = new Set(["range", "generate_series", "unnest", "json_each", "json_tree", "repeat", "repeat_row"]);
/** Functions that reveal or change something of the process. */
const FORBIDDEN_FUNCTIONS = new Set(["current_setting", "getenv", "write_log", "getvariable", "nextval", "currval"]);

/** Files of one query. */
const MAX_FILES = 64;

class Violation extends Error {}

/** Content: a `QueryText`. Options: `lane`. */
export async function queryPlan({ lane }: JsonObject, content: Uint8Array): Promise<QueryPlan | QueryRefusal> {
  const { query } = queryTextOf(content);
  const connection = await connectDuck(String(lane));
  try {
    const parsed = await parse(connection, query);
    if ("kind" in parsed) return parsed;
    const files = new NamedFiles();
    walk(parsed.statement, new Set(), files);
    return { kind: "plan", files: [...files.names], text: files.textOf(query) };
  } catch (error) {
    if (error instanceof Violation) return refusedQuery("violation", error.message);
    if (error instanceof RangeError) return refusedQuery("query", "The query is nested too deeply");
    throw error;
  } finally {
    connection.closeSync();
  }
}

/** The files that a query names. */
class NamedFiles {
  readonly names = new Set<string>();
  private readonly special: NamePlace[] = [];

  /** `place`: where the query names it. */
  add(name: string, place: unknown): void {
    this.names.add(name);
    if (this.names.size > MAX_FILES) throw new Violation(`A query can read at most ${MAX_FILES} files`);
    if (isSpecialName(name)) this.special.push({ at: Number(place), name });
  }

  textOf(query: string): string | null {
    if (this.special.length === 0) return null;
    const text = withPlainNames(query, this.special);
    if (text === null)
      throw new Violation("A file name with `*`, `?`, `[`, `~` or `:` must be in single quotes: 'a[1].csv'");
    return text;
  }
}

/** DuckDB folds no other letters: `É` and `é` are two names. */
const foldName = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

type Tree = Readonly<Record<string, unknown>>;

interface ParsedQuery {
  readonly error: boolean;
  readonly error_type?: string;
  readonly error_message?: string;
  readonly statements?: readonly Tree[];
}

const NOT_ONE_SELECT = "A query must be exactly one SELECT statement";

async function parse(
  connection: DuckDBConnection,
  query: string,
): Promise<QueryRefusal | { readonly statement: Tree }> {
  const rows = await connection.runAndReadAll("SELECT json_serialize_sql($1::VARCHAR)", [query]);
  const text = String(rows.getRows()[0]?.[0]);
  // DuckDB writes a literal such as 1e400 as `Infinity`, which JSON does not have. In a string its quotes would be escaped.
  if (/"value":-?Infinity\b/.test(text)) return refusedQuery("query", "A number in the query is too large");
  const parsed = JSON.parse(text) as ParsedQuery;
  if (parsed.error) {
    const message = parsed.error_message ?? "";
    // The parser understood the text, but it is not a SELECT.
    const isOther = parsed.error_type === "not implemented" || message.includes("needs a SELECT");
    return isOther ? refusedQuery("violation", NOT_ONE_SELECT) : refusedQuery("query", message);
  }
  const [statement, ...more] = parsed.statements ?? [];
  if (statement === undefined || more.length > 0) return refusedQuery("violation", NOT_ONE_SELECT);
  return { statement };
}

const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null && !Array.isArray(value);

/** Collects the files in this subtree; `known` are the common table expressions in scope, folded. */
function walk(value: unknown, known: ReadonlySet<string>, files: NamedFiles): void {
  if (Array.isArray(value)) for (const one of value) walk(one, known, files);
  if (!isTree(value)) return;
  const seen = "cte_map" in value ? expressions(value["cte_map"], known, files) : known;
  if (value["type"] === "BASE_TABLE") checkTable(value, seen, files);
  else if (value["type"] === "TABLE_FUNCTION") tableFunction(value["function"], files);
  else if (value["type"] === "SHOW_REF" && value["query"] === null)
    throw new Violation("SHOW is not supported: a query can read only files");
  else if (value["class"] === "FUNCTION") scalarFunction(value);
  const name = value["type"] === "RECURSIVE_CTE_NODE" ? String(value["cte_name"] ?? value["ctename"]) : null;
  for (const [key, child] of Object.entries(value)) {
    if (key === "cte_map") continue;
    // A recursive expression refers to itself in its second part; the first one does not know it yet.
    walk(child, name !== null && key === "right" ? new Set([...seen, foldName(name)]) : seen, files);
  }
}

/** Common table expressions see those before them. */
function expressions(map: unknown, known: ReadonlySet<string>, files: NamedFiles): ReadonlySet<string> {
  const seen = new Set(known);
  const entries = isTree(map) && Array.isArray(map["map"]) ? (map["map"] as unknown[]) : [];
  for (const entry of entries) {
    if (!isTree(entry)) continue;
    walk(entry["value"], seen, files);
    seen.add(foldName(String(entry["key"])));
  }
  return seen;
}

function checkTable(ref: Tree, known: ReadonlySet<string>, files: NamedFiles): void {
  if (ref["at_clause"] !== null) throw new Violation("AT is not supported: files have no versions here");
  // `FROM sales.csv` without quotes is a table `csv` in a schema `sales`.
  const parts = [ref["catalog_name"], ref["schema_name"], ref["table_name"]].map(String).filter((part) => part !== "");
  const name = parts.join(".");
  if (parts.length === 1 && known.has(foldName(name))) return;
  if (SQLITE_FILE.test(name))
    throw new Violation(`\`${name}\` is an SQLite file: name it in \`database\`, and its tables in the query`);
  if (!TABLE_FILE.test(name))
    throw new Violation(
      `\`${name}\` is not a table of this query. Tables are files of the workspace (.csv .tsv .json .jsonl .ndjson .parquet), such as FROM 'reports/sales.csv'`,
    );
  files.add(name, ref["query_location"]);
}

function tableFunction(value: unknown, files: NamedFiles): void {
  const called = isTree(value) ? value : {};
  const name = String(called["function_name"]).toLowerCase();
  if (GENERATORS.has(name)) return;
  if (!READERS.has(name)) throw new Violation(`The table function ${name} is not allowed in a query`);
  const [first] = called["children"] as readonly unknown[];
  const named = literalNamesIn(first);
  if (named === null || named.length === 0)
    throw new Violation(`${name} takes the path of a file as text, or a list of such paths`);
  for (const { name: path, at } of named) files.add(path, at);
}

/** The paths of a literal argument; null if it is not a literal. */
function literalNamesIn(argument: unknown): readonly NamePlace[] | null {
  if (!isTree(argument)) return null;
  if (argument["class"] === "CONSTANT") {
    const value = isTree(argument["value"]) ? argument["value"]["value"] : null;
    return typeof value === "string" ? [{ name: value, at: Number(argument["query_location"]) }] : null;
  }
  if (argument["class"] !== "FUNCTION" || argument["function_name"] !== "list_value") return null;
  const all = (argument["children"] as readonly unknown[]).map(literalNamesIn);
  return all.some((names) => names === null) ? null : all.flatMap((names) => names ?? []);
}

function scalarFunction(value: Tree): void {
  const name = String(value["function_name"]).toLowerCase();
  if (FORBIDDEN_FUNCTIONS.has(name)) throw new Violation(`The function ${name} is not allowed in a query`);
}
