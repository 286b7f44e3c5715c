/** Answers of the query jobs, and how errors of a database become them. */

import { cutText } from "../../../actors/cut-text.ts";
import { type ExactNumber, parseStored } from "../../../actors/exact-json.ts";
import type { QueryParameter } from "../../../actors/workspace/data-queries.ts";

/** Why a query has no result. None of these is a failure of the child. */
export interface QueryRefusal {
  readonly kind: "refused";
  readonly reason:
    /** The query is not exactly one SELECT over files. */
    | "violation"
    /** The query is not SQL, or the files lack what it asks for. */
    | "query"
    | "params"
    /** The file that the query names is not a database. */
    | "database"
    | "timeout"
    | "memory";
  /** For the author of the query. */
  readonly message: string;
}

export interface QueryPlan {
  readonly kind: "plan";
  /** Distinct paths of files, as the query names them. */
  readonly files: readonly string[];
  /** The text to run instead, in which each name means the file of that name; null: the text of the query. */
  readonly text: string | null;
}

/** The rows are the bytes of the answer. */
export interface QueryDone {
  readonly kind: "done";
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rowCount: number;
  /** Whether there are more rows. */
  readonly truncated: boolean;
}

/** A query, as the content of its jobs (JSON). */
export interface QueryText {
  readonly query: string;
  readonly params: QueryParams;
}
export type QueryParams = readonly QueryParameter[] | Readonly<Record<string, QueryParameter>>;

/** Characters of a database's message. */
const MAX_MESSAGE = 1_000;

export const refusedQuery = (reason: QueryRefusal["reason"], message: string): QueryRefusal => ({
  kind: "refused",
  reason,
  // Hide where the child's files are.
  message: cutText(message.replaceAll(`${process.cwd()}/`, ""), MAX_MESSAGE),
});

/** Bytes of the column descriptions of a result, which are sent beside its rows. */
const MAX_COLUMNS_BYTES = 128 * 1024;

/** Refuses a result with too many columns for an answer. */
export const refusedColumns = (columns: QueryDone["columns"]): QueryRefusal | null =>
  Buffer.byteLength(JSON.stringify(columns)) <= MAX_COLUMNS_BYTES
    ? null
    : refusedQuery("query", `The names and types of the columns have more than ${MAX_COLUMNS_BYTES} bytes`);

/** Whether the number is an integer that fits in so many bits. */
export const isIntegerWithin = ({ rawJSON: text }: ExactNumber, bits: number): boolean =>
  /^-?\d+$/.test(text) && BigInt.asIntN(bits, BigInt(text)) === BigInt(text);

/** Why a database cannot take a number. */
export const tooExact = (name: string, { rawJSON: text }: ExactNumber): string =>
  `\`params\` has ${name} with more digits than a number in the database can have: pass it as a string and cast it (${cutText(text, 40)})`;

export const queryTextOf = (content: Uint8Array): QueryText =>
  parseStored(Buffer.from(content.buffer, content.byteOffset, content.length).toString("utf8")) as QueryText;
