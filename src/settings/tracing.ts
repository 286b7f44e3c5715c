/** Where traces go and which are kept (OPS-9), from the settings of `groups/tracing.ts`. */
import { pairsOf } from "./setting-format.ts";
import type { Config } from "./settings.ts";

/** The path that the specification appends to the general endpoint. */
const TRACES_PATH = "v1/traces";
const SERVICE_NAME = "troupe";

/** Settings of the export of traces. */
export interface TracingSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly protocol: Config["otlpProtocol"];
  readonly compression: Config["otlpCompression"];
  readonly timeoutMs: number;
  /** How many spans may wait, and how long an incomplete batch waits. */
  readonly queueSpans: number;
  readonly delayMs: number;
  readonly sampler: Config["otelSampler"];
  /** The part of traces that ratio samplers keep, from 0 to 1. */
  readonly ratio: number;
  /** Attributes of the process, on every span. */
  readonly resource: Readonly<Record<string, string>>;
}

/** Null if tracing is off. */
export function tracingOf(config: Config): TracingSettings | null {
  const { otlpEndpoint, otelSdkDisabled, otelServiceName, otelSamplerArg } = config;
  if (otlpEndpoint === undefined || otelSdkDisabled) return null;
  const named = otelServiceName === undefined ? {} : { "service.name": otelServiceName };
  return {
    url: `${otlpEndpoint.replace(/\/$/, "")}/${TRACES_PATH}`,
    headers: pairsOf(config.otlpHeaders ?? "") ?? {},
    protocol: config.otlpProtocol,
    compression: config.otlpCompression,
    timeoutMs: config.otlpTimeoutMs,
    queueSpans: config.otelQueueSpans,
    delayMs: config.otelDelayMs,
    sampler: config.otelSampler,
    ratio: Number(otelSamplerArg ?? 1),
    resource: { "service.name": SERVICE_NAME, ...pairsOf(config.otelResourceAttributes ?? ""), ...named },
  };
}
