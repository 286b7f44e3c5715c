/** The export of traces: OpenTelemetry's variables, under their standard names. Unsupported values are refused. */
import { choice, flag, group, optionalSetting, wholeNumber } from "../setting.ts";

const OTLP_PROTOCOLS = ["http/protobuf", "http/json"] as const;
const COMPRESSIONS = ["none", "gzip"] as const;
const SAMPLERS = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

const PAIRS_FORMAT = "names and values, such as key=value,other=value, percent-encoded";

export const TRACING = group("Traces", {
  otelSdkDisabled: flag("OTEL_SDK_DISABLED", { about: "Turns traces off." }),
  otlpEndpoint: optionalSetting("OTEL_EXPORTER_OTLP_ENDPOINT", "http-url", {
    allowed: "the http or https URL of a collector, such as http://localhost:4318",
    about: "The OpenTelemetry collector that receives the [traces](operations.md#traces).",
    otherwise: "no traces",
  }),
  otlpHeaders: optionalSetting("OTEL_EXPORTER_OTLP_HEADERS", "otel-pairs", {
    allowed: `headers: ${PAIRS_FORMAT}`,
    secret: true,
    about: "Headers of the requests to the collector.",
  }),
  otlpProtocol: choice("OTEL_EXPORTER_OTLP_PROTOCOL", OTLP_PROTOCOLS, {
    default: "http/protobuf",
    about: "The encoding of the requests.",
  }),
  otlpCompression: choice("OTEL_EXPORTER_OTLP_COMPRESSION", COMPRESSIONS, {
    default: "none",
    about: "The compression of the requests.",
  }),
  otlpTimeoutMs: wholeNumber("OTEL_EXPORTER_OTLP_TIMEOUT", 10_000, [1, 60_000], {
    about: "The time limit of a request, in milliseconds.",
  }),
  otelQueueSpans: wholeNumber("OTEL_BSP_MAX_QUEUE_SIZE", 2_048, [1, 1_000_000], {
    about: "How many spans may wait to be sent. More are dropped.",
  }),
  otelDelayMs: wholeNumber("OTEL_BSP_SCHEDULE_DELAY", 5_000, [1, 60_000], {
    about: "How long an incomplete batch waits, in milliseconds.",
  }),
  otelServiceName: optionalSetting("OTEL_SERVICE_NAME", "name", {
    allowed: "a name of at most 40 characters",
    about: "The name of the service in its spans.",
    otherwise: "`troupe`",
  }),
  otelResourceAttributes: optionalSetting("OTEL_RESOURCE_ATTRIBUTES", "otel-pairs", {
    allowed: `attributes: ${PAIRS_FORMAT}`,
    about: "Further attributes of the process in its spans.",
  }),
  otelSampler: choice("OTEL_TRACES_SAMPLER", SAMPLERS, {
    default: "parentbased_always_on",
    about: "Which traces are kept.",
  }),
  otelSamplerArg: optionalSetting("OTEL_TRACES_SAMPLER_ARG", "ratio", {
    allowed: "a number from 0 to 1",
    about: "The part of the traces that a ratio sampler keeps.",
    otherwise: "`1`",
  }),
});
