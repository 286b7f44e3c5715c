/**
 * Port to the traces of the operator (OPS-9). Absent, nothing is traced, and nothing is asked. What of a trace is
 * carried from one place to the next is a **carrier**: the text of `traceparent`, and behind a space that of
 * `tracestate`, if any. It goes into rows that begin work for later, so a trace goes on in another process.
 *
 * A span tells ids and outcomes, and never what people or models have said.
 */

/** The attributes of a span. A value that is null is left out. */
export type SpanFacts = Readonly<Record<string, string | number | boolean | readonly string[] | null>>;

export interface SpanStart {
  /** `server`: a request has come in; `client`: one goes out. Omitted: neither. */
  readonly kind?: "server" | "client";
  /** The carrier of what it belongs to; null: it is the first of a trace. Omitted: what this code runs in. */
  readonly parent?: string | null;
  /** Carriers of what else has led to it. */
  readonly links?: readonly string[];
  /** When it began, by `Tracing.now`. Omitted: now. */
  readonly since?: number;
  readonly facts?: SpanFacts;
}

export interface Span {
  readonly carrier: string;
  /** Gives it a better name than it began with. */
  rename(name: string): void;
  tell(facts: SpanFacts): void;
  /** It has come to nothing: `type` is one of few words. */
  fail(type: string): void;
  /** Nothing can be added to it any more. */
  end(): void;
  /** Runs with this span as what it runs in, and with all that it begins to wait for. */
  within<T>(run: () => T): T;
}

/** All of it is cheap and throws nothing. */
export interface Tracing {
  /** The time for `SpanStart.since`. */
  now(): number;
  /** `name` is one of few. */
  begin(name: string, start?: SpanStart): Span;
  /** The carrier of what this code runs in; null outside of all spans. */
  current(): string | null;
  /** Runs in what the carrier names: null, or what is none, is outside of all spans. */
  within<T>(carrier: string | null, run: () => T): T;
  /** The carrier that a request's headers name; null where they name none that is valid. */
  received(headers: Headers): string | null;
  /** The headers of an outgoing request. */
  headers(): Readonly<Record<string, string>>;
}

/** The key by which rows have a carrier. Rows of services without traces, and of former versions, have none. */
const CARRIER = "trace";

/** What becomes a row, with the carrier. */
export const carrying = <T extends object>(row: T, carrier: string | null): T =>
  carrier === null ? row : { ...row, [CARRIER]: carrier };

/** The carrier of a row. */
export function carrierOf(row: object): string | null {
  const carrier = (row as { readonly [CARRIER]?: unknown })[CARRIER];
  return typeof carrier === "string" ? carrier : null;
}

/** What was made a row, without its carrier. */
export function uncarried<T extends object>(row: T): T {
  if (!(CARRIER in row)) return row;
  const { [CARRIER]: _carrier, ...rest } = row as T & { readonly [CARRIER]?: unknown };
  return rest as unknown as T;
}
