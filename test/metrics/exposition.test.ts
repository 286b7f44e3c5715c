import { expect, test } from "bun:test";
import type { Usage } from "../../actors/job/schema.ts";
import { exposition } from "../../src/metrics/exposition.ts";
import { Meters } from "../../src/metrics/meters.ts";
import { LabelledCounts, Distribution } from "../../src/metrics/tally.ts";
import { withCalls } from "../../actors/job/ports.ts";
import { meteredModels } from "../../src/wiring/metered.ts";
import { FakeModel } from "../support/fake-model.ts";
import { silentReadings } from "../support/readings.ts";

const linesOf = (text: string, name: string): string[] =>
  text.split("\n").filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));

test("[OPS-1] a value counts at the first bound that it does not exceed", () => {
  const distribution = new Distribution([1, 10]);
  for (const value of [0, 1, 1.5, 10, 10.5]) distribution.observe(value);
  expect([distribution.counts, distribution.sum]).toEqual([[2, 2, 1], 23]);
  const counts = new LabelledCounts("a", "b");
  counts.add(2, "x", "y");
  counts.add(3, "x", "y");
  expect([...counts.entries()]).toEqual([[{ a: "x", b: "y" }, 5]]);
});

test("[OPS-1] the text has each family with its help, its type and its values", async () => {
  const meters = new Meters();
  meters.answered("get_task", 200, 0.004);
  meters.answered("get_task", 200, 20);
  meters.answered(null, 404, 0.001);
  meters.refused("rate_limited");
  meters.flushed(3, "answered", 0.002);
  meters.leaseRenewedAt = 3_000;
  const usage = { inputTokens: 7, outputTokens: 5 };
  meters.called(
    "demo:echo",
    { kind: "finished", blocks: [], usage, finishReason: "stop" },
    { seconds: 2, firstTokenSeconds: 0.2 },
  );
  const failed = { kind: "failed", error: { code: "provider_error", message: "" }, partialText: "", usage } as const;
  meters.called("demo:echo", failed, { seconds: 1, firstTokenSeconds: null });
  meters.sent("timeout", 15);
  const text = await exposition(meters, silentReadings(), () => {}).text();
  expect(text).toContain("# TYPE troupe_http_requests_total counter\n");
  expect(text).toContain("# TYPE troupe_http_request_duration_seconds histogram\n");
  expect(linesOf(text, "troupe_http_requests_total")).toEqual([
    'troupe_http_requests_total{operation="get_task",status="200"} 2',
    'troupe_http_requests_total{operation="none",status="404"} 1',
  ]);
  const buckets = linesOf(text, "troupe_http_request_duration_seconds_bucket").filter((line) => line.includes("get_"));
  expect(buckets).toHaveLength(13);
  expect(buckets.slice(1, 3).map((line) => line.slice(line.indexOf("{")))).toEqual([
    '{operation="get_task",le="0.0025"} 0',
    '{operation="get_task",le="0.005"} 1',
  ]);
  expect(buckets.at(-1)).toEndWith('le="+Inf"} 2');
  expect(linesOf(text, "troupe_http_request_duration_seconds_count")[0]).toEndWith(" 2");
  expect(linesOf(text, "troupe_lease_age_seconds")).toEqual(["troupe_lease_age_seconds 2"]);
  expect(linesOf(text, "troupe_mailbox_deepest_commands")).toEqual(['troupe_mailbox_deepest_commands{kind="chat"} 2']);
  expect(linesOf(text, "troupe_model_calls_total")).toEqual([
    'troupe_model_calls_total{model="demo:echo",outcome="finished"} 1',
    'troupe_model_calls_total{model="demo:echo",outcome="provider_error"} 1',
  ]);
  expect(linesOf(text, "troupe_model_tokens_total")[0]).toBe(
    'troupe_model_tokens_total{model="demo:echo",direction="input"} 14',
  );
  expect(linesOf(text, "troupe_model_first_token_seconds_count")[0]).toEndWith(" 1");
  expect(linesOf(text, "troupe_webhook_attempts_total")).toEqual([
    'troupe_webhook_attempts_total{outcome="timeout"} 1',
  ]);
});

test("[OPS-1] [OPS-8] costs are reported by model and currency, added up exactly, with the tokens that have no price", async () => {
  const meters = new Meters();
  const told = async () => (await exposition(meters, silentReadings(), () => {}).text()).split("\n");
  const call = (model: string, usage: Usage): void =>
    meters.called(
      model,
      { kind: "finished", blocks: [], usage, finishReason: "stop" },
      { seconds: 1, firstTokenSeconds: 1 },
    );
  const tokens = { inputTokens: 7, outputTokens: 5 };
  call("a:free", tokens);
  expect((await told()).filter((line) => line.includes("unpriced") && !line.startsWith("#"))).toEqual([]);
  meters.currency = "EUR";
  // As floating point, ten of them are 0.9999999999999999.
  for (let i = 0; i < 10; i++) call("a:dear", { ...tokens, cost: "0.1", pricedTokens: 12 });
  call("a:free", { ...tokens, cachedInputTokens: 4, cacheWriteTokens: 2 });
  expect(
    (await told()).filter((line) => /^troupe_model_(cost|unpriced|cache_tokens_total{model="a:free")/.test(line)),
  ).toEqual([
    'troupe_model_cache_tokens_total{model="a:free",use="read"} 4',
    'troupe_model_cache_tokens_total{model="a:free",use="written"} 2',
    'troupe_model_cost_total{model="a:dear",currency="EUR"} 1',
    'troupe_model_unpriced_tokens_total{model="a:free"} 12',
  ]);
});

test("[OPS-2] counts that alerts look for are reported with 0 from the start, so that the first event is an increase", async () => {
  const meters = new Meters();
  const models = withCalls(new FakeModel(), () => Promise.reject(new Error("not called")));
  meteredModels({ ...models, currency: "EUR", hasPrice: () => false }, meters);
  const text = await exposition(meters, silentReadings(), () => {}).text();
  expect(linesOf(text, "troupe_flushes_total")).toEqual([
    'troupe_flushes_total{outcome="answered"} 0',
    'troupe_flushes_total{outcome="aborted"} 0',
    'troupe_flushes_total{outcome="unknown"} 0',
  ]);
  expect(linesOf(text, "troupe_http_refusals_total")).toEqual(['troupe_http_refusals_total{kind="storage_full"} 0']);
  expect(linesOf(text, "troupe_model_unpriced_tokens_total")).toEqual([
    'troupe_model_unpriced_tokens_total{model="fake:fake"} 0',
  ]);
});

test("[OPS-1] a metric that cannot be read is left out and reported, and the others are there", async () => {
  const unreadable: string[] = [];
  const readings = silentReadings({ jobs: () => Promise.reject(new Error("no database")) });
  const text = await exposition(new Meters(), readings, (_cause, name) => unreadable.push(name)).text();
  expect(unreadable).toEqual(["troupe_jobs"]);
  expect(linesOf(text, "troupe_jobs")).toEqual([]);
  expect(linesOf(text, "troupe_ready")).toEqual(["troupe_ready 1"]);
});
