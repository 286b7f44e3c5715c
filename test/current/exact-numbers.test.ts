/** Numbers of callers and models keep their digits, wherever free JSON passes (GEN-18). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { parseExact } from "../../actors/exact-json.ts";
import type { ToolResultBlock } from "../../actors/job/schema.ts";
import { createEgress } from "../../src/egress/egress.ts";
import { answered, type Job, type Json, refused } from "../support/current.ts";
import { sceneOfTest } from "../support/scene.ts";
import { storedText } from "../support/stored-text.ts";

const DIGITS =
  '{"id":9007199254740993,"deep":[{"least":-9223372036854775808}],"half":0.1000000000000000055511151231257827,"long":123456789012345678901234567890,"plain":100000}';
const NUMBERS = parseExact(DIGITS) as Json;

let host: Bun.Server<undefined>;
const heard: string[] = [];
/** What the model calls its tool with, and answers after the result. */
let input: Json;
let answer: string;

const { service, owner, client } = sceneOfTest({ egress: createEgress({ allow: ["127.0.0.1"], production: false }) });
beforeAll(async () => {
  host = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      heard.push(new URL(request.url).pathname + new URL(request.url).search, await request.text());
      return new Response('{"balance":9007199254740993}', { headers: { "content-type": "application/json" } });
    },
  });
});
afterAll(() => host.stop(true));
beforeEach(() => {
  heard.length = 0;
  input = NUMBERS;
  answer = "done";
  service.model.script = ({ entries }) => {
    const last = entries.at(-1)!;
    return last.role === "user" &&
      !JSON.stringify(last).includes("tool_result") &&
      !JSON.stringify(last).includes("fit")
      ? [{ use: { type: "tool_use", id: "c1", name: "take", input: input as never } }]
      : [{ say: answer }];
  };
});

const text = async (path: string): Promise<string> => (await client.call("GET", path)).text();
async function sent(fields: Json, message: Json = {}): Promise<Job> {
  const id = await client.agent({ system_prompt: "x", ...fields });
  return (await client.send(await client.chat(id, owner.workspaceId), "hello", message)).job;
}
const tool = (fields: Json = {}): Json => ({
  kind: "client",
  name: "take",
  description: "Takes numbers",
  input_schema: {
    type: "object",
    properties: { id: { type: "integer" }, half: { type: "number" }, long: { type: "integer" } },
  },
  ...fields,
});

describe("metadata", () => {
  test("[GEN-18] of chats, messages and jobs is answered, stored and listed with its digits", async () => {
    const agent = await client.agent({ system_prompt: "x" });
    const body = { agent_id: agent, workspace_id: owner.workspaceId, metadata: NUMBERS };
    const made = await client.call("POST", "/api/chats", body);
    const whole = await made.text();
    expect(whole).toContain(`"metadata":${DIGITS}`);
    const { id } = JSON.parse(whole) as { id: string };
    const { job } = await client.send(id, "hello", { metadata: NUMBERS });
    await client.reached(job.id, "completed");
    expect(await text(`/api/jobs/${job.id}`)).toContain(`"metadata":${DIGITS}`);
    // Lists are read from the tables, where the fields of an object have another order.
    const parts = DIGITS.slice(1, -1).split(/,(?=")/);
    for (const path of ["/api/chats", "/api/jobs", `/api/chats/${id}/messages`])
      for (const part of parts) expect(await text(path)).toContain(part);
  });

  test("[GEN-18] has its digits in events, streams and repeated answers, and that of a mission too", async () => {
    const make = client.call("POST", "/api/agents", { name: "Ada", system_prompt: "x" });
    const { id: agent } = await answered<{ id: string }>(make, 201);
    const keyed = async (): Promise<string> => {
      const answer = await fetch(`${service.url}/api/chats`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${owner.token}`,
          "content-type": "application/json",
          "idempotency-key": "digits",
        },
        body: `{"agent_id":"${agent}","workspace_id":"${owner.workspaceId}","metadata":${DIGITS}}`,
      });
      return answer.text();
    };
    const first = await keyed();
    expect(first).toContain(DIGITS);
    expect(await keyed()).toBe(first);
    const { id } = JSON.parse(first) as { id: string };
    const { job } = await client.send(id, "hello", { metadata: NUMBERS });
    await client.reached(job.id, "completed");
    const mission = { agent_id: agent, title: "M", goal: "Count.", metadata: NUMBERS };
    expect(await (await client.call("POST", "/api/missions", mission)).text()).toContain(DIGITS);
    // A stream of a job that has ended ends by itself, after its snapshot and its events.
    expect(await text(`/api/jobs/${job.id}/events`)).toContain(DIGITS);
    const fed = await text("/api/events?limit=100");
    for (const type of ["chat.created", "mission.created"]) expect(fed).toContain(`"${type}"`);
    expect(fed.split("9007199254740993").length - 1).toBeGreaterThanOrEqual(2);
    expect(fed).not.toContain("9007199254740992");
  });

  test("[GEN-18] is found by its digits, and not by those of another number", async () => {
    const done = await client.reached((await sent({}, { metadata: { n: NUMBERS["id"] } })).id, "completed");
    const found = async (filter: string): Promise<unknown> =>
      (await client.get<{ jobs: Job[] }>(`/api/jobs?metadata=${encodeURIComponent(filter)}`)).jobs.map(({ id }) => id);
    expect(await found('{"n":9007199254740993}')).toEqual([done.id]);
    expect(await found('{"n":9007199254740992}')).toEqual([]);
    const bad = `/api/jobs?metadata=${encodeURIComponent('{"n":1e400}')}`;
    expect((await refused(client.call("GET", bad), 400, "invalid_request"))["errors"]).toEqual([
      {
        path: "/metadata",
        message: "metadata: Field n is out of range: 1e400; numbers have the range of a double",
      },
    ]);
  });
});

test("[GEN-18] a number that cannot be kept is 400 with its field, and so is one where another type is expected", async () => {
  const send = (body: string): Promise<Response> =>
    fetch(`${service.url}/api/agents`, {
      method: "POST",
      headers: { authorization: `Bearer ${owner.token}`, "content-type": "application/json" },
      body,
    });
  const errorsOf = async (body: string): Promise<unknown> =>
    (await refused(send(body), 400, "invalid_request"))["errors"];
  expect(await errorsOf('{"name":"Ada","system_prompt":"x","output_schema":{"maximum":1e400}}')).toEqual([
    {
      path: "/output_schema/maximum",
      message: "Field output_schema.maximum is out of range: 1e400; numbers have the range of a double",
    },
  ]);
  for (const [field, words] of [
    ["name", "Field name must be a string"],
    ["output_schema", "Field output_schema must be an object"],
    ["tools", "Field tools must be an array"],
  ])
    expect(await errorsOf(`{"name":"Ada","system_prompt":"x","${field}":9007199254740993}`)).toEqual([
      { path: `/${field}`, message: words },
    ]);
});

describe("arguments", () => {
  test("[GEN-18] of a client's tool reach the client, and go back to the model", async () => {
    const job = await client.reached((await sent({ tools: [tool()] })).id, "blocked");
    for (const path of [`/api/jobs/${job.id}`, `/api/jobs/${job.id}/transcript-events`])
      expect(await text(path)).toContain(DIGITS);
    expect(await storedText(service.database)).toContain("9007199254740993");
    await answered(
      client.call("POST", `/api/jobs/${job.id}/tool-results`, { results: [{ tool_call_id: "c1", content: "7" }] }),
    );
    await client.reached(job.id, "completed");
    expect(JSON.stringify(service.model.calls.at(-1)!.entries)).toContain(DIGITS);
  });

  test("[GEN-18] of an HTTP tool reach its host in each place, and its answer reaches the model", async () => {
    input = { id: NUMBERS["id"], long: NUMBERS["long"], half: NUMBERS["half"] };
    const http = { kind: "http", method: "POST", url: `http://127.0.0.1:${host.port}/of/{id}` };
    const places = [{ name: "long", place: "query" }];
    const job = await sent({ tools: [tool({ ...http, arguments: places })] });
    await client.reached(job.id, "completed");
    expect(heard).toEqual([
      "/of/9007199254740993?long=123456789012345678901234567890",
      '{"half":0.1000000000000000055511151231257827}',
    ]);
    const results = service.model.calls
      .at(-1)!
      .entries.flatMap((entry) => (entry.role === "assistant" ? entry.blocks : []))
      .filter((block): block is ToolResultBlock => block.type === "tool_result");
    expect(results.map(({ content }) => content)).toEqual(['{"balance":9007199254740993}']);
  });

  test("[GEN-18] are checked by their digits, also those that a person has edited", async () => {
    const schema = { type: "object", properties: { id: parseExact('{"type":"integer","maximum":9007199254740993}') } };
    const http = { kind: "http", method: "POST", url: `http://127.0.0.1:${host.port}/` };
    input = parseExact('{"id":9007199254740993}') as Json;
    const job = await sent({ tools: [tool({ ...http, input_schema: schema })], approval_tools: ["take"] });
    await client.reached(job.id, "blocked");
    const edit = (given: string): Promise<Response> =>
      client.decide(job.id, "approve", { arguments: parseExact(given) as Json });
    expect((await refused(edit('{"id":9007199254740994}'), 400, "invalid_request"))["errors"]).toEqual([
      { path: "/arguments/id", message: "Field arguments.id must be <= 9007199254740993" },
    ]);
    await answered(edit('{"id":9007199254740993,"more":12345678901234567890}'));
    await client.reached(job.id, "completed");
    expect(heard).toEqual(["/", '{"id":9007199254740993,"more":12345678901234567890}']);
  });
});

test("[GEN-18] a structured answer is checked and answered with its digits", async () => {
  const schema = parseExact('{"type":"object","properties":{"id":{"type":"integer","minimum":9007199254740993}}}');
  service.model.script = () => [{ say: answer }];
  answer = '{"id":9007199254740993}';
  const job = await client.reached((await sent({ output_schema: schema })).id, "completed");
  expect(await text(`/api/jobs/${job.id}`)).toContain(`"output":${answer}`);
  expect(JSON.stringify(service.model.calls.at(-1))).toContain('"minimum":9007199254740993');
  answer = '{"id":9007199254740992}';
  const failed = await client.reached((await sent({ output_schema: schema })).id, "failed");
  expect(failed.error).toMatchObject({ errors: [{ message: "Field output.id must be >= 9007199254740993" }] });
  answer = '{"id":1e400}';
  const beyond = await client.reached((await sent({ output_schema: schema })).id, "failed");
  expect(JSON.stringify(beyond.error)).toContain("The number at /id is out of range: 1e400");
});

test("[GEN-18] parameters of a query keep their digits, or are refused", async () => {
  const ask = (query: string, params: string): Promise<Response> =>
    client.call("POST", `/api/workspaces/${owner.workspaceId}/data-blocks/query`, {
      query,
      params: parseExact(params),
    });
  const rows = async (...given: Parameters<typeof ask>): Promise<unknown> =>
    (await answered<Json>(ask(...given), 200))["rows"];
  expect(await rows("SELECT $1 - 1 = 9007199254740992, $1::VARCHAR", "[9007199254740993]")).toEqual([
    [true, "9007199254740993"],
  ]);
  expect(await rows("SELECT $n::VARCHAR", '{"n":123456789012345678901234567890}')).toEqual([
    ["123456789012345678901234567890"],
  ]);
  const { errors } = await refused(ask("SELECT $1", "[0.12345678901234567890]"), 400, "invalid_request");
  expect(errors).toMatchObject([
    { path: "/params", message: expect.stringContaining("pass it as a string") as string },
  ]);
});
