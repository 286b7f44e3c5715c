/** What models cost, from the call of a model to the report. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { parsePrices, PriceTable } from "../../src/settings/prices.ts";
import { systemClock } from "../../src/wiring/clock.ts";
import { pricedModels } from "../../src/wiring/priced.ts";
import { Client, type Json } from "../support/current.ts";
import { FakeModel } from "../support/fake-model.ts";
import { type Service, startService } from "../support/service.ts";
import { createAgent } from "../support/v1.ts";

let service: Service;
const model = new FakeModel();

beforeAll(async () => {
  const prices = [{ model: "fake:dear", from: "2020-01-01", input: "0.1", output: "0.2" }];
  const table = parsePrices(JSON.stringify({ currency: "EUR", prices }));
  if (!(table instanceof PriceTable)) throw new Error(table.join("; "));
  model.names = true;
  service = await startService({ models: pricedModels(model, table, systemClock) });
});
afterAll(() => service.stop());

test("[OPS-8] jobs, messages, usage and the budget tell the exact cost, and how many tokens have none", async () => {
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
  const unpriced = {
    input_tokens: 7,
    output_tokens: 3,
    cached_input_tokens: 0,
    cache_write_tokens: 0,
    cost: null,
    unpriced_tokens: 10,
    own_key_tokens: 0,
    estimated_tokens: 0,
  };
  const { metrics, usage } = await run("fake:unknown");
  expect([metrics, usage]).toEqual([expect.objectContaining(unpriced), unpriced]);
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
