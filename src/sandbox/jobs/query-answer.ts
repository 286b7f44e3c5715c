/** What the jobs about queries answer, and how what a database says becomes it. */

/** Why a query has no result. None of these is a failure of the child. */
export interface QueryRefusal {
  readonly kind: "refused";
  readonly reason:
    /** It is more or something else than one SELECT over files. */
    | "violation"
    /** It is not SQL, or the files have not what it asks for. */
    | "query"
    | "params"
    /** The file that it names as its database is none. */
    | "database"
    | "timeout"
    | "memory";
  /** For the author of the query. */
  readonly message: string;
}

export interface QueryPlan {
  readonly kind: "plan";
  /** Paths of files as the query names them, each once. */
  readonly files: readonly string[];
}

/** The rows are the bytes of the answer. */
export interface QueryDone {
  readonly kind: "done";
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rowCount: number;
  /** Whether there are more rows. */
  readonly truncated: boolean;
}

/** What a query is made of, as the content of its jobs (JSON). */
export interface QueryText {
  readonly query: string;
  readonly params: QueryParams;
}
export type QueryParam = string | number | boolean | null;
export type QueryParams = readonly QueryParam[] | Readonly<Record<string, QueryParam>>;

/** Of a database's words. */
const MAX_MESSAGE = 1_000;

export const refusedQuery = (reason: QueryRefusal["reason"], message: string): QueryRefusal => ({
  kind: "refused",
  reason,
  // Where the child finds its files is nobody's business.
  message: message.replaceAll(`${process.cwd()}/`, "").slice(0, MAX_MESSAGE).toWellFormed(),
});

export const queryTextOf = (content: Uint8Array): QueryText =>
  JSON.parse(Buffer.from(content.buffer, content.byteOffset, content.length).toString("utf8")) as QueryText;
