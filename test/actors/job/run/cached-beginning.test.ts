/** What a run knows of its provider's cache, for estimates of calls that the provider does not count. */
import { describe, expect, test } from "bun:test";
import { CachedBeginning } from "../../../../actors/job/run/cached-beginning.ts";
import { MINUTE_MS } from "../../../../actors/units.ts";
import { FakeModel } from "../../../support/fake-model.ts";
import { FakeTools } from "../../../support/fake-tools.ts";
import { startJobs } from "../../../support/job-replica.ts";
import { World } from "../../../support/replica.ts";
import { until } from "../../../support/condition.ts";

const USED = { inputTokens: 100, outputTokens: 1, cachedInputTokens: 60, cacheWriteTokens: 30 };

describe("the beginning that a provider has cached", () => {
  const clock = { ms: 0, now: () => clock.ms };
  const noted = (usage = USED): CachedBeginning => {
    clock.ms = 0;
    const cached = new CachedBeginning(clock);
    cached.note("a:b", undefined, usage);
    return cached;
  };

  test("[RUN-28] is what the last counted call has read and written, for the same model and key, for five minutes", () => {
    const cached = noted();
    expect(cached.of("a:b", undefined)).toEqual({ cachedTokens: 90 });
    expect(cached.of("a:c", undefined)).toEqual({});
    clock.ms = 5 * MINUTE_MS - 1;
    expect(cached.of("a:b", undefined)).toEqual({ cachedTokens: 90 });
    clock.ms = 5 * MINUTE_MS;
    expect(cached.of("a:b", undefined)).toEqual({});
  });

  test("[RUN-28] is not that of a summary, after which calls begin differently", () => {
    const cached = noted();
    expect(cached.of("a:b", "summary")).toEqual({});
    cached.note("a:b", "summary", USED);
    expect(cached.of("a:b", undefined)).toEqual({});
  });

  test("[RUN-28] is not taken from an estimate, and a count without a cache ends it", () => {
    const cached = noted();
    cached.note("a:b", undefined, { inputTokens: 100, outputTokens: 1, estimatedTokens: 101 } as never);
    expect(cached.of("a:b", undefined)).toEqual({ cachedTokens: 90 });
    cached.note("a:b", undefined, { inputTokens: 100, outputTokens: 1 } as never);
    expect(cached.of("a:b", undefined)).toEqual({});
  });
});

test("[RUN-28] the next call of a run knows what the last one has left in the cache", async () => {
  const model = new FakeModel();
  model.usageOf = () => USED;
  const input = {};
  model.script = () =>
    model.calls.length < 3
      ? [{ use: { type: "tool_use", id: `c${model.calls.length}`, name: "look", input } }]
      : [{ say: "Done." }];
  const replica = await startJobs(new World(), { model, tools: new FakeTools() });
  const id = await replica.send("go");
  await until("it is done", () => replica.job(id)?.status === "completed");
  expect(model.calls.map(({ cachedTokens }) => cachedTokens)).toEqual([undefined, 90, 90]);
});
