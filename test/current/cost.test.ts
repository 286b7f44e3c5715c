/** What models cost, from the call of a model to the report. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { parsePrices, PriceTable } from "../../src/settings/price-table.ts";
import { systemClock } from "../../src/wiring/clock.ts";
import { pricedModels } from "../../src/wiring/priced.ts";
import { Client, type Json, UNPRICED_CALL } from "../support/current.ts";
import { FakeModel } from "../support/fake-model.ts";
import { type Service, startService } from "../support/service.ts";
import { createAgent } from "../support/v1.ts";

let service: Service;
const model = new FakeModel();

beforeAll(async () => {
  const prices = [
    { model: "fake:dear", from: "2020-01-01", input: "0.1", output: "0.2" },
    { model: "fake:cached", from: "2020-01-01", input: "3", output: "15", cached_input: "0.3", cache_write: "3.75" },
  ];
  const table = parsePrices(JSON.stringify({ currency: "EUR", prices }));
  if (!(table instanceof PriceTable)) throw new Error(table.join("; "));
  model.names = true;
  service = await startService({ models: pricedModels(model, table, systemClock) });
});
afterAll(() => service.stop());

test("[OPS-8] jobs, messages, usage and the budget report the exact cost, and the number of unpriced tokens", async () => {
  const owner = await service.found();
  const client = new Client(service, owner);
  const run = async (of: string) => {
    const agent = await createAgent(service, owner);
    const chat = await client.chat(agent, owner.workspaceId, { options: { model: of } });
    const job = await client.reached((await client.send(chat, "hi")).job.id, "completed");
    const { messages } = await client.get<{ messages: readonly Json[] } & Json>(`/api/chats/${chat}/messages`);
    return { metrics: job["metrics"], usage: messages.at(-1)?.["usage"] };
  };
  // A call of the fake model has 7 tokens in and 3 out.
  const priced = {
    input_tokens: 7,
    output_tokens: 3,
    cached_input_tokens: 0,
    cache_write_tokens: 0,
    cost: "0.0000013",
    unpriced_tokens: 0,
    own_key_tokens: 0,
    estimated_tokens: 0,
  };
  for (let i = 0; i < 2; i++) {
    const { metrics, usage } = await run("fake:dear");
    expect([metrics, usage]).toEqual([expect.objectContaining(priced), priced]);
  }
  const { metrics, usage } = await run("fake:unknown");
  expect([metrics, usage]).toEqual([expect.objectContaining(UNPRICED_CALL), UNPRICED_CALL]);
  expect(await client.get<Json>("/api/usage?group_by=model")).toMatchObject({
    currency: "EUR",
    usage: expect.arrayContaining([
      expect.objectContaining({ model: "fake:dear", cost: "0.0000026", unpriced_tokens: 0 }),
      expect.objectContaining({ model: "fake:unknown", cost: null, unpriced_tokens: 10 }),
    ]),
    totals: { cost: "0.0000026", unpriced_tokens: 10 },
    budget: { used_cost: "0.0000026", used_tokens: 30 },
  } as never);
});

test("[RUN-33] cached and written tokens are in steps, jobs, messages and usage, and paid by their own prices", async () => {
  const { usageOf, script } = model;
  // Of 10,000 tokens 9,000 are cached and 900 are written: 100 × 3 + 9,000 × 0.3 + 900 × 3.75 + 500 × 15 = 13,875.
  model.usageOf = () => ({ inputTokens: 10_000, outputTokens: 500, cachedInputTokens: 9_000, cacheWriteTokens: 900 });
  model.script = ({ entries }) =>
    entries.at(-1)?.role === "assistant"
      ? [{ say: "Done." }]
      : [{ use: { type: "tool_use", id: "c1", name: "look", input: {} } }];
  try {
    const owner = await service.found();
    const client = new Client(service, owner);
    const agent = await createAgent(service, owner);
    const chat = await client.chat(agent, owner.workspaceId, { options: { model: "fake:cached" } });
    // The first step costs less than the budget; without the price of cached tokens it would cost 0.0375.
    const limited = { budget: { max_cost: "0.02" } };
    const job = await client.reached((await client.send(chat, "hi", limited)).job.id, "completed");
    const twice = {
      input_tokens: 20_000,
      output_tokens: 1_000,
      cached_input_tokens: 18_000,
      cache_write_tokens: 1_800,
    };
    const cost = { cost: "0.02775", unpriced_tokens: 0 };
    expect(job).toMatchObject({ metrics: { ...twice, ...cost } });
    expect((await client.messages(chat)).at(-1)).toMatchObject({ usage: { ...twice, ...cost } });
    for (const group of ["day", "agent", "model"])
      expect(await client.get<Json>(`/api/usage?group_by=${group}`)).toMatchObject({
        usage: [{ ...twice, ...cost }],
        totals: { ...twice, ...cost },
        budget: { used_tokens: 21_000, used_cost: "0.02775" },
      } as never);
    const { events } = await client.get<{ events: readonly { type: string; data: Json }[] } & Json>(
      `/api/jobs/${job.id}/transcript-events?limit=100`,
    );
    const told = (type: string) => events.filter((event) => event.type === type).map(({ data }) => data);
    const once = { input_tokens: 10_000, output_tokens: 500, cached_input_tokens: 9_000, cache_write_tokens: 900 };
    expect(told("usage.updated")).toEqual([{ ...once, cost: "0.013875" }]);
    expect(told("job.completed")).toMatchObject([{ usage: { ...twice, cost: "0.02775" } }]);
    expect(await client.get<Json>("/api/models")).toMatchObject({ currency: "EUR" });
  } finally {
    Object.assign(model, { usageOf, script });
  }
});
