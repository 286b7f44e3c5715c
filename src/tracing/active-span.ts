/** The span of the running code, which follows `await`. Used only if tracing is on. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { SpanContext } from "@opentelemetry/api";

const active = new AsyncLocalStorage<SpanContext | null>();

export const activeSpan = (): SpanContext | null => active.getStore() ?? null;
export const runWithin = <T>(span: SpanContext | null, run: () => T): T => active.run(span, run);

/** The id of the trace, for log lines; null outside of any trace. */
export const activeTraceId = (): string | null => activeSpan()?.traceId ?? null;
