/**
 * All metrics in Prometheus' text format. Each row of the table below is a family; its values are read on each
 * scrape. A family that cannot be read (because the database does not answer) is left out, and the rest is
 * still served. `docs/operations.md` explains each row, and a test keeps the two in step.
 */
import { type Metric, Registry } from "prom-client";
import type { Meters } from "./meters.ts";
import { type LabelledCounts, Distribution, type Distributions } from "./tally.ts";
import type { ActorCensus } from "../../actors/runtime/turns/live-actors.ts";
import type { LoopWork } from "../../actors/runtime/fairness/loop-time.ts";

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number];

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** Reads the current values. Rejects if they cannot be read. */
  readonly read: () => Iterable<Sample> | Iterable<HistogramSample> | Promise<Iterable<Sample>>;
}
type HistogramSample = readonly [labels: Labels, distribution: Distribution];

const eachSample = (label: string, values: Iterable<readonly [string, number]>): readonly Sample[] =>
  [...values].map(([value, count]) => [{ [label]: value }, count]);

export interface Exposition {
  readonly contentType: string;
  /** The names of all families. */
  readonly names: readonly string[];
  /** The whole exposition. Does not reject. */
  text(): Promise<string>;
}

/** `onUnreadable` is called for a family that was left out. */
export function exposition(
  meters: Meters,
  readings: Readings,
  onUnreadable: (cause: unknown, name: string) => void,
): Exposition {
  const registry = new Registry();
  const families = [...requestFamilies(meters, readings), ...workFamilies(meters, readings), ...ownFamilies(readings)];
  for (const family of families) registry.registerMetric(metricOf(family, onUnreadable));
  return {
    contentType: registry.contentType,
    names: families.map(({ name }) => name),
    text: () => registry.metrics(),
  };
}

const counter = (name: string, help: string, counts: LabelledCounts): Family => ({
  name,
  help,
  type: "counter",
  read: () => counts.entries(),
});
const histogram = (name: string, help: string, of: Distribution | Distributions): Family => ({
  name,
  help,
  type: "histogram",
  read: () => (of instanceof Distribution ? [[{}, of] as const] : of.entries()),
});
const gauge = (name: string, help: string, read: Family["read"]): Family => ({ name, help, type: "gauge", read });
/** A gauge without labels; it has no value while `read` answers null. */
const plainGauge = (name: string, help: string, read: () => number | null | Promise<number>): Family =>
  gauge(name, help, async () => {
    const value = await read();
    return value === null ? [] : [[{}, value]];
  });

const requestFamilies = (meters: Meters, readings: Readings): Family[] => [
  counter("troupe_http_requests_total", "Answers to requests, by operation and status.", meters.requests),
  histogram(
    "troupe_http_request_duration_seconds",
    "From the arrival of a request to the head of its answer, by operation.",
    meters.requestSeconds,
  ),
  counter("troupe_http_refusals_total", "Requests that were refused, by the kind of reason.", meters.refusals),
  plainGauge("troupe_http_waiting_requests", "Requests that wait for the turn of their organization.", () =>
    readings.waitingRequests(),
  ),
  plainGauge("troupe_http_bodies", "Request bodies on their way.", () => readings.bodies().count),
  plainGauge("troupe_http_body_bytes", "Memory that request bodies on their way hold.", () => readings.bodies().bytes),
  plainGauge("troupe_streams_open", "Event streams and waiting requests that are open.", () => readings.streams().open),
  plainGauge(
    "troupe_streams_behind",
    "Streams whose reader does not take what there is.",
    () => readings.streams().behind,
  ),
  plainGauge(
    "troupe_stream_longest_stall_seconds",
    "How long the slowest reader has taken nothing.",
    () => readings.streams().longestMs / 1_000,
  ),
];

const actorsByKind = (readings: Readings, count: keyof ActorCensus) => () =>
  eachSample(
    "kind",
    [...readings.actors()].map(([kind, census]) => [kind, census[count]]),
  );

const workFamilies = (meters: Meters, readings: Readings): Family[] => [
  plainGauge("troupe_ready", "1 while this process has its lease and its shards and does not drain.", () =>
    readings.isReady() ? 1 : 0,
  ),
  plainGauge("troupe_lease_age_seconds", "Since the lease of this process was last renewed.", () =>
    meters.leaseRenewedAt === null ? null : (readings.monotonic() - meters.leaseRenewedAt) / 1_000,
  ),
  gauge("troupe_actors_live", "Actors in memory, by kind.", actorsByKind(readings, "live")),
  gauge("troupe_mailbox_commands", "Commands that wait at actors, by kind.", actorsByKind(readings, "waiting")),
  gauge(
    "troupe_mailbox_deepest_commands",
    "Commands that wait at the one actor that has most, by kind.",
    actorsByKind(readings, "deepest"),
  ),
  plainGauge("troupe_messages_parked", "Messages between actors that have failed too often and wait.", () =>
    readings.parkedMessages(),
  ),
  counter("troupe_flushes_total", "Commits of batches, by outcome.", meters.flushes),
  histogram("troupe_flush_duration_seconds", "How long the commit of a batch takes.", meters.flushSeconds),
  histogram("troupe_flush_groups", "Groups of turns that one commit stores.", meters.flushGroups),
  gauge("troupe_jobs", "Jobs on their way, by status.", async () => eachSample("status", await readings.jobs())),
  counter("troupe_model_calls_total", "Model calls, by model and outcome.", meters.modelCalls),
  histogram("troupe_model_call_duration_seconds", "How long a model call takes, by model.", meters.modelSeconds),
  histogram(
    "troupe_model_first_token_seconds",
    "From a model call to its first text, by model.",
    meters.firstTokenSeconds,
  ),
  counter("troupe_model_tokens_total", "Tokens of models, by model and direction.", meters.modelTokens),
  counter(
    "troupe_model_cache_tokens_total",
    "Input tokens that providers read from their caches or wrote to them, by model and use.",
    meters.modelCacheTokens,
  ),
  {
    name: "troupe_model_cost_total",
    help: "What model calls have cost, by model and currency.",
    type: "counter",
    read: () =>
      [...meters.modelCosts.entries()].map(([model, cost]) => [{ model, currency: meters.currency ?? "" }, cost]),
  },
  counter(
    "troupe_model_unpriced_tokens_total",
    "Tokens of models without a price, while other models have one.",
    meters.unpricedTokens,
  ),
  counter("troupe_webhook_attempts_total", "Attempts to deliver a webhook, by outcome.", meters.deliveries),
  histogram("troupe_webhook_attempt_duration_seconds", "How long an attempt to deliver takes.", meters.deliverySeconds),
  counter("troupe_trace_spans_total", "Spans of traces, by what became of them.", meters.spans),
  histogram("troupe_loop_delay_seconds", "How late the event loop is for a timer.", meters.loopSeconds),
  {
    name: "troupe_loop_work_seconds_total",
    help: "What the event loop has worked for organizations, by kind of work.",
    type: "counter",
    read: () =>
      eachSample(
        "work",
        Object.entries(readings.loopWorkMs()).map(([work, ms]) => [work, ms / 1_000]),
      ),
  },
];

const MICROSECONDS = 1_000_000;

const ownFamilies = (readings: Readings): Family[] => [
  gauge("troupe_build_info", "Always 1; its label is the version.", () => [[{ version: readings.version }, 1]]),
  plainGauge("troupe_disk_free_bytes", "Free bytes where the data is.", () => readings.freeDiskBytes()),
  plainGauge("process_resident_memory_bytes", "Memory of this process.", () => process.memoryUsage.rss()),
  plainGauge(
    "process_heap_bytes",
    "Memory of this process that JavaScript's objects use.",
    () => process.memoryUsage().heapUsed,
  ),
  {
    name: "process_cpu_seconds_total",
    help: "Processor time of this process.",
    type: "counter",
    read: () => {
      const { user, system } = process.cpuUsage();
      return [[{}, (user + system) / MICROSECONDS]];
    },
  },
  plainGauge("process_start_time_seconds", "When this process began, in Unix time.", () =>
    Math.round(Date.now() / 1_000 - process.uptime()),
  ),
];

/** A family as a metric of the library, which only formats the text. */
function metricOf(family: Family, onUnreadable: (cause: unknown, name: string) => void): Metric {
  const { name, help, type } = family;
  const get = async (): Promise<object> => {
    try {
      return { name, help, type, aggregator: "sum", values: valuesOf(name, await family.read()) };
    } catch (cause) {
      onUnreadable(cause, name);
      return { name, help, type, aggregator: "sum", values: [] };
    }
  };
  // The library uses nothing of a metric but its name and `get`, which its types do not say.
  return { name, get } as unknown as Metric;
}

function valuesOf(name: string, samples: Iterable<Sample> | Iterable<HistogramSample>): object[] {
  return [...samples].flatMap(([labels, value]) =>
    typeof value === "number" ? [{ labels, value }] : histogramValues(name, labels, value),
  );
}

function histogramValues(name: string, labels: Labels, { bounds, counts, sum }: Distribution): object[] {
  let count = 0;
  const buckets = counts.map((within, i) => {
    count += within;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: String(bounds[i] ?? "+Inf") }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

/** Values that can be read at any time, and are read only on a scrape. */
export interface Readings {
  readonly version: string;
  /** Whether this process serves: it holds its lease and its shards, and is not draining. */
  isReady(): boolean;
  actors(): ReadonlyMap<string, ActorCensus>;
  /** Messages whose receivers' turns have failed too often. */
  parkedMessages(): number;
  /** Event loop time spent for organizations since the start, in ms. */
  loopWorkMs(): Readonly<Record<LoopWork, number>>;
  streams(): { readonly open: number; readonly behind: number; readonly longestMs: number };
  bodies(): { readonly count: number; readonly bytes: number };
  /** Requests that wait for their organization's turn. */
  waitingRequests(): number;
  /** Unfinished jobs by status. Rejects if the database cannot be reached. */
  jobs(): Promise<ReadonlyMap<string, number>>;
  /** Free bytes on the file system of the data. */
  freeDiskBytes(): Promise<number>;
  /** Monotonic ms, on the same clock as `Meters.leaseRenewedAt`. */
  monotonic(): number;
}
