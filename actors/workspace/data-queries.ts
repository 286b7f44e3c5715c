/** Port: queries over the files of a workspace (WSP-4). Queries are read-only. */
import type { ExactNumber } from "../exact-json.ts";
import type { Outcome } from "../fault.ts";

export const RESULT_FORMATS = ["json", "csv", "arrow"] as const;
export type ResultFormat = (typeof RESULT_FORMATS)[number];

/** The most rows of one result, and the default. */
export const MAX_ROWS = 10_000;
export const DEFAULT_ROWS = 1_000;
/** Bytes of the rows of one result. */
export const MAX_RESULT_BYTES = 8 * 1024 * 1024;

export type QueryParameter = string | number | ExactNumber | boolean | null;

export interface DataQuery {
  readonly organizationId: string;
  readonly workspaceId: string;
  /** One SELECT. */
  readonly query: string;
  /** Values of the parameters, by position or by name; never part of the text. */
  readonly params: readonly QueryParameter[] | Readonly<Record<string, QueryParameter>>;
  /** The path of an SQLite file whose tables are queried; null: the query names files. */
  readonly database: string | null;
  readonly format: ResultFormat;
  /** Limits of rows and of their bytes; further rows are left out, and `truncated` is set. */
  readonly limit: number;
  readonly maxBytes: number;
  /** The CPU budget that it shares, as the sandbox defines it. */
  readonly budget?: { readonly isSpent: boolean; spend(ms: number): void };
  readonly signal?: AbortSignal;
}

export interface DataResult {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rowCount: number;
  readonly truncated: boolean;
  readonly durationMs: number;
  /** The rows in the requested format; in JSON, an array of arrays. */
  readonly bytes: Uint8Array;
}

export interface DataQueries {
  /**
   * Refuses `read_only_violation` (not exactly one SELECT over files of the workspace), `invalid_request` (invalid SQL,
   * or it does not fit the files; `/params`; too much memory) and `timeout`.
   */
  run(query: DataQuery): Promise<Outcome<DataResult>>;
}
