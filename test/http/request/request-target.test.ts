/** What a request names, sent by raw sockets: `fetch` would bring paths into their normal form itself. */
import { expect, test } from "bun:test";
import { connect } from "node:net";
import { sceneOfFile } from "../../support/scene.ts";

const { service, owner } = sceneOfFile();

interface RawAnswer {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

/** Sends a request as it is written here. */
async function raw(
  target: string,
  { method = "GET", headers = [] as readonly string[], body = "" } = {},
): Promise<RawAnswer> {
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  let text = "";
  socket.on("data", (bytes) => (text += bytes.toString()));
  const lines = [
    `${method} ${target} HTTP/1.1`,
    "Host: troupe.test",
    `Authorization: Bearer ${owner.token}`,
    "Connection: close",
    ...headers,
    ...(body === "" ? [] : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]),
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`);
  await new Promise((resolve) => socket.on("close", resolve));
  const [head = "", ...rest] = text.split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), headers: head.toLowerCase(), body: rest.join("\r\n\r\n") };
}

const REWRITTEN = [
  "/api/x/../agents",
  "/api/./agents",
  "/api/x/%2e%2e/agents",
  "/api/x/%2E%2e/agents",
  "/api/%2e/agents",
  "/api\\agents",
  "/api/v1/x/../agents",
  "/api/v1\\agents",
  "/x/../api/version",
  "/x/../healthz",
  "/x/../",
];

test.each(REWRITTEN)("[GEN-15] %s is 400: without rewriting it is another path", async (target) => {
  const answer = await raw(target);
  expect([answer.status, answer.body]).toEqual([400, expect.stringContaining("normal form") as string]);
  expect(answer.headers).toContain("x-request-id: ");
  expect((await raw(target, { method: "HEAD" })).status).toBe(400);
  const post = await raw(target, { method: "POST", body: "{}" });
  expect([400, 405]).toContain(post.status);
});

test("[GEN-15] [GEN-1] each surface refuses in its error format, and the request counts for its address", async () => {
  const current = await raw("/api/x/../agents");
  expect(JSON.parse(current.body)).toMatchObject({
    code: "invalid_request",
    details: { errors: [{ path: "/path", message: expect.any(String) as string }] },
  });
  expect(current.headers).toContain("x-ratelimit-remaining: ");
  const v1 = await raw("/api/v1/x/../agents");
  expect(JSON.parse(v1.body)).toMatchObject({ error: true, statusCode: 400, statusMessage: "Bad Request" });
});

test("[GEN-15] a rewritten path changes nothing, with any method", async () => {
  const body = JSON.stringify({ name: "Ada", systemPrompt: "P" });
  const made = await raw("/api/v1/x/../agents", { method: "POST", body });
  expect(made.status).toBe(400);
  expect(JSON.parse((await raw("/api/v1/agents")).body)).toMatchObject({ agents: [] });
});

test.each([
  "/api//agents",
  "//api/agents",
  "//troupe.test/api/agents",
  "/api/%61gents",
  "/api/agents%2f",
  "/API/agents",
  "/api/agents/..",
  "/api/agents/%2e%2e",
  "/api/agents/.",
  "/api/v1/agents/%2e%2e",
  "/api/chats/../messages",
  "/api/agents/x%2f..",
])("[GEN-15] %s is 404", async (target) => {
  expect((await raw(target)).status).toBe(404);
});

test("[GEN-15] a slash at the end is redirected, with the method and the query, for known paths only", async () => {
  for (const [target, location] of [
    ["/api/agents/", "/api/agents"],
    ["/api/agents/?limit=1", "/api/agents?limit=1"],
    ["/api/v1/agents/", "/api/v1/agents"],
    ["/api/agents/agt_x/", "/api/agents/agt_x"],
    ["/healthz/", "/healthz"],
    ["/api/x/../agents/", "/api/agents"],
  ] as const) {
    const answer = await raw(target);
    expect([target, answer.status, /location: (.*)/.exec(answer.headers)?.[1]]).toEqual([target, 308, location]);
    expect(answer.headers).toContain("x-request-id: ");
  }
  expect((await raw("/api/v1/agents/", { method: "POST", body: "{}" })).status).toBe(308);
  for (const target of ["/api/nothing/", "//other.test/", "/\\other.test/"])
    expect((await raw(target)).status).toBe(404);
  expect((await raw("/api/agents/", { method: "PUT", body: "{}" })).status).toBe(404);
  const followed = await service.call(owner, "POST", "/api/v1/tasks/", { title: "T" });
  expect([followed.status, followed.redirected]).toEqual([200, true]);
});

test("[GEN-15] an absolute URI is its path, in its normal form only", async () => {
  expect((await raw("http://troupe.test/api/agents")).status).toBe(200);
  expect((await raw("http://troupe.test/api/x/../agents")).status).toBe(400);
  expect((await raw("ftp://troupe.test/api/agents")).status).toBe(400);
  expect((await raw("api/agents")).status).toBe(400);
});

test("[IDEM-1] two Idempotency-Key headers are refused on both surfaces, and nothing is executed", async () => {
  const pairs = [
    ["a", "b"],
    ["a", "a"],
    ['"a"', '"b"'],
    ["a", '"b"'],
    ["a", ""],
  ] as const;
  for (const [first, second] of pairs) {
    const headers = [`Idempotency-Key: ${first}`, `idempotency-key: ${second}`];
    const body = JSON.stringify({ title: "Twice" });
    const v1 = await raw("/api/v1/tasks", { method: "POST", headers, body });
    expect([v1.status, JSON.parse(v1.body)]).toMatchObject([400, { error: true, statusMessage: "Bad Request" }]);
    const current = await raw("/api/personal-access-tokens", {
      method: "POST",
      headers,
      body: JSON.stringify({ name: "Twice", scopes: ["mcp"] }),
    });
    expect([current.status, JSON.parse(current.body)]).toMatchObject([400, { code: "invalid_idempotency_key" }]);
  }
  expect((await raw("/api/v1/tasks")).body).not.toContain("Twice");
  expect((await raw("/api/personal-access-tokens")).body).not.toContain("Twice");
  const one = await raw("/api/v1/tasks", {
    method: "POST",
    headers: ['Idempotency-Key: "a, b"'],
    body: JSON.stringify({ title: "Once" }),
  });
  expect(one.status).toBe(200);
});
