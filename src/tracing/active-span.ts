/** What of the traces the running code belongs to: it follows what is awaited. Used only where traces are told. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { SpanContext } from "@opentelemetry/api";

const active = new AsyncLocalStorage<SpanContext | null>();

export const activeSpan = (): SpanContext | null => active.getStore() ?? null;
export const runWithin = <T>(span: SpanContext | null, run: () => T): T => active.run(span, run);

/** The id of the trace, for log lines; null outside of all. */
export const activeTraceId = (): string | null => activeSpan()?.traceId ?? null;
