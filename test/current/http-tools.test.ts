/** An agent's tools that are requests (RUN-13), over HTTP: the record, the call, approval, secrets, and what is refused. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { DEFAULT_SCOPES } from "../../actors/organization/principal.ts";
import type { ToolResultBlock } from "../../actors/job/schema.ts";
import { createEgress } from "../../src/egress/egress.ts";
import { answered, Client, type Job, type Json, refused } from "../support/current.ts";
import { sceneOfTest } from "../support/scene.ts";
import { storedText } from "../support/stored-text.ts";

const KEY = `shop-key-${crypto.randomUUID()}`;

let shop: Bun.Server<undefined>;
const heard: { method: string; path: string; headers: Headers; body: string }[] = [];
let input: Json = { article: "pen" };

const { service, owner, client } = sceneOfTest({ egress: createEgress({ allow: ["127.0.0.1"], production: false }) });
beforeAll(async () => {
  shop = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      heard.push({
        method: request.method,
        path: pathname + search,
        headers: request.headers,
        body: await request.text(),
      });
      return Response.json({ price: 7, you: request.headers.get("x-api-key") });
    },
  });
});
afterAll(() => shop.stop(true));
beforeEach(() => {
  heard.length = 0;
  input = { article: "pen" };
  service.model.script = ({ entries }) => {
    const last = entries.at(-1);
    const result =
      last?.role === "assistant" ? last.blocks.find((b): b is ToolResultBlock => b.type === "tool_result") : null;
    return result
      ? [{ say: `${result.is_error ? "error" : "heard"}: ${result.content}` }]
      : [{ use: { type: "tool_use", id: "c1", name: "price", input: input as never } }];
  };
});

const tool = (fields: Json = {}): Json => ({
  kind: "http",
  name: "price",
  description: "The price of an article",
  input_schema: {
    type: "object",
    properties: { article: { type: "string" }, currency: { enum: ["EUR", "USD"] } },
    required: ["article"],
  },
  method: "GET",
  url: `http://127.0.0.1:${shop.port}/articles/{article}`,
  ...fields,
});
const agent = (by: Client, tools: readonly Json[], fields: Json = {}): Promise<Response> =>
  by.call("POST", "/api/agents", { name: "Clerk", system_prompt: "x", tools, ...fields });
async function sent(tools: readonly Json[], fields: Json = {}): Promise<Job> {
  const { id } = await answered<{ id: string }>(agent(client, tools, fields), 201);
  return (await client.send(await client.chat(id, owner.workspaceId), "hello")).job;
}
const said = async (...tools: readonly Json[]): Promise<string | null> =>
  (await client.reached((await sent(tools)).id, "completed")).result;

test("[RUN-13] a call is a request with the key of the call, and its secrets appear nowhere else", async () => {
  await answered(client.call("PUT", "/api/secrets/shop", { value: KEY }), 201);
  const job = await sent([
    tool({
      headers: [
        { name: "X-Api-Key", secret: "shop" },
        { name: "x-version", value: "3" },
      ],
    }),
  ]);
  const done = await client.reached(job.id, "completed");
  expect(done.result).toBe('heard: {"price":7,"you":"[hidden]"}');
  expect(done).toMatchObject({ metrics: { tool_calls: 1 } });
  expect(heard.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /articles/pen"]);
  const { headers } = heard[0]!;
  expect(["x-api-key", "x-version", "idempotency-key"].map((name) => headers.get(name))).toEqual([
    KEY,
    "3",
    `${job.id}:1:c1`,
  ]);
  const shown = [
    await storedText(service.database),
    JSON.stringify(service.log),
    await (await client.call("GET", `/api/jobs/${job.id}/transcript-events`)).text(),
    await (await client.call("GET", "/api/agents")).text(),
  ];
  for (const text of shown) expect(text.includes(KEY)).toBe(false);
  await refused(client.call("DELETE", "/api/secrets/shop"), 409, "secret_in_use");
});

test("[RUN-13] arguments that do not fit the schema reach no host, and the model gets the errors", async () => {
  input = { article: 5, currency: "GBP" };
  const result = await said(tool());
  expect(result).toContain("error: The arguments are not valid: Field arguments.article must be a string");
  expect(result).toContain("EUR, USD");
  expect(heard).toEqual([]);
});

test("[RUN-13] a call that needs approval waits, and takes edited arguments that fit", async () => {
  const { id } = await sent([tool()], { approval_tools: ["price"] });
  await client.reached(id, "blocked");
  await refused(client.decide(id, "approve", { arguments: { article: 5 } }), 400, "invalid_request");
  expect(heard).toEqual([]);
  await answered(client.decide(id, "approve", { arguments: { article: "ink" } }));
  await client.reached(id, "completed");
  expect(heard.map(({ path }) => path)).toEqual(["/articles/ink"]);
});

test("[RUN-12] no approval is requested for arguments that do not fit the schema", async () => {
  input = { article: 5 };
  const { id } = await sent([tool()], { approval_tools: ["price"] });
  expect((await client.reached(id, "completed")).result).toContain("error: The arguments are not valid");
  expect(heard).toEqual([]);
});

test("[RUN-12] a client is not asked to run a call that does not fit its tool's schema", async () => {
  const own = tool();
  for (const field of ["method", "url"]) delete own[field];
  input = { article: 5 };
  const { id } = await sent([{ ...own, kind: "client" }], { approval_tools: ["price"] });
  expect((await client.reached(id, "completed")).result).toBe(
    "error: The arguments are not valid: Field arguments.article must be a string.",
  );
});

test("[RUN-13] only owners with secrets:use can name a secret and change its agent", async () => {
  await answered(client.call("PUT", "/api/secrets/shop", { value: KEY }), 201);
  const secret = tool({ headers: [{ name: "authorization", secret: "shop", prefix: "Bearer " }] });
  const signed = tool({ signing_secret: "shop" });
  const limited = new Client(service, await service.tokenFor(owner, { scopes: [...DEFAULT_SCOPES] }));
  for (const one of [secret, signed]) await refused(agent(limited, [one]), 403, "insufficient_scope");
  const { id } = await answered<{ id: string }>(agent(client, [signed], { visibility: "organization" }), 201);
  await refused(limited.call("PATCH", `/api/agents/${id}`, { tools: [] }), 403, "insufficient_scope");
  await refused(client.call("DELETE", "/api/secrets/shop"), 409, "secret_in_use");
  const job = (await client.send(await client.chat(id, owner.workspaceId), "hello")).job;
  expect((await client.reached(job.id, "completed")).result).toContain("begins with whsec_");
  const { errors } = await refused(agent(client, [tool({ signing_secret: "gone" })]), 400, "invalid_request");
  expect(errors).toMatchObject([{ path: "/tools/0/signing_secret" }]);
});

test("[RUN-13] a tool is shown with its defaults, and refused where it cannot be called", async () => {
  const { tools } = await answered<{ tools: Json[] }>(agent(client, [tool({ method: "POST" })]), 201);
  expect(tools).toEqual([
    tool({
      method: "POST",
      arguments: [],
      headers: [],
      timeout_ms: 30_000,
      retry: { times: 2, pause_ms: 500 },
      repeatable: false,
    }),
  ]);
  const at = (path: string): string => `http://127.0.0.1:${shop.port}${path}`;
  const cases: readonly [Json, string][] = [
    [{ kind: "client" }, "/method"],
    [{ url: null }, "/url"],
    [{ url: "https://user:pass@shop.test/" }, "/url"],
    [{ url: "http://{article}.test/" }, "/url"],
    [{ url: "https:///shop.test{article}/" }, "/url"],
    [{ url: "https://\t/shop.test{article}/" }, "/url"],
    [{ url: "https://\\shop.test{article}/" }, "/url"],
    [{ url: at("/x?a={article}") }, "/url"],
    [{ url: at("/{gone}") }, "/url"],
    [{ url: "http://10.1.2.3/" }, "/url"],
    [{ headers: [{ name: "Host", value: "x" }] }, "/headers/0/name"],
    [{ headers: [{ name: "idempotency-key", value: "x" }] }, "/headers/0/name"],
    [{ headers: [{ name: "x-a" }] }, "/headers/0"],
    [{ headers: [{ name: "Authorization", value: "Bearer x" }] }, "/headers/0/value"],
    [
      {
        headers: [
          { name: "x-a", value: "1" },
          { name: "X-A", value: "2" },
        ],
      },
      "/headers/1/name",
    ],
    [{ arguments: [{ name: "gone", place: "query" }] }, "/arguments/0"],
    [{ arguments: [{ name: "article", place: "path", as: "id" }] }, "/arguments/0"],
    [{ arguments: [{ name: "currency", place: "body" }] }, "/arguments/0"],
    [{ arguments: [{ name: "currency", place: "header", as: "Authorization" }] }, "/arguments/0"],
    [{ retry: { times: 6 } }, "/retry/times"],
    [{ timeout_ms: 200_000 }, "/timeout_ms"],
  ];
  for (const [fields, path] of cases) {
    const { errors } = await refused(agent(client, [tool(fields)]), 400, "invalid_request");
    expect([(errors as { path: string }[])[0]?.path, JSON.stringify(fields)]).toEqual([
      `/tools/0${path}`,
      JSON.stringify(fields),
    ]);
  }
});
