/** Rate limits over HTTP: who is counted, what is told, and who is turned away. The clock is the test's. */
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { Client, type Json, refused } from "../support/current.ts";
import { sceneOfFile } from "../support/scene.ts";
import { type Caller, type Founded, startService } from "../support/service.ts";
import { ShiftedClock } from "../support/shifted-clock.ts";
import { createAgent, expectFailure } from "../support/v1.ts";

const WINDOW_MS = 60_000;
const HEADERS = [
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
  "x-ratelimit-burst",
  "x-ratelimit-window",
  "x-ratelimit-scope",
  "ratelimit-limit",
  "ratelimit-remaining",
  "ratelimit-reset",
  "ratelimit-policy",
];

const clock = new ShiftedClock();
const BAD = { token: "pat_unknown", tokenId: "", organizationId: "", userId: "" };
/** Well formed, and nobody's. */
const UNKNOWN = { ...BAD, token: "" };

const budgets = new Map<string, number>();

const { service, owner } = sceneOfFile({ clock, settings: { trustedProxies: ["127.0.0.1"] }, overrides: { budgets } });
beforeAll(async () => {
  const other = await service.found();
  UNKNOWN.token = `${other.token.slice(0, 10)}${other.token[10] === "a" ? "b" : "a"}${other.token.slice(11)}`;
});
/** Each test has a window of its own, and is 10 s into it. */
beforeEach(async () => {
  await clock.set((Math.floor(clock.now() / WINDOW_MS) + 1) * WINDOW_MS + 10_000);
});

/** A request from an address of its own, as the proxy tells it. */
function from(address: string, caller: Caller | null, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("x-forwarded-for", address);
  if (caller !== null) headers.set("authorization", `Bearer ${caller.token}`);
  return fetch(`${service.url}${path}`, { ...init, headers });
}
const read = (caller: Caller | null, path = "/api/tasks") => from("203.0.113.1", caller, path);
const remaining = (response: Response): number => Number(response.headers.get("x-ratelimit-remaining"));

/** Status of each of so many requests at once, by how often. */
async function flood(count: number, send: () => Promise<Response>): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  const one = async (): Promise<void> => {
    const response = await send();
    await response.arrayBuffer();
    counts[response.status] = (counts[response.status] ?? 0) + 1;
  };
  await Promise.all(Array.from({ length: count }, one));
  return counts;
}

/** All ten, agreeing with each other and with the clock. */
function expectHeaders(response: Response, budget = 3_000): void {
  const resetMs = (Math.floor(clock.now() / WINDOW_MS) + 1) * WINDOW_MS;
  const left = response.headers.get("x-ratelimit-remaining");
  expect(Object.fromEntries(HEADERS.map((name) => [name, response.headers.get(name)]))).toEqual({
    "x-ratelimit-limit": `${budget}`,
    "x-ratelimit-remaining": expect.stringMatching(/^\d+$/) as string,
    "x-ratelimit-reset": `${resetMs / 1_000}`,
    "x-ratelimit-burst": `${budget}`,
    "x-ratelimit-window": "60",
    "x-ratelimit-scope": "authenticated-identity",
    "ratelimit-limit": `${budget}`,
    "ratelimit-remaining": left,
    "ratelimit-reset": `${Math.ceil((resetMs - clock.now()) / 1_000)}`,
    "ratelimit-policy": `${budget};w=60`,
  });
}

describe("counting", () => {
  test("[RATE-1] of 3,100 concurrent requests 3,000 are answered and 100 get the time to retry", async () => {
    // Answered from memory: it is the counting that is tested.
    const agent = await createAgent(service, owner);
    expect(await flood(3_100, () => read(owner, `/api/agents/${agent}`))).toEqual({ 200: 3_000, 429: 100 });
    await clock.shift(20_500);
    const turnedAway = await read(owner);
    expect([turnedAway.headers.get("retry-after"), remaining(turnedAway)]).toEqual(["30", 0]);
    expectHeaders(turnedAway);
    await refused(turnedAway, 429, "rate_limited");
    await clock.shift(29_500);
    const next = await read(owner);
    expect([next.status, remaining(next)]).toEqual([200, 2_999]);
    expectHeaders(next);
  });

  test("[RATE-3] each token has its own budget, in its own organization and in others", async () => {
    const stranger = await service.found();
    const second = await service.tokenFor(owner, {});
    await flood(10, () => read(owner));
    for (const caller of [second, stranger]) expect(remaining(await read(caller))).toBe(2_999);
    expect(remaining(await read(owner))).toBe(2_989);
  });

  test("[RATE-4] an organization's budget can be raised, for all of its tokens", async () => {
    const raised = await service.found();
    budgets.set(raised.organizationId, 5_000);
    const answers = await flood(100, () => read(raised));
    expect(answers).toEqual({ 200: 100 });
    expect(remaining(await read(raised))).toBe(4_899);
    const second = await read(await service.tokenFor(raised, {}));
    expect(remaining(second)).toBe(4_999);
    expectHeaders(second, 5_000);
    budgets.set("*", 4_000);
    const [of, another] = [await service.found(), await service.tokenFor(raised, {})];
    expect([remaining(await read(of)), remaining(await read(another))]).toEqual([3_999, 4_999]);
    budgets.clear();
  });

  test("[RATE-3] requests without a valid token count for the address", async () => {
    expect(remaining(await from("203.0.113.2", null, "/api/tasks"))).toBe(2_999);
    expect(remaining(await from("203.0.113.2", BAD, "/api/tasks"))).toBe(2_998);
    expect(remaining(await from("203.0.113.2", UNKNOWN, "/api/tasks"))).toBe(2_997);
    expect(remaining(await from("203.0.113.2", null, "/api/nothing"))).toBe(2_996);
    expect(remaining(await from("203.0.113.3", null, "/api/tasks"))).toBe(2_999);
    expect(remaining(await from("203.0.113.2", owner, "/api/tasks"))).toBe(2_999);
  });

  test("[RATE-3] an IPv6 address counts by its /64", async () => {
    expect(remaining(await from("2001:db8::1", null, "/api/tasks"))).toBe(2_999);
    expect(remaining(await from("2001:db8::2", null, "/api/tasks"))).toBe(2_998);
    expect(remaining(await from("2001:db8:0:1::1", null, "/api/tasks"))).toBe(2_999);
  });

  test("[RATE-3] forwarded addresses from a peer that is not a configured proxy are ignored", async () => {
    const plain = await startService({ clock });
    const send = async (address: string) =>
      remaining(await fetch(`${plain.url}/api/tasks`, { headers: { "x-forwarded-for": address } }));
    expect([await send("203.0.113.2"), await send("203.0.113.3")]).toEqual([2_999, 2_998]);
    await plain.stop();
  });

  test("[RATE-3] a path that does not exist counts for its token, like every other request", async () => {
    await read(owner);
    expect(remaining(await read(owner, "/api/nothing"))).toBe(2_998);
    expect(remaining(await from("203.0.113.4", owner, "/api/tasks", { method: "OPTIONS" }))).toBe(2_997);
    expect(remaining(await from("203.0.113.4", owner, "/api/tasks", { method: "PUT" }))).toBe(2_996);
  });

  test("[RATE-3] a replayed request counts like any other", async () => {
    const agent = await createAgent(service, owner);
    const send = (): Promise<Response> =>
      from("203.0.113.1", owner, "/api/chats", {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": "one" },
        body: JSON.stringify({ agent_id: agent, workspace_id: owner.workspaceId }),
      });
    const [first, again] = [await send(), await send()];
    expect([first.status, again.headers.get("idempotency-status")]).toEqual([201, "replayed"]);
    expect(remaining(again)).toBe(remaining(first) - 1);
    for (const response of [first, again]) expectHeaders(response);
  });
});

describe("signed addresses", () => {
  async function pageOf(caller: Founded): Promise<string> {
    const client = new Client(service, caller);
    const chat = await client.chat(await createAgent(service, caller), caller.workspaceId);
    const { job } = await client.send(chat, "hello");
    await client.reached(job.id, "completed");
    return ((await client.job(job.id))["links"] as Json)["app_stream"] as string;
  }

  test("[RATE-2] [SSE-9] their streams have version and rate headers, of a budget separate from the token's", async () => {
    const caller = await service.found();
    const page = await pageOf(caller);
    budgets.set(caller.organizationId, 100);
    const before = remaining(await read(caller));
    for (const left of [99, 98]) {
      const stream = await from("203.0.113.20", null, page);
      expect([stream.status, remaining(stream)]).toEqual([200, left]);
      expectHeaders(stream, 100);
      expect(stream.headers.get("api-version")).toMatch(/^\d{4}-\d\d-\d\d$/);
      await stream.body?.cancel();
    }
    expect(remaining(await read(caller))).toBe(before - 1);
    expect(await flood(100, () => from("203.0.113.20", null, page))).toEqual({ 200: 98, 429: 2 });
    expect((await read(caller)).status).toBe(200);
    budgets.clear();
  });

  test("[RATE-4] [SSE-9] failed signatures are throttled by address, and do not block valid ones from that address", async () => {
    const page = await pageOf(owner);
    const forged = page.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
    const first = await from("203.0.113.21", null, forged);
    expect(remaining(first)).toBe(2_999);
    expectHeaders(first);
    await refused(first, 403, "invalid_signature");
    expect(await flood(3_000, () => from("203.0.113.21", null, forged))).toEqual({ 403: 2_999, 429: 1 });
    await refused(from("203.0.113.21", null, forged), 429, "rate_limited");
    const good = await from("203.0.113.21", null, page);
    expect(good.status).toBe(200);
    await good.body?.cancel();
    await refused(from("203.0.113.22", null, forged), 403, "invalid_signature");
  });

  test("[SSE-9] [VER-1] an unknown version is refused as everywhere", async () => {
    const answer = from("203.0.113.23", null, await pageOf(owner), { headers: { "api-version": "1999-01-01" } });
    await refused(answer, 400, "unsupported_api_version");
  });
});

describe("headers", () => {
  test("[RATE-2] they are on every kind of response of the current surface", async () => {
    const reader = await service.tokenFor(owner, { scopes: ["jobs:read"] });
    const json = { "content-type": "application/json" };
    const kinds: readonly (readonly [number, Promise<Response>])[] = [
      [200, read(owner)],
      [404, read(owner, "/api/tasks/tsk_none")],
      [404, read(owner, "/api/nothing")],
      [404, read(null, "/api/nothing")],
      [405, from("203.0.113.1", owner, "/api/tasks", { method: "PUT" })],
      [405, from("203.0.113.1", null, "/api/tasks", { method: "PUT" })],
      [204, from("203.0.113.1", null, "/api/tasks", { method: "OPTIONS" })],
      [401, read(null)],
      [401, read(BAD)],
      [403, read(reader)],
      [400, from("203.0.113.1", owner, "/api/chats", { method: "POST", headers: json, body: "{" })],
      [415, from("203.0.113.1", owner, "/api/chats", { method: "POST", body: "{}" })],
      [200, from("203.0.113.1", owner, "/api/tasks", { method: "HEAD" })],
    ];
    for (const [status, sent] of kinds) {
      const response = await sent;
      expect(response.status).toBe(status);
      expectHeaders(response);
    }
  });

  test("[RATE-2] they are on the 304 of a long poll", async () => {
    const agent = await createAgent(service, owner);
    const body = JSON.stringify({ agent_id: agent, workspace_id: owner.workspaceId });
    const init = { method: "POST", headers: { "content-type": "application/json" }, body };
    const chat = (await (await from("203.0.113.1", owner, "/api/chats", init)).json()) as { id: string };
    const poll = await read(owner, `/api/chats/${chat.id}?since_version=0`);
    const job = (await (
      await from("203.0.113.1", owner, `/api/chats/${chat.id}/messages`, {
        ...init,
        body: JSON.stringify({ content: "hi" }),
      })
    ).json()) as { job: { id: string } };
    const unchanged = await read(owner, `/api/jobs/${job.job.id}?since_version=1000`);
    expect([poll.status, unchanged.status]).toEqual([200, 304]);
    for (const response of [poll, unchanged]) expectHeaders(response);
  });

  test("[RATE-2] [RATE-3] they are on the head of a stream, which counts once", async () => {
    const agent = await createAgent(service, owner);
    const body = JSON.stringify({ agent_id: agent, workspace_id: owner.workspaceId });
    const init = { method: "POST", headers: { "content-type": "application/json" }, body };
    const chat = (await (await from("203.0.113.1", owner, "/api/chats", init)).json()) as { id: string };
    const stream = await read(owner, `/api/chats/${chat.id}/events`);
    expect(stream.headers.get("content-type")).toStartWith("text/event-stream");
    expectHeaders(stream);
    expect(remaining(await read(owner))).toBe(remaining(stream) - 1);
    await stream.body?.cancel();
  });

  test("[RATE-2] [RATE-6] they are on answers during shutdown, with a full budget", async () => {
    const stopping = await startService({ clock });
    const caller = await stopping.found();
    await stopping.system.stop();
    const response = await stopping.call(caller, "GET", "/api/tasks");
    expect([response.status, remaining(response)]).toEqual([503, 3_000]);
    expectHeaders(response);
    await stopping.stop();
  });

  test("[RATE-2] no other answers have them", async () => {
    for (const path of ["/", "/healthz", "/nothing", "/api/v1/agents", "/api/v1/nothing"]) {
      const response = await read(owner, path);
      expect(HEADERS.filter((name) => response.headers.has(name))).toEqual([]);
    }
  });

  test("[ERR-5] [RATE-2] a second Host header is 400, with the headers", async () => {
    const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
    let answer = "";
    socket.on("data", (bytes) => (answer += bytes.toString()));
    socket.write(
      `GET /api/tasks HTTP/1.1\r\nHost: a\r\nHost: b\r\nAuthorization: Bearer ${owner.token}\r\nConnection: close\r\n\r\n`,
    );
    await new Promise((resolve) => socket.on("close", resolve));
    expect(answer).toStartWith("HTTP/1.1 400");
    expect(answer).toContain('"code":"invalid_request"');
    expect(HEADERS.filter((name) => !answer.toLowerCase().includes(`\r\n${name}: `))).toEqual([]);
  });
});

describe("failed authentication", () => {
  test("[RATE-4] [RATE-5] it is throttled by address on both surfaces, each with its own error format, and a valid token is admitted", async () => {
    expect(await flood(1_500, () => from("203.0.113.5", BAD, "/api/v1/agents"))).toEqual({ 401: 1_500 });
    expect(await flood(1_600, () => from("203.0.113.5", null, "/api/tasks"))).toEqual({ 401: 1_500, 429: 100 });
    const v1 = await from("203.0.113.5", UNKNOWN, "/api/v1/agents");
    expect(v1.headers.get("retry-after")).toBe("50");
    expect(HEADERS.filter((name) => v1.headers.has(name))).toEqual([]);
    await expectFailure(v1, 429, "Too many requests. Try again later");
    await refused(await from("203.0.113.5", UNKNOWN, "/api/tasks"), 429, "rate_limited");
    expect((await from("203.0.113.6", BAD, "/api/v1/agents")).status).toBe(401);
    for (const path of ["/api/tasks", "/api/v1/agents"]) {
      expect((await from("203.0.113.5", owner, path)).status).toBe(200);
    }
  });

  test("[RATE-4] v1 has no rate limit for valid tokens, unless it is configured", async () => {
    const caller = await service.found();
    budgets.set(caller.organizationId, 50);
    const agent = await createAgent(service, caller);
    expect(await flood(100, () => read(caller, `/api/v1/agents/${agent}`))).toEqual({ 200: 100 });
    expect(remaining(await read(caller))).toBe(49);
    budgets.clear();
  });
});

test("[RATE-8] v1 has a protective limit for an organization, in its dialect and without rate headers", async () => {
  const guarded = await startService({ clock, settings: { v1RequestsPerMinute: 100 } });
  const caller = await guarded.found();
  const other = await guarded.found("Other");
  const send = (by: Caller) => guarded.call(by, "GET", "/api/v1/agents");
  const tokens = [caller, await guarded.tokenFor(caller, {})];
  const statuses = await Promise.all(Array.from({ length: 101 }, async (_, i) => (await send(tokens[i % 2]!)).status));
  expect(statuses.filter((status) => status === 200)).toHaveLength(100);
  const turnedAway = await send(caller);
  await expectFailure(turnedAway, 429, "Too many requests. Try again later");
  expect(turnedAway.headers.get("retry-after")).toBe("50");
  expect(HEADERS.filter((name) => turnedAway.headers.has(name))).toEqual([]);
  expect((await send(other)).status).toBe(200);
  // The current surface counts for itself.
  expect((await guarded.call(caller, "GET", "/api/tasks")).status).toBe(200);
  const policy = (await (await guarded.call(null, "GET", "/api/rate-limits")).json()) as { v1: object };
  expect(policy.v1).toEqual({ counted: false, protective_limit: 100 });
  await clock.shift(50_000);
  expect((await send(caller)).status).toBe(200);
  await guarded.stop();
});

test("[RATE-4] if configured, v1 has the limits of the current surface, also for streams", async () => {
  const limited = await startService({
    clock,
    settings: { rateLimitV1: true, rateBudgets: ["*=50"] },
  });
  limited.model.script = () => [{ say: "Hello" }];
  const caller = await limited.found();
  const agent = await createAgent(limited, caller);
  const stream = await limited.call(caller, "POST", `/api/v1/agents/${agent}/execute`, { message: "hi", stream: true });
  expect(stream.headers.get("content-type")).toStartWith("text/event-stream");
  expectHeaders(stream, 50);
  expect(await stream.text()).toContain("event: result");
  expect(remaining(await limited.call(caller, "GET", "/api/tasks"))).toBe(remaining(stream) - 1);
  await flood(50, () => limited.call(caller, "GET", `/api/v1/agents/${agent}`));
  const turnedAway = await limited.call(caller, "GET", "/api/v1/agents");
  expectHeaders(turnedAway, 50);
  await expectFailure(turnedAway, 429, "Too many requests. Try again later");
  await limited.stop();
});
