/** Batches of messages: what they count as, how many messages they have, how they are answered (MCP-9). */
import { beforeAll, expect, test } from "bun:test";
import { BATCH_MESSAGES, batchAnswers, jsonArray } from "../../src/mcp/batch.ts";
import type { PostedJson } from "../../src/mcp/message.ts";
import { answered, Client, type Job, type Json, refused } from "../support/current.ts";
import { until } from "../support/condition.ts";
import { FakeClock, settle } from "../support/fake-clock.ts";
import { FakeModel } from "../support/fake-model.ts";
import { postMcp, rpc } from "../support/mcp-clients.ts";
import { sceneOfFile } from "../support/scene.ts";

/** Requests of a window. */
const BUDGET = 200;
/** Open streams of an organization. */
const STREAMS = 4;

interface Answer {
  readonly id: unknown;
  readonly result?: Json & { readonly structuredContent?: Json; readonly tools?: readonly Json[] };
  readonly error?: Json;
}

const models = new FakeModel();
let agentId = "";

const { service, owner } = sceneOfFile({ models, settings: { rateBudgets: [`*=${BUDGET}`], maxStreams: 2 * STREAMS } });
beforeAll(async () => {
  const body = { name: "Ada", system_prompt: "Be brief." };
  const made = await answered(service.call(owner, "POST", "/api/agents", body), 201);
  agentId = String(made["id"]);
});

const call = (name: string, args: object, id: string | number) => rpc("tools/call", { name, arguments: args }, id);
const post = (messages: unknown, headers: Readonly<Record<string, string>> = {}, by = owner) =>
  postMcp(service, by.token, messages, headers);
const answersOf = (messages: unknown, headers: Readonly<Record<string, string>> = {}) =>
  answered<readonly Answer[]>(post(messages, headers));
const pings = (count: number) => Array.from({ length: count }, (_, id) => rpc("ping", {}, id));

async function session(): Promise<Readonly<Record<string, string>>> {
  const opened = await post(
    rpc("initialize", {
      protocolVersion: "2025-03-26",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    }),
  );
  return { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
}

test("[MCP-9] a batch counts as its messages, and is refused as a whole if there are too many", async () => {
  const by = await service.tokenFor(owner, { scopes: ["*"] });
  const remaining = async (messages: unknown): Promise<readonly [status: number, left: number]> => {
    const answer = await post(messages, {}, { ...owner, ...by });
    return [answer.status, Number(answer.headers.get("x-ratelimit-remaining"))];
  };
  const [, before] = await remaining(rpc("ping"));
  expect(before).toBe(BUDGET - 1);
  expect(await remaining(pings(20))).toEqual([200, before - 20]);
  expect(await remaining([{ jsonrpc: "2.0", method: "notifications/initialized" }, rpc("ping")])).toEqual([
    200,
    before - 22,
  ]);
  for (let left = before - 22; left > BATCH_MESSAGES; left -= BATCH_MESSAGES)
    expect(await remaining(pings(BATCH_MESSAGES))).toEqual([200, left - BATCH_MESSAGES]);
  const agents = Array.from({ length: BATCH_MESSAGES }, (_, id) =>
    call("create_agent", { name: "never made", system_prompt: "x" }, id),
  );
  const over = await post(agents, {}, { ...owner, ...by });
  expect(over.headers.get("retry-after")).not.toBeNull();
  await refused(over, 429, "rate_limited");
  const { agents: found } = await new Client(service, owner).get<{ agents: readonly Json[] }>("/api/agents?name=never");
  expect(found).toEqual([]);
});

test("[MCP-9] a batch has a size limit, and its requests have different ids", async () => {
  expect(await answersOf(pings(BATCH_MESSAGES))).toHaveLength(BATCH_MESSAGES);
  for (const [batch, words] of [
    [pings(BATCH_MESSAGES + 1), `at most ${BATCH_MESSAGES} messages`],
    [[rpc("ping"), rpc("tools/list")], "the same id"],
    [[rpc("initialize", {})], "`initialize` cannot be part of a batch"],
    [[rpc("ping"), null], "contains an invalid message"],
    [[rpc("ping"), { method: "ping", id: 2 }], "contains an invalid message"],
  ] as const) {
    const { error } = await answered<{ error: Json }>(post(batch), 400);
    expect(error).toMatchObject({ code: -32_600, message: expect.stringContaining(words) as string });
  }
  expect((await post(pings(2), { accept: "application/json" })).status).toBe(406);
  expect((await post([{ jsonrpc: "2.0", method: "notifications/initialized" }])).status).toBe(202);
});

test("[MCP-9] the messages of a batch are answered as if each had been sent alone", async () => {
  const headers = await session();
  const uri = `troupe://jobs/job_none`;
  const answers = await answersOf(
    [
      rpc("tools/list", {}, "list"),
      { jsonrpc: "2.0", method: "notifications/initialized" },
      rpc("tools/list", { cursor: "x" }, "cursor"),
      call("list_agents", { name: "Ada" }, "call"),
      rpc("resources/subscribe", { uri }, "subscribe"),
      call("no_tool", {}, "unknown"),
    ],
    headers,
  );
  expect(answers.map(({ id }) => id)).toEqual(["list", "cursor", "call", "subscribe", "unknown"]);
  const [list, cursor, called, subscribed, unknown] = answers;
  const alone = await answered<Answer>(post(rpc("tools/list", {}, "list")));
  expect(list).toEqual(alone);
  expect(cursor?.error).toMatchObject({ code: -32_602 });
  expect(called?.result?.structuredContent).toMatchObject({ agents: [{ id: agentId }] });
  expect(subscribed?.error).toMatchObject({ message: `Resource not found: ${uri}` });
  expect(unknown?.error).toMatchObject({ code: -32_602 });
});

test("[MCP-9] waiting calls of a batch each start their own job, and each takes a place", async () => {
  const executes = (count: number) => [
    ...Array.from({ length: count }, (_, id) => call("execute_agent", { agent_id: agentId, message: `m${id}` }, id)),
    rpc("ping", {}, "ping"),
  ];
  for (const headers of [{}, await session()]) {
    const held = Promise.withResolvers<void>();
    models.script = () => [{ hold: held.promise }, { say: "done" }];
    const running = answersOf(executes(2), headers);
    await until("both calls wait", () => service.app.streams.count === 2);
    await refused(post(executes(STREAMS - 1)), 503, "overloaded");
    held.resolve();
    const answers = await running;
    expect(answers[0]?.id).toBe("ping");
    const jobs = answers.slice(1).map(({ result }) => result?.structuredContent as unknown as Job);
    expect(jobs.map(({ status }) => status)).toEqual(["completed", "completed"]);
    expect(new Set(jobs.map(({ id }) => id)).size).toBe(2);
    await until("no call waits", () => service.app.streams.count === 0);
  }
});

test("[MCP-9] a message starts when its client has read the earlier answers, and none after it has disconnected", async () => {
  const begun: unknown[] = [];
  const messages = Array.from({ length: 8 }, (_, id): PostedJson => ({ id, method: "ping" }));
  const answer = (message: PostedJson): Promise<string> => {
    begun.push(message.id);
    return Promise.resolve(JSON.stringify("x".repeat(100_000)));
  };
  const clock = new FakeClock();
  const reader = jsonArray(batchAnswers(messages, { answer, waits: () => false }), clock).getReader();
  await reader.read();
  await reader.read();
  const { length } = begun;
  expect(length).toBeLessThan(messages.length);
  await reader.cancel();
  await settle();
  expect(begun).toHaveLength(length);
  // Nothing keeps it alive any more.
  await clock.advance(60_000);
});

test("[MCP-9] white space keeps the connection of a batch alive, and its answers are still JSON", async () => {
  const held = Promise.withResolvers<string>();
  const clock = new FakeClock();
  const answers = batchAnswers([{ id: 1, method: "ping" }], { answer: () => held.promise, waits: () => true });
  const reader = jsonArray(answers, clock).getReader();
  const first = reader.read();
  await clock.advance(10_000);
  expect((await first).value).toEqual(new TextEncoder().encode(" "));
  held.resolve('{"id":1}');
  let text = " ";
  for (let part = await reader.read(); !part.done; part = await reader.read())
    text += new TextDecoder().decode(part.value);
  expect(JSON.parse(text)).toEqual([{ id: 1 }]);
});
