/** Where traces go and which are kept (OPS-9), from the settings of `groups/tracing.ts`. */
import type { Config, SettingsCheck } from "./settings.ts";

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

/** Parses `key=value,other=value` with percent-decoding; null if the text has another form. */
export function pairsOf(text: string): Readonly<Record<string, string>> | null {
  const pairs: Record<string, string> = {};
  for (const entry of text.split(",").filter((part) => part.trim() !== "")) {
    const [, name, value] = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*([^\r\n]*?)\s*$/.exec(entry) ?? [];
    if (name === undefined || value === undefined) return null;
    try {
      pairs[name] = decodeURIComponent(value);
    } catch {
      return null;
    }
    if (/\p{Cc}/u.test(pairs[name])) return null;
  }
  return pairs;
}

/**
 * Refuses a key in the endpoint's URL. Headers over plain http can be read on the network too, but that is the
 * operator's decision.
 */
export const endpointWithoutKey: SettingsCheck = {
  reads: ["OTEL_EXPORTER_OTLP_ENDPOINT"],
  errors({ otlpEndpoint }) {
    const url = otlpEndpoint === undefined ? null : URL.parse(otlpEndpoint);
    if (url === null || url.search + url.hash + url.username + url.password === "") return [];
    const message = "is not valid; it has no query and no credentials: those are for OTEL_EXPORTER_OTLP_HEADERS";
    return [{ variable: "OTEL_EXPORTER_OTLP_ENDPOINT", message }];
  },
};
