/** The tool that queries tables (RUN-2, WSP-4): one SELECT over files of the workspace; it must be granted. */
import { FreeNumber, Type } from "../../../actors/schema.ts";
import type { FileService } from "./file-service.ts";
import { defineTool, outcomeResult, type Tool } from "./tool.ts";

/** Rows of one call: by default, and at most. A model reads all of them. */
const QUERY_ROWS = { default: 50, most: 1_000 };
const TOOL_QUERY_CHARACTERS = 20_000;

const QueryValue = Type.Union([
  Type.String({ maxLength: TOOL_QUERY_CHARACTERS }),
  FreeNumber(),
  Type.Boolean(),
  Type.Null(),
]);

export const queryData = (files: FileService): Tool =>
  defineTool({
    name: "query_data",
    description:
      "Runs one SELECT over files of the workspace. CSV, JSON and Parquet files are tables of DuckDB: SELECT region, sum(amount) FROM 'reports/sales.csv' GROUP BY region. SUMMARIZE 'file.csv' and DESCRIBE FROM 'file.csv' show what a file has. For an SQLite file give `database`, and its tables in the query.",
    input: Type.Object({
      query: Type.String({ minLength: 1, maxLength: TOOL_QUERY_CHARACTERS, description: "Exactly one SELECT" }),
      params: Type.Optional(Type.Array(QueryValue, { maxItems: 100, description: "Values for ? or $1, $2, …" })),
      database: Type.Optional(Type.String({ maxLength: 1_024, description: "The path of an SQLite file" })),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: QUERY_ROWS.most,
          description: `Maximum number of rows; ${QUERY_ROWS.default} by default`,
        }),
      ),
    }),
    access: "granted",
    safeToRepeat: true,
    readOnly: true,
    async run({ query, params = [], database = null, limit = QUERY_ROWS.default }, { context, signal, budget }) {
      const answer = await files.query(context, { query, params, database, limit, budget, signal });
      return outcomeResult(answer, ({ columns, rowCount, truncated, bytes }) => {
        const rows = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
        return `{"columns":${JSON.stringify(columns)},"rows":${rows},"row_count":${rowCount},"truncated":${truncated}}`;
      });
    },
  });
