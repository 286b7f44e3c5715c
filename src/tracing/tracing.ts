/**
 * Traces by OpenTelemetry's SDK, behind the port of the actors. Nothing is patched and nothing is global: spans
 * begin where the service begins them, and another service in the same process has traces of its own.
 */
import {
  type Attributes,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Span, SpanFacts, SpanStart, Tracing } from "../../actors/runtime/tracing.ts";
import { activeSpan, runWithin } from "./active-span.ts";
import { contextCarrier, carriedContext, traceHeaders, parseTraceContext } from "./carriers.ts";
import { type SpanExportParts, spanExport } from "./export.ts";

/** How long the end of the process waits for a collector. */
export const SHUTDOWN_MS = 2_000;
/** The limit of a span's value; longer ones are cut. */
const SPAN_VALUE_CHARACTERS = 1_024;

export interface TracingParts extends SpanExportParts {
  readonly sampler: string;
  readonly ratio: number;
  readonly resource: Readonly<Record<string, string>>;
}

export interface OpenTracing {
  readonly tracing: Tracing;
  /** Sends the waiting spans, for at most `SHUTDOWN_MS`. Does not reject. */
  close(): Promise<void>;
}

export function openTracing(parts: TracingParts): OpenTracing {
  const exported = spanExport(parts);
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes(parts.resource)),
    sampler: samplerOf(parts),
    spanLimits: { attributeValueLengthLimit: SPAN_VALUE_CHARACTERS },
    spanProcessors: [exported],
  });
  return { tracing: new SdkTracing(provider.getTracer("troupe")), close: () => closeProvider(provider) };
}

async function closeProvider(provider: TracerProvider): Promise<void> {
  const limit = Promise.withResolvers<void>();
  const timer = setTimeout(limit.resolve, SHUTDOWN_MS);
  // The exporter counts the spans that could not be sent.
  await Promise.race([provider.shutdown().catch(() => {}), limit.promise]);
  clearTimeout(timer);
}

/** The samplers of the specification, by their names. Parent-based ones follow the caller's decision. */
function samplerOf({ sampler, ratio }: Pick<TracingParts, "sampler" | "ratio">): Sampler {
  const [, parent, name = sampler] = /^(parentbased_)?(.+)$/.exec(sampler) ?? [];
  const root =
    name === "always_off"
      ? new AlwaysOffSampler()
      : name === "traceidratio"
        ? new TraceIdRatioBasedSampler(ratio)
        : new AlwaysOnSampler();
  return parent === undefined ? root : new ParentBasedSampler({ root });
}

/** Unix time in ms, with fractions. */
const preciseTime = (): number => performance.timeOrigin + performance.now();

class SdkTracing implements Tracing {
  private readonly tracer: Tracer;

  constructor(tracer: Tracer) {
    this.tracer = tracer;
  }

  now(): number {
    return preciseTime();
  }

  begin(name: string, { kind, parent, links = [], since, facts = {} }: SpanStart = {}): Span {
    const above = parent === undefined ? activeSpan() : parent === null ? null : carriedContext(parent);
    const context = above === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, above);
    const linked = links.map(carriedContext).filter((link) => link !== null);
    const options = {
      kind: kind === "server" ? SpanKind.SERVER : kind === "client" ? SpanKind.CLIENT : SpanKind.INTERNAL,
      links: linked.map((link) => ({ context: link })),
      attributes: attributesOf(facts),
      startTime: since ?? preciseTime(),
    };
    return new OpenSpan(this.tracer.startSpan(name, options, context));
  }

  current(): string | null {
    const span = activeSpan();
    return span === null ? null : contextCarrier(span);
  }

  within<T>(carrier: string | null, run: () => T): T {
    return runWithin(carrier === null ? null : carriedContext(carrier), run);
  }

  received(headers: Headers): string | null {
    const parent = headers.get("traceparent");
    const context = parent === null ? null : parseTraceContext(parent, headers.get("tracestate"));
    return context === null ? null : contextCarrier(context);
  }

  headers(): Readonly<Record<string, string>> {
    const span = activeSpan();
    return span === null ? {} : traceHeaders(span);
  }
}

class OpenSpan implements Span {
  private readonly span: SdkSpan;
  private readonly context: SpanContext;

  constructor(span: SdkSpan) {
    this.span = span;
    this.context = span.spanContext();
  }

  get carrier(): string {
    return contextCarrier(this.context);
  }

  rename(name: string): void {
    this.span.updateName(name);
  }

  tell(facts: SpanFacts): void {
    this.span.setAttributes(attributesOf(facts));
  }

  fail(type: string): void {
    this.span.setAttribute("error.type", type);
    this.span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.span.end(preciseTime());
  }

  within<T>(run: () => T): T {
    return runWithin(this.context, run);
  }
}

const attributesOf = (facts: SpanFacts): Attributes =>
  Object.fromEntries(
    Object.entries(facts).flatMap(([name, value]) =>
      value === null ? [] : [[name, Array.isArray(value) ? [...(value as readonly string[])] : (value as string)]],
    ),
  );
