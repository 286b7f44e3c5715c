/** Traces for a collector, if one is set (OPS-9). */
import { randomUUID } from "node:crypto";
import type { Tracing } from "../../actors/runtime/tracing.ts";
import type { Logger } from "../log/log.ts";
import type { Meters } from "../metrics/meters.ts";
import type { Config } from "../settings/settings.ts";
import { tracingOf } from "../settings/tracing.ts";
import { SERVICE_VERSION } from "../settings/build.ts";

export interface Traces {
  /** Null if nothing is traced. */
  readonly tracing: Tracing | null;
  /** Sends the waiting spans, for a bounded time. Does not reject. */
  close(): Promise<void>;
}

const NO_TRACES: Traces = { tracing: null, close: () => Promise.resolve() };

/** Loads OpenTelemetry only if there is a collector. */
export async function openTraces(config: Config, meters: Meters | null, log: Logger): Promise<Traces> {
  const settings = tracingOf(config);
  if (settings === null) return NO_TRACES;
  const { openTracing } = await import("../tracing/tracing.ts");
  const { url, protocol, sampler } = settings;
  log.info({ url, protocol, sampler }, "traces are sent to a collector");
  return openTracing({
    ...settings,
    resource: { "service.version": SERVICE_VERSION, "service.instance.id": randomUUID(), ...settings.resource },
    onSpans: (outcome, count) => meters?.traced(outcome, count),
    onChange: (err) => {
      if (err === null) log.info({ url }, "traces are sent again");
      else log.warn({ err, url }, "traces cannot be sent: spans are dropped");
    },
  });
}
