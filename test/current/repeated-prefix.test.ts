/**
 * Each call to a provider repeats the one before it (RUN-34), in each format: over 20 turns with tools, approvals,
 * messages that steer, and a service that goes on with what is in the database. Counted in bytes.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createModels } from "../../src/runner/models.ts";
import { answered, Client } from "../support/current.ts";
import { until } from "../support/condition.ts";
import type { FakeProvider } from "../support/fake-provider.ts";
import { NO_MODELS } from "../support/model-calls.ts";
import { createTestDatabase } from "../support/postgres.ts";
import {
  conversationAnswers,
  longWords,
  PREFIX_FORMATS,
  type PrefixFormat,
  readOrder,
  repeatedParts,
  startFakeOf,
} from "../support/repeated-prefix.ts";
import { type Founded, type Service, startService } from "../support/service.ts";

const TURNS = 20;
const STEERED = [4, 13];
const RESTARTED = 10;
/** The least part of a call that the next one repeats. */
const REPEATED = 0.98;

/** Written in another order than `jsonb` has. */
const CALLS: Readonly<Record<number, readonly (readonly [string, object])[]>> = {
  0: [],
  1: [["list_tasks", {}]],
  2: [["create_task", { description: "Two loaves of it.", title: "Buy bread", priority: "low" }]],
  3: [
    ["current_time", { time_zone: "Europe/Zurich" }],
    ["list_tasks", { status: "open" }],
  ],
};
const callsOf = (turn: number) => (turn === 0 ? [] : CALLS[(turn % 3) + 1]!);

const fakes = new Map<PrefixFormat, FakeProvider>();
const chats = new Map<PrefixFormat, string>();
let service: Service;
let owner: Founded;
/** Resolves when the message that steers is sent. */
let held = Promise.withResolvers<void>();

beforeAll(async () => {
  for (const format of PREFIX_FORMATS) {
    const fake = await startFakeOf[format]();
    fake.answerBy(conversationAnswers(callsOf, (turn) => (STEERED.includes(turn) ? held.promise : Promise.resolve())));
    fakes.set(format, fake);
  }
  const testDatabase = await createTestDatabase();
  const start = (): Promise<Service> => startService({ testDatabase, models: models() });
  service = await start();
  owner = await service.found();
  for (const format of PREFIX_FORMATS) await open(format);
  for (let turn = 1; turn <= TURNS; turn++) {
    if (turn === RESTARTED) {
      await service.stop();
      service = await start();
    }
    for (const format of PREFIX_FORMATS) await take(format, turn);
  }
});

afterAll(async () => {
  await service.stop();
  for (const fake of fakes.values()) await fake.stop();
});

const models = () =>
  createModels({
    ...NO_MODELS,
    model: "responses:m",
    models: PREFIX_FORMATS.map((format) => `${format}:m`),
    providers: PREFIX_FORMATS.map((format) => ({
      name: format,
      format,
      apiKey: "k",
      baseUrl: fakes.get(format)!.baseUrl,
      caching: format === "messages" ? ("breakpoints" as const) : ("key" as const),
    })),
  });

async function open(format: PrefixFormat): Promise<void> {
  const client = new Client(service, owner);
  const schema = (title: string) => ({
    type: "object",
    properties: { zone: { type: "string", title }, a: { type: "integer" } },
  });
  const body = {
    name: format,
    system_prompt: longWords("You keep lists", 2_000),
    model: `${format}:m`,
    allowed_tools: ["create_task"],
    approval_tools: ["create_task"],
    tools: ["zip", "lookup"].map((name) => ({ kind: "client", name, description: name, input_schema: schema(name) })),
    ...(format === "responses" ? { cache: "5m" } : {}),
  };
  const id = await client.agent(body);
  chats.set(format, await client.chat(id, owner.workspaceId));
}

async function take(format: PrefixFormat, turn: number): Promise<void> {
  const client = new Client(service, owner);
  const chat = chats.get(format)!;
  held = Promise.withResolvers();
  const asked = fakes.get(format)!.requests.length;
  const { job } = await client.send(chat, longWords(`turn ${turn}`, 300));
  if (STEERED.includes(turn)) {
    await until("the model is asked", () => fakes.get(format)!.requests.length > asked);
    await client.send(chat, longWords("By the way", 300), { on_busy: "steer" });
    held.resolve();
  }
  if (callsOf(turn).some(([name]) => name === "create_task")) {
    await client.reached(job.id, "blocked");
    await answered(client.decide(job.id, "approve"));
  }
  await client.reached(job.id, "completed");
}

test.each(PREFIX_FORMATS)("[RUN-34] each call of %s repeats at least 98 % of the call before it", (format) => {
  const bodies = fakes.get(format)!.requests.map(({ body }) => body);
  const parts = repeatedParts(bodies);
  // Each turn has two calls.
  expect(parts).toHaveLength(2 * TURNS - 1);
  expect(parts.filter((part) => part < REPEATED)).toEqual([]);
  expect(parts.filter((part) => part === 1).length).toBeGreaterThan(parts.length * 0.9);
});

test.each(PREFIX_FORMATS)(
  "[RUN-34] the tools of %s have one order, and so have the fields of their schemas",
  (format) => {
    const first = readOrder(fakes.get(format)!.requests[0]?.body).split("\n");
    const names = first.flatMap((line) => /"name":"(\w+)"/.exec(line)?.[1] ?? []).slice(0, 6);
    expect(names).toEqual(names.toSorted());
    expect(first.find((line) => line.includes('"lookup"'))).toContain('"properties":{"a":{"type":"integer"},"zone":{');
  },
);

test("[RUN-30] the chat is the key, the agent's lifetime holds, and one with approvals asks for an hour", () => {
  for (const { body } of fakes.get("responses")!.requests)
    expect(body).toMatchObject({ prompt_cache_key: chats.get("responses") });
  for (const { body } of fakes.get("messages")!.requests)
    expect(body).toMatchObject({ system: [{ cache_control: { type: "ephemeral", ttl: "1h" } }] });
});
