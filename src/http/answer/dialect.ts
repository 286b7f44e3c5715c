/**
 * How a surface reports errors. Inside the service refusals are faults; a dialect gives each kind its
 * status and its body. `RefusalTable` is total: a kind of fault without an entry does not compile.
 */
import { STATUS_CODES } from "node:http";
import type { Fault, FaultKind, FaultOf } from "../../../actors/fault.ts";

export interface Refusal {
  readonly status: number;
  /** An object is sent as JSON, a string as text. */
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Dialect {
  refusal(fault: Fault, requestId: string): Refusal;
  /** The answer to an exception, that is, a bug; it reveals nothing of the cause (ERR-4). */
  bug(requestId: string): Refusal;
}

export type RefusalTable<T> = { readonly [K in FaultKind]: (fault: FaultOf<K>) => T };

/** The table's entry of the fault's kind, applied to the fault. */
export function entryOf<T>(table: RefusalTable<T>, fault: Fault): T {
  // Entry and fault have the same kind; TypeScript cannot follow that through the lookup.
  const entry = table[fault.kind] as (fault: Fault) => T;
  return entry(fault);
}

/** The phrase that HTTP has for a status: `Not Found`. */
export const statusReason = (status: number): string => STATUS_CODES[status] ?? "";

/** The file's length, for a refused range. */
export const contentRange = (bytes: number): Readonly<Record<string, string>> => ({
  "content-range": `bytes */${bytes}`,
});

/** Whole seconds for `Retry-After`, at least one. */
export const retryAfter = (retryAfterMs: number): Readonly<Record<string, string>> => ({
  "retry-after": String(Math.max(1, Math.ceil(retryAfterMs / 1_000))),
});

const plainRefusal = (status: number, text: string, headers: Readonly<Record<string, string>> = {}): Refusal => ({
  status,
  body: text,
  headers: { "content-type": "text/plain; charset=utf-8", ...headers },
});

/** Refusals for paths outside of any API: a short text. */
export const plainDialect: Dialect = {
  refusal: (fault: Fault) => {
    if (fault.kind === "not_found") return plainRefusal(404, "Not found\n");
    if (fault.kind === "method_not_allowed")
      return plainRefusal(405, "Method not allowed\n", { allow: fault.allow.join(", ") });
    if (fault.kind === "invalid_request") return plainRefusal(400, `${fault.errors[0]?.message ?? "Bad request"}\n`);
    return plainRefusal(503, "Temporarily unavailable\n", retryAfter(1_000));
  },
  bug: () => plainRefusal(500, "Internal server error\n"),
};
