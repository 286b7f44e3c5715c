/**
 * Exports spans in batches over HTTP, in the background. The queue is bounded; spans beyond it are dropped and counted.
 * Only the end of the process waits for a collector, for a bounded time.
 */
import { type ReadableSpan, type SpanExporter, type SpanProcessor, BatchSpanProcessor } from "@opentelemetry/sdk-trace";
import { ExportResultCode } from "@opentelemetry/core";
import { createNoopMeter, TraceFlags } from "@opentelemetry/api";
import { OTLPExporterBase } from "@opentelemetry/otlp-exporter-base";
import { createOtlpHttpExportDelegate, httpAgentFactoryFromOptions } from "@opentelemetry/otlp-exporter-base/node-http";
import {
  JsonTraceSerializer,
  ProtobufTraceSerializer,
  TraceExporterMetricsHelper,
} from "@opentelemetry/otlp-transformer";

/** Spans of one request. */
const BATCH_SPANS = 512;

export type SpanOutcome = "exported" | "failed" | "dropped";

export interface SpanExportParts {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly protocol: "http/protobuf" | "http/json";
  readonly compression: "none" | "gzip";
  readonly timeoutMs: number;
  /** Spans that may wait, some 2 KiB each. */
  readonly queueSpans: number;
  /** An incomplete batch leaves after this time. */
  readonly delayMs: number;
  /** Called with numbers of spans. */
  readonly onSpans: (outcome: SpanOutcome, count: number) => void;
  /** Exports have begun to fail (`err` says why), or work again (null). */
  readonly onChange: (err: unknown) => void;
}

/** Collects spans and sends them. */
export function spanExport(parts: SpanExportParts): SpanProcessor {
  const exporter = new CountedExporter(httpExporter(parts), parts);
  const batches = new BatchSpanProcessor({
    exporter,
    maxQueueSize: parts.queueSpans,
    maxExportBatchSize: Math.min(BATCH_SPANS, parts.queueSpans),
    scheduledDelayMillis: parts.delayMs,
    exportTimeoutMillis: parts.timeoutMs,
  });
  return new BoundedProcessor(batches, exporter, parts);
}

function httpExporter({ url, headers, protocol, compression, timeoutMs, queueSpans }: SpanExportParts): SpanExporter {
  const isJson = protocol === "http/json";
  const type = { "Content-Type": isJson ? "application/json" : "application/x-protobuf" };
  const options = {
    url,
    headers: () => Promise.resolve({ ...headers, ...type }),
    compression,
    timeoutMillis: timeoutMs,
    // Normally one export is in flight; at the end, all waiting ones are.
    concurrencyLimit: Math.ceil(queueSpans / BATCH_SPANS) + 1,
    agentFactory: httpAgentFactoryFromOptions({ keepAlive: true }),
  };
  const serializer = isJson ? JsonTraceSerializer : ProtobufTraceSerializer;
  const noMeters = { getMeter: createNoopMeter };
  return new OTLPExporterBase(
    createOtlpHttpExportDelegate(options, serializer, "otlp_http_span_exporter", TraceExporterMetricsHelper, noMeters),
  );
}

/** An exporter that counts the outcomes of spans, and reports when exports begin to fail or work again. */
class CountedExporter implements SpanExporter {
  /** Spans that were handed over for an export. */
  taken = 0;
  private readonly exporter: SpanExporter;
  private readonly parts: Pick<SpanExportParts, "onSpans" | "onChange">;
  private hasFailed = false;

  constructor(exporter: SpanExporter, parts: Pick<SpanExportParts, "onSpans" | "onChange">) {
    this.exporter = exporter;
    this.parts = parts;
  }

  export(spans: ReadableSpan[], done: Parameters<SpanExporter["export"]>[1]): void {
    this.taken += spans.length;
    this.exporter.export(spans, (result) => {
      const failed = result.code !== ExportResultCode.SUCCESS;
      this.parts.onSpans(failed ? "failed" : "exported", spans.length);
      if (failed !== this.hasFailed) this.parts.onChange(failed ? (result.error ?? new Error("no reason")) : null);
      this.hasFailed = failed;
      // The failure is already counted; the processor would report it to a process-wide handler.
      done({ code: ExportResultCode.SUCCESS });
    });
  }

  forceFlush(): Promise<void> {
    return this.exporter.forceFlush?.() ?? Promise.resolve();
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }
}

/** Drops spans beyond the queue before the batch processor would, because that does not count them. */
class BoundedProcessor implements SpanProcessor {
  private given = 0;
  private readonly batches: BatchSpanProcessor;
  private readonly exporter: CountedExporter;
  private readonly parts: Pick<SpanExportParts, "queueSpans" | "onSpans">;

  constructor(
    batches: BatchSpanProcessor,
    exporter: CountedExporter,
    parts: Pick<SpanExportParts, "queueSpans" | "onSpans">,
  ) {
    this.batches = batches;
    this.exporter = exporter;
    this.parts = parts;
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return;
    const { queueSpans, onSpans } = this.parts;
    if (this.given - this.exporter.taken >= queueSpans) return onSpans("dropped", 1);
    this.given++;
    this.batches.onEnd(span);
  }

  forceFlush(): Promise<void> {
    return this.batches.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.batches.shutdown();
  }
}
