/**
 * Carriers (`actors/runtime/tracing.ts`) as OpenTelemetry's contexts, by its own parsers: text that they reject is not
 * a carrier.
 */
import { isSpanContextValid, type SpanContext } from "@opentelemetry/api";
import { parseTraceParent, TraceState } from "@opentelemetry/core";

/** The specification's limit; a longer state is dropped, and the trace continues without it. */
const TRACE_STATE_CHARACTERS = 512;
const SAMPLED = 1;

/** The context that `traceparent` and `tracestate` name; null if they are not valid. */
export function parseTraceContext(parent: string, state: string | null): SpanContext | null {
  const context = parseTraceParent(parent);
  if (context === null || !isSpanContextValid(context)) return null;
  const isKept = state !== null && state !== "" && state.length <= TRACE_STATE_CHARACTERS;
  return { ...context, isRemote: true, ...(isKept ? { traceState: new TraceState(state) } : {}) };
}

export function carriedContext(carrier: string): SpanContext | null {
  const [parent = "", ...state] = carrier.split(" ");
  return parseTraceContext(parent, state.length === 0 ? null : state.join(" "));
}

export function traceHeaders(context: SpanContext): Readonly<Record<string, string>> {
  const flags = (context.traceFlags & SAMPLED).toString(16).padStart(2, "0");
  const traceparent = `00-${context.traceId}-${context.spanId}-${flags}`;
  const tracestate = context.traceState?.serialize() ?? "";
  return tracestate === "" ? { traceparent } : { traceparent, tracestate };
}

export const contextCarrier = (context: SpanContext): string => Object.values(traceHeaders(context)).join(" ");
