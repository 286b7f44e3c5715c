/** Queries on the current surface (WSP-4). The client gets the rows as the child has written them. */
import { ok } from "../../../actors/fault.ts";
import { FreeNumber, Nullable, OneOf, Type } from "../../../actors/schema.ts";
import {
  type DataResult,
  DEFAULT_ROWS,
  MAX_RESULT_BYTES,
  MAX_ROWS,
  RESULT_FORMATS,
} from "../../../actors/workspace/data-queries.ts";
import { NOT_BLANK } from "../../http/contract/body-schema.ts";
import { Count, noun } from "../../http/contract/noun.ts";
import { media } from "../../http/contract/operation.ts";
import { operation } from "../../operations/operation.ts";
import { WorkspaceId } from "../path-ids.ts";
import { DataColumn } from "./file-schema.ts";

/** Characters of a query, and of one parameter. */
const QUERY_CHARACTERS = 100_000;

const VALUE_CHARACTERS = 100_000;

const MAX_PARAMS = 1_000;

const Value = Nullable(Type.Union([Type.String({ maxLength: VALUE_CHARACTERS }), FreeNumber(), Type.Boolean()]));

const QueryBody = Type.Object(
  {
    query: Type.String({
      description: "One SELECT. Its tables are files, named by their paths, or the tables of `database`",
      pattern: NOT_BLANK,
      maxLength: QUERY_CHARACTERS,
    }),
    params: Type.Optional(
      Type.Union([Type.Array(Value, { maxItems: MAX_PARAMS }), Type.Record(Type.String(), Value)], {
        description: "Values of the parameters: a list for `?` and `$1`, an object for `$name`",
        errorMessage: `Field params must be a list of at most ${MAX_PARAMS} values, or an object; values are texts, numbers, booleans and null`,
      }),
    ),
    database: Type.Optional(
      Type.String({
        description: "The path of an SQLite file. Without it the query names CSV, JSON and Parquet files",
      }),
    ),
    format: Type.Optional(OneOf(RESULT_FORMATS, { default: "json" })),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_ROWS, default: DEFAULT_ROWS, description: "Maximum number of rows" }),
    ),
  },
  {
    examples: [
      {
        query: "SELECT region, sum(amount) AS total FROM 'reports/sales.csv' WHERE year = $1 GROUP BY region",
        params: [2026],
      },
    ],
  },
);

export const QueryResult = noun("QueryResult", "Result of a query", {
  columns: Type.Array(DataColumn),
  rows: Type.Array(Type.Array(Type.Unknown()), {
    description:
      "Values in the order of the columns. Numbers that JSON cannot hold exactly are text, times are ISO 8601, bytes are Base64",
  }),
  row_count: Count("Number of rows in this response"),
  truncated: Type.Boolean({ description: "Whether there are more rows than `limit`, or than 8 MiB" }),
  duration_ms: Count("Duration in milliseconds"),
});

export const queryOperations = {
  queryData: operation(
    {
      method: "POST",
      path: "/api/workspaces/{id}/data-blocks/query",
      scope: "workspaces:read",
      summary: "Run a read-only data-block query",
      description:
        "DuckDB over CSV, JSON and Parquet files, such as `FROM 'reports/sales.csv'` or `FROM read_csv('a.txt', delim = ';')`; SQLite over the file that `database` names. A query reads only the files that it names, and may use 5 s of CPU time, 30 s in total and 512 MiB of memory. CSV and Arrow responses contain only the rows; `X-Row-Count` and `X-Truncated` have the rest.",
      params: { id: WorkspaceId },
      body: QueryBody,
      isRead: true,
      answers: {
        200: media({
          "application/json": QueryResult,
          "text/csv": Type.String({ description: "The names of the columns, then the rows" }),
          "application/vnd.apache.arrow.stream": Type.String({ description: "A stream of Apache Arrow" }),
        }),
      },
      answerHeaders: ["X-Row-Count", "X-Truncated"],
      errors: ["invalid_path", "read_only_violation", "timeout"],
    },
    async ({ queries }, caller, { params: { id }, body }) => {
      const { query, params = [], database = null, format = "json", limit = DEFAULT_ROWS } = body;
      const { organizationId } = caller.principal;
      caller.keepOpen(QUERY_QUIET_SECONDS);
      const asked = { organizationId, workspaceId: id, query, params, database, format, limit };
      const result = await queries.run({ ...asked, maxBytes: MAX_RESULT_BYTES, signal: caller.signal });
      if (!result.ok) return result;
      const { rowCount, truncated, bytes } = result.value;
      const headers = {
        "content-type": MEDIA[format],
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "x-row-count": String(rowCount),
        "x-truncated": String(truncated),
      };
      return ok(new Response(format === "json" ? withRows(result.value) : bodyOf(bytes), { headers }));
    },
  ),
};

/** A query may wait for other queries of its organization, and for idle time of the machine. */
const QUERY_QUIET_SECONDS = 150;

const MEDIA = {
  json: "application/json",
  csv: "text/csv; charset=utf-8; header=present",
  arrow: "application/vnd.apache.arrow.stream",
} as const;

/**
 * Writes a `QueryResult` around rows that are JSON already: parsing and serializing them again would block
 * everybody.
 */
function withRows({ columns, rowCount, truncated, durationMs, bytes }: DataResult): Blob {
  const head = `{"columns":${JSON.stringify(columns)},"rows":`;
  const tail = `,"row_count":${rowCount},"truncated":${truncated},"duration_ms":${durationMs}}`;
  return new Blob([head, bodyOf(bytes), tail]);
}

/** A child's answer never comes in a shared buffer, which a body could not hold. */
const bodyOf = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => bytes as Uint8Array<ArrayBuffer>;
