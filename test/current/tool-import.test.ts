/** Tools of an agent from an OpenAPI document (RUN-14), over HTTP: chosen, shown before, called, and what is refused. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { createEgress } from "../../src/egress/egress.ts";
import { answered, type Json, refused } from "../support/current.ts";
import { sceneOfTest } from "../support/scene.ts";

interface Import {
  readonly tools: readonly { readonly name: string }[];
  readonly operations: readonly { readonly operation_id: string }[];
  readonly version: number;
}

let shop: Bun.Server<undefined>;
const asked: string[] = [];
let agentId: string;

const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Shop" },
  paths: {
    "/articles/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      get: { operationId: "getArticle", parameters: [{ name: "X-Version", in: "header", required: true, schema: {} }] },
      put: {
        operationId: "setPrice",
        requestBody: {
          content: { "application/json": { schema: { type: "object", properties: { price: { type: "number" } } } } },
        },
      },
    },
    "/upload": { post: { operationId: "upload", requestBody: { required: true, content: { "image/png": {} } } } },
    "/tasks": { post: { operationId: "create_task" } },
  },
};

const { service, owner, client } = sceneOfTest({ egress: createEgress({ allow: ["127.0.0.1"], production: false }) });
beforeAll(async () => {
  shop = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/openapi.json") return Response.json(DOCUMENT);
      if (pathname === "/gone") return new Response("no", { status: 404 });
      asked.push(`${request.method} ${pathname} ${await request.text()}`);
      return Response.json({ ok: true });
    },
  });
});
afterAll(() => shop.stop(true));
beforeEach(async () => {
  const lookup = { kind: "client", name: "lookup", description: "d", input_schema: { type: "object" } };
  agentId = await client.agent({ name: "Clerk", system_prompt: "x", tools: [lookup] });
});

const at = (path: string): string => `http://127.0.0.1:${shop.port}${path}`;
const make = (body: Json): Promise<Response> => client.call("POST", `/api/agents/${agentId}/tools/import`, body);
const named = async (): Promise<string[]> =>
  (await client.get<{ tools: { name: string }[] }>(`/api/agents/${agentId}`)).tools.map(({ name }) => name);

test("[RUN-14] a dry run shows operations and tools, and stores nothing", async () => {
  const all = await answered<Import>(make({ url: at("/openapi.json"), dry_run: true }));
  expect(all).toMatchObject({ title: "Shop", operations_total: 4, tools: [], dry_run: true, version: 1 });
  expect(all.operations.map(({ operation_id }) => operation_id)).toEqual([
    "getArticle",
    "setPrice",
    "upload",
    "create_task",
  ]);
  const one = await answered<Import>(
    make({ url: at("/openapi.json"), operations: ["setPrice"], prefix: "shop_", dry_run: true }),
  );
  expect(one.tools).toMatchObject([
    { name: "shop_setPrice", method: "PUT", url: at("/articles/{id}"), repeatable: true },
  ]);
  expect(await named()).toEqual(["lookup"]);
  await refused(make({ url: at("/openapi.json") }), 400, "invalid_request");
});

test("[RUN-14] selected operations become tools, and a repeated import replaces them", async () => {
  const body = { document: DOCUMENT, operations: ["setPrice", "getArticle"], server_url: at("") };
  const version = { name: "x-version", value: "3" };
  await answered(make({ ...body, headers: [version] }));
  const again = await answered<Import>(make({ ...body, headers: [version], timeout_ms: 5_000 }));
  expect(again.version).toBe(3);
  expect(again.tools[1]).toMatchObject({
    timeout_ms: 5_000,
    headers: [version],
    arguments: [{ name: "id", place: "path" }],
  });
  expect(await named()).toEqual(["lookup", "setPrice", "getArticle"]);
  const use = { type: "tool_use", id: "c1", name: "setPrice", input: { id: "pen", price: 7 } } as const;
  service.model.script = ({ entries }) => (entries.at(-1)?.role === "user" ? [{ use }] : [{ say: "done" }]);
  const { job } = await client.send(await client.chat(agentId, owner.workspaceId), "hello");
  await client.reached(job.id, "completed");
  expect(asked).toEqual(['PUT /articles/pen {"price":7}']);
});

test("[RUN-14] an operation with a header for its key and one for credentials becomes a tool", async () => {
  await client.call("PUT", "/api/secrets/shop-key", { value: "very-secret-1" });
  const names = ["Idempotency-Key", "X-Api-Key"];
  const parameters = names.map((name) => ({ name, in: "header", required: true, schema: {} }));
  const paths = { "/orders": { post: { operationId: "order", parameters } } };
  const given = { document: { ...DOCUMENT, paths }, server_url: at(""), operations: ["order"] };
  const headers = [{ name: "X-Api-Key", secret: "shop-key" }];
  const made = await answered<{ tools: readonly Json[] }>(make({ ...given, headers }), 200);
  expect(made.tools[0]).toMatchObject({ name: "order", headers, arguments: [] });
  const { errors } = await refused(make(given), 400, "invalid_request");
  const message = "Its parameter X-Api-Key is a header with credentials: give it in `headers`";
  expect(errors).toEqual([{ path: "/operations/0", message }]);
});

test("[RUN-14] an operation that cannot be imported is reported at its place, and nothing is stored", async () => {
  const wrong = async (body: Json, path: string, words: string): Promise<void> => {
    const { errors } = await refused(
      make({ document: DOCUMENT, server_url: at(""), operations: ["getArticle"], ...body }),
      400,
      "invalid_request",
    );
    const found = errors as { path: string; message: string }[];
    expect(found[0]).toEqual({ path, message: expect.stringContaining(words) as string });
  };
  await wrong({ operations: ["getArticle", "upload"] }, "/operations/1", "it is not JSON");
  await wrong({ operations: ["getArticle", "gone"] }, "/operations/1", "no operation gone");
  await wrong({ operations: ["getArticle", "create_task"] }, "/operations/1", "tool of the service");
  await wrong({ server_url: "http://10.1.2.3" }, "/operations/0", "not public");
  await wrong({ server_url: undefined }, "/operations/0", "server_url");
  await wrong({ server_url: null }, "/server_url", "must not be null");
  await wrong({ text: "x" }, "/document", "one of");
  await wrong({ document: { swagger: "2.0" } }, "/document", "Swagger");
  await wrong({ headers: [{ name: "Authorization", secret: "gone" }] }, "/headers/0/secret", "no secret gone");
  await wrong({ document: undefined, url: at("/gone") }, "/url", "answered 404");
  await wrong({ document: undefined, url: "http://10.1.2.3/x" }, "/url", "");
  expect(await named()).toEqual(["lookup"]);
  const other = { url: at("/openapi.json"), operations: ["getArticle"] };
  const stale = service.call(owner, "POST", `/api/agents/${agentId}/tools/import`, other, { "if-match": "7" });
  await refused(stale, 409, "version_conflict");
  const stranger = await service.found();
  await refused(service.call(stranger, "POST", `/api/agents/${agentId}/tools/import`, other), 404, "not_found");
});
