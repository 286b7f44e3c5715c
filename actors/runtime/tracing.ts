/**
 * Port to the operator's traces (OPS-9). Without it nothing is traced, at no cost. A **carrier** is the part of a trace
 * that is carried from one place to the next: the text of `traceparent` and, after a space, that of `tracestate`, if
 * any. Rows that begin work later contain it, so a trace continues in another process.
 *
 * A span has ids and outcomes, never the words of people or models.
 */

/** The attributes of a span. Null values are left out. */
export type SpanFacts = Readonly<Record<string, string | number | boolean | readonly string[] | null>>;

export interface SpanStart {
  /** `server`: an incoming request; `client`: an outgoing one. Omitted: neither. */
  readonly kind?: "server" | "client";
  /** The carrier of the parent; null: the span begins a trace. Omitted: the current span. */
  readonly parent?: string | null;
  /** Carriers of other spans that led to it. */
  readonly links?: readonly string[];
  /** When it began, by `Tracing.now`. Omitted: now. */
  readonly since?: number;
  readonly facts?: SpanFacts;
}

export interface Span {
  readonly carrier: string;
  /** Replaces its name by a better one. */
  rename(name: string): void;
  tell(facts: SpanFacts): void;
  /** Marks it as failed: `type` is one of few words. */
  fail(type: string): void;
  /** Ends the span: nothing can be added any more. */
  end(): void;
  /** Runs with this span as the current one, including everything awaited in `run`. */
  within<T>(run: () => T): T;
}

/** All methods are cheap and never throw. */
export interface Tracing {
  /** The time for `SpanStart.since`. */
  now(): number;
  /** `name` is one of a small set. */
  begin(name: string, start?: SpanStart): Span;
  /** The carrier of the current span; null outside of all spans. */
  current(): string | null;
  /** Runs with the carrier's span as the current one; null or an invalid carrier: outside of all spans. */
  within<T>(carrier: string | null, run: () => T): T;
  /** The carrier in a request's headers; null if there is no valid one. */
  received(headers: Headers): string | null;
  /** The headers of an outgoing request. */
  headers(): Readonly<Record<string, string>>;
}

/** The key of the carrier in rows. Rows of services without tracing, and of earlier versions, have none. */
const CARRIER = "trace";

/** The row with the carrier. */
export const carrying = <T extends object>(row: T, carrier: string | null): T =>
  carrier === null ? row : { ...row, [CARRIER]: carrier };

/** The carrier of a row. */
export function carrierOf(row: object): string | null {
  const carrier = (row as { readonly [CARRIER]?: unknown })[CARRIER];
  return typeof carrier === "string" ? carrier : null;
}

/** The row without its carrier. */
export function withoutCarrier<T extends object>(row: T): T {
  if (!(CARRIER in row)) return row;
  const { [CARRIER]: _carrier, ...rest } = row as T & { readonly [CARRIER]?: unknown };
  return rest as unknown as T;
}
