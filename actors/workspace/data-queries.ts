/** Port: queries over the files of a workspace (WSP-4). Nothing is changed by one. */
import type { Outcome } from "../fault.ts";

export const RESULT_FORMATS = ["json", "csv", "arrow"] as const;
export type ResultFormat = (typeof RESULT_FORMATS)[number];

/** Rows of one result at most, and where nobody says how many. */
export const MAX_ROWS = 10_000;
export const DEFAULT_ROWS = 1_000;
/** Of the rows of one result, in bytes. */
export const MAX_RESULT_BYTES = 8 * 1024 * 1024;

export type QueryParam = string | number | boolean | null;

export interface DataQuery {
  readonly organizationId: string;
  readonly workspaceId: string;
  /** One SELECT. */
  readonly query: string;
  /** Values of the parameters, in their order or by their names; never part of the text. */
  readonly params: readonly QueryParam[] | Readonly<Record<string, QueryParam>>;
  /** The path of an SQLite file whose tables are queried; null: the query names files. */
  readonly database: string | null;
  readonly format: ResultFormat;
  /** Rows and bytes of rows at most; what is over is left out, and `truncated` says so. */
  readonly limit: number;
  readonly maxBytes: number;
  /** What it shares its CPU time with, as the sandbox has it. */
  readonly budget?: { readonly isSpent: boolean; spend(ms: number): void };
  readonly signal?: AbortSignal;
}

export interface DataResult {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rowCount: number;
  readonly truncated: boolean;
  readonly durationMs: number;
  /** The rows in the format that was asked for; in JSON an array of arrays. */
  readonly bytes: Uint8Array;
}

export interface DataQueries {
  /**
   * Refuses `read_only_violation` (more or something else than one SELECT over files of the workspace),
   * `invalid_request` (not SQL, or not what the files have; `/params`; too much memory), `timeout`.
   */
  run(query: DataQuery): Promise<Outcome<DataResult>>;
}
