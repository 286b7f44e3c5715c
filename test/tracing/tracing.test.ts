/** The traces behind their port, with a real collector. */
import { expect, test } from "bun:test";
import * as conventions from "@opentelemetry/semantic-conventions/incubating";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { carrierOf, carrying, withoutCarrier } from "../../actors/runtime/tracing.ts";
import { createLogger } from "../../src/log/log.ts";
import { exposition } from "../../src/metrics/exposition.ts";
import { Meters } from "../../src/metrics/meters.ts";
import { openTraces } from "../../src/service/traces.ts";
import { readConfig } from "../../src/settings/config.ts";
import { tracingOf } from "../../src/settings/tracing.ts";
import { activeTraceId } from "../../src/tracing/active-span.ts";
import { openTracing, type TracingParts } from "../../src/tracing/tracing.ts";
import { type CollectedSpan, OtlpCollector } from "../support/otlp-collector.ts";
import { silentReadings } from "../support/readings.ts";
import { eventually } from "../support/troupe-process.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = `00-${TRACE}-b7ad6b7169203331-01`;
const UNSAMPLED = `00-${TRACE}-b7ad6b7169203331-00`;

function opened(url: string, changes: Partial<TracingParts> = {}) {
  const spans: Record<string, number> = {};
  const said: (string | null)[] = [];
  const open = openTracing({
    url,
    headers: {},
    protocol: "http/protobuf",
    compression: "none",
    timeoutMs: 60_000,
    queueSpans: 2_048,
    delayMs: 10,
    sampler: "parentbased_always_on",
    ratio: 1,
    resource: {},
    onSpans: (outcome, count) => void (spans[outcome] = (spans[outcome] ?? 0) + count),
    onChange: (err) => void said.push(err === null ? null : String(err)),
    ...changes,
  });
  return { ...open, spans, said };
}

for (const protocol of ["http/protobuf", "http/json"] as const)
  for (const compression of ["none", "gzip"] as const)
    test(`[OPS-9] a span arrives unchanged, with ${protocol} and compression ${compression}`, async () => {
      const collector = new OtlpCollector();
      const { tracing, close, spans } = opened(collector.url, { protocol, compression });
      const above = tracing.begin("above", { parent: `${PARENT} vendor=value`, kind: "server" });
      const below = above.within(() => tracing.begin("below", { links: [UNSAMPLED, "none"], kind: "client" }));
      below.tell({ text: "ä", number: 7, part: 0.5, is: true, list: ["a", "b"], nothing: null });
      below.fail("timeout");
      below.rename("renamed");
      below.end();
      above.end();
      await close();
      await collector.stop();
      const [first, second] = collector.spans;
      expect(first).toMatchObject({
        name: "renamed",
        kind: 3,
        isError: true,
        traceId: TRACE,
        traceState: "vendor=value",
      });
      expect(first!.attributes).toEqual({
        text: "ä",
        number: 7,
        part: 0.5,
        is: true,
        list: ["a", "b"],
        "error.type": "timeout",
      });
      expect(first!.links).toMatchObject([{ traceId: TRACE, spanId: "b7ad6b7169203331" }]);
      expect(first!.parentSpanId).toBe(second!.spanId);
      expect(second).toMatchObject({ name: "above", kind: 2, parentSpanId: "b7ad6b7169203331", isError: false });
      expect(spans).toEqual({ exported: 2 });
    });

test("[OPS-9] a span is as long as its work, and no value of it is longer than 1,024 characters", async () => {
  const collector = new OtlpCollector();
  const { tracing, close } = opened(collector.url);
  const before = BigInt(Math.floor(Date.now() - 1)) * 1_000_000n;
  const long = tracing.begin("long", { parent: null, since: tracing.now() - 60_000 });
  long.tell({ text: "x".repeat(2_000) });
  long.end();
  tracing.begin("short", { parent: null }).end();
  await close();
  await collector.stop();
  const [{ startNs, endNs, attributes, kind }, short] = collector.spans as [CollectedSpan, CollectedSpan];
  expect(endNs - startNs).toBeGreaterThanOrEqual(60_000_000_000n);
  expect(endNs - startNs).toBeLessThan(90_000_000_000n);
  expect([attributes, kind]).toEqual([{ text: "x".repeat(1_024) }, 1]);
  expect(short.startNs).toBeGreaterThanOrEqual(before);
  expect(short.endNs - short.startNs).toBeLessThan(30_000_000_000n);
});

test("[OPS-9] all waiting spans are sent together at the end of the process", async () => {
  const collector = new OtlpCollector();
  const { tracing, close, spans } = opened(collector.url, { delayMs: 60_000 });
  for (let i = 0; i < 2_048; i++) tracing.begin("span", { parent: null }).end();
  await close();
  await collector.stop();
  expect([collector.spans.length, spans]).toEqual([2_048, { exported: 2_048 }]);
});

test("[OPS-9] running work belongs to its span, with everything that it awaits, and to no outer one", async () => {
  const { tracing, close } = opened("http://127.0.0.1:1");
  const one = tracing.begin("one", { parent: null });
  const two = tracing.begin("two", { parent: null });
  const seen = await Promise.all(
    [one, two].map((span) =>
      span.within(async () => {
        await Bun.sleep(1);
        return tracing.current();
      }),
    ),
  );
  expect(seen).toEqual([one.carrier, two.carrier]);
  expect(one.within(() => tracing.within(null, () => tracing.current()))).toBeNull();
  expect(tracing.within("garbage", () => tracing.headers())).toEqual({});
  expect(tracing.within(`${PARENT} a=b`, () => tracing.headers())).toEqual({ traceparent: PARENT, tracestate: "a=b" });
  expect(tracing.within(UNSAMPLED, () => tracing.headers())).toEqual({ traceparent: UNSAMPLED });
  // As the specification limits it: a longer state is left out, and the trace goes on.
  const state = (characters: number): string =>
    `a=${"x".repeat(200)},b=${"x".repeat(200)},c=${"x".repeat(characters - 408)}`;
  expect(tracing.within(`${PARENT} ${state(512)}`, () => tracing.current())).toBe(`${PARENT} ${state(512)}`);
  expect(tracing.within(`${PARENT} ${state(513)}`, () => tracing.current())).toBe(PARENT);
  expect(tracing.received(new Headers({ traceparent: PARENT, tracestate: "a=b" }))).toBe(`${PARENT} a=b`);
  expect(tracing.received(new Headers({ tracestate: "a=b" }))).toBeNull();
  expect(tracing.within(`${PARENT} a=b c`, () => tracing.current())).toBe(`${PARENT} a=b c`);
  expect(tracing.current()).toBeNull();
  await close();
});

test("[OPS-9] the sampler that is set decides, and one that follows a parent keeps what the caller keeps", async () => {
  const kept = async (sampler: string, ratio: number, parent: string | null): Promise<number> => {
    const collector = new OtlpCollector();
    const { tracing, close } = opened(collector.url, { sampler, ratio });
    for (let i = 0; i < 400; i++) tracing.begin("span", { parent }).end();
    await close();
    await collector.stop();
    return collector.spans.length;
  };
  const cases = [
    ["always_on", 1, UNSAMPLED, 400],
    ["always_off", 1, PARENT, 0],
    ["parentbased_always_on", 1, null, 400],
    ["parentbased_always_on", 1, UNSAMPLED, 0],
    ["parentbased_always_off", 1, PARENT, 400],
    ["parentbased_always_off", 1, null, 0],
    ["parentbased_traceidratio", 0, PARENT, 400],
    ["traceidratio", 0, PARENT, 0],
  ] as const;
  for (const [sampler, ratio, parent, count] of cases)
    expect([sampler, parent, await kept(sampler, ratio, parent)]).toEqual([sampler, parent, count]);
  const part = await kept("traceidratio", 0.5, null);
  expect(part).toBeGreaterThan(120);
  expect(part).toBeLessThan(280);
});

test("[OPS-9] a hanging collector costs only dropped spans and a limited delay at the end", async () => {
  const hanging = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { tracing, close, spans, said } = opened(`http://127.0.0.1:${hanging.port}`, {
    queueSpans: 100,
    timeoutMs: 200,
  });
  for (let i = 0; i < 500; i++) tracing.begin("span", { parent: null }).end();
  // A batch of 100 is on its way, and 100 more wait.
  expect(spans).toEqual({ dropped: 300 });
  await eventually("both batches have failed", () => spans["failed"] === 200);
  expect(said).toEqual([expect.stringContaining("timed out")]);
  await close();
  // Longer than the test may take: the end waits less.
  const patient = opened(`http://127.0.0.1:${hanging.port}`, { timeoutMs: 3_600_000 });
  patient.tracing.begin("last", { parent: null }).end();
  await patient.close();
  hanging.stop(true);
});

test("[OPS-9] a collector that is available again gets the next spans, and its outage is logged once", async () => {
  let isAway = true;
  const collector = new OtlpCollector(() => new Response(null, { status: isAway ? 400 : 200 }));
  const { tracing, close, spans, said } = opened(collector.url);
  for (let i = 1; i <= 2; i++) {
    tracing.begin("lost", { parent: null }).end();
    await eventually("it is counted", () => spans["failed"] === i);
  }
  isAway = false;
  tracing.begin("there", { parent: null }).end();
  await eventually("it is sent", () => spans["exported"] === 1);
  expect(said).toEqual([expect.any(String), null]);
  await close();
  await collector.stop();
});

test("[OPS-9] the log says where traces go, that they cannot be sent and that they are sent again, and they are counted", async () => {
  let isAway = true;
  const collector = new OtlpCollector(() => new Response(null, { status: isAway ? 400 : 200 }));
  const env = { OTEL_EXPORTER_OTLP_HEADERS: "key=private", OTEL_BSP_SCHEDULE_DELAY: "10" };
  const read = readConfig({ ...env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  const lines: string[] = [];
  const log = await createLogger({ level: "info", sink: { write: (line) => lines.push(line) } });
  const meters = new Meters();
  const url = `${collector.url}/v1/traces`;
  const { tracing, close } = await openTraces(read.config, meters, log);
  for (const [state, last] of [
    ["away", "traces cannot be sent: spans are dropped"],
    ["back", "traces are sent again"],
  ] as const) {
    isAway = state === "away";
    tracing!.begin(state, { parent: null }).end();
    await eventually(`the log says ${last}`, () => lines.at(-1)?.includes(last) === true);
  }
  await close();
  await collector.stop();
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { msg: "traces are sent to a collector", url, protocol: "http/protobuf", sampler: "parentbased_always_on" },
    { level: 40, url, err: expect.anything() },
    { level: 30, url },
  ]);
  expect(lines.join("")).not.toContain("private");
  const counted = await exposition(meters, silentReadings(), () => {}).text();
  for (const outcome of ["failed", "exported"])
    expect(counted).toContain(`troupe_trace_spans_total{outcome="${outcome}"} 1\n`);
  expect((await openTraces({ ...read.config, otelSdkDisabled: true }, null, log)).tracing).toBeNull();
});

test("[OPS-9] a carrier is written to a row and read from it, and a row without one does not change", () => {
  const command = { kind: "take_event", event: { id: "evt_1" } };
  expect(carrying(command, null)).toBe(command);
  const row = carrying(command, PARENT);
  expect(carrierOf(row)).toBe(PARENT);
  expect(withoutCarrier(row)).toEqual(command);
  expect(withoutCarrier(command)).toBe(command);
  expect([carrierOf(command), carrierOf({ trace: 7 })]).toEqual([null, null]);
});

test("[OPS-9] log lines have the trace in which they are written", async () => {
  const lines: string[] = [];
  const { tracing, close } = opened("http://127.0.0.1:1");
  const log = await createLogger({
    level: "info",
    sink: { write: (line) => lines.push(line) },
    traceId: activeTraceId,
  });
  log.info({ a: 1 }, "outside");
  tracing.within(PARENT, () => log.info({ a: 1 }, "inside"));
  tracing.within(PARENT, () => log.child({ b: 2 }).error({ err: new Error("no") }, "an error"));
  const read = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(read.map(({ msg, trace_id }) => [msg, trace_id])).toEqual([
    ["outside", undefined],
    ["inside", TRACE],
    ["an error", TRACE],
  ]);
  await close();
});

test("[OPS-9] the settings are those of the standard, and tracing has none without a collector", () => {
  const of = (env: Readonly<Record<string, string>>) => {
    const read = readConfig(env);
    if (!read.ok) throw new Error(JSON.stringify(read.errors));
    return tracingOf(read.config);
  };
  const at = { OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example/otlp/" };
  expect(of({})).toBeNull();
  expect(of({ ...at, OTEL_SDK_DISABLED: "true" })).toBeNull();
  expect(of(at)).toMatchObject({
    url: "https://collector.example/otlp/v1/traces",
    headers: {},
    sampler: "parentbased_always_on",
    ratio: 1,
    resource: { "service.name": "troupe" },
  });
  const more = {
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20x%2Cy, api-key = z",
    OTEL_RESOURCE_ATTRIBUTES: "service.name=other,k8s.pod.name=troupe-1",
    OTEL_TRACES_SAMPLER: "traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0.05",
  };
  expect(of({ ...at, ...more })).toMatchObject({
    headers: { authorization: "Bearer x,y", "api-key": "z" },
    resource: { "service.name": "other", "k8s.pod.name": "troupe-1" },
    sampler: "traceidratio",
    ratio: 0.05,
  });
  expect(of({ ...at, ...more, OTEL_SERVICE_NAME: "mine" })?.resource["service.name"]).toBe("mine");
});

test("[OPS-9] attributes that are not ours have the names of the conventions", () => {
  const known = new Set<unknown>(Object.values(conventions).filter((value) => typeof value === "string"));
  const files = [
    "src/wiring/traced.ts",
    "src/http/request/request-span.ts",
    "src/tracing/tracing.ts",
    "src/service/traces.ts",
    "actors/runtime/turns/group-trace.ts",
  ];
  const names = files.flatMap((file) =>
    [
      ...readFileSync(join(import.meta.dir, "../..", file), "utf8").matchAll(
        /"((?:gen_ai|http|error|service)\.[\w.]+)"/g,
      ),
    ].map(([, name = ""]) => name),
  );
  expect(new Set(names).size).toBeGreaterThan(15);
  expect(names.filter((name) => !known.has(name))).toEqual([]);
});
