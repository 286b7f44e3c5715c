/** Two replicas as processes of their own: whatever one is asked, both answer as one service. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { PlainBrowser } from "../support/plain-browser.ts";
import { ReplicaProcesses } from "../support/replica-processes.ts";
import { PASSWORD } from "../support/signed-in.ts";
import { eventually } from "../support/troupe-process.ts";

let replicas: ReplicaProcesses;

beforeAll(async () => void (replicas = await ReplicaProcesses.start(2)));
afterAll(() => replicas.stop());

test("[REP-4] a change through either replica is visible through both, and both replay an answer with the same bytes", async () => {
  const { owner, other } = await replicas.sides();
  const headers = { "idempotency-key": "one-task", "x-request-id": "from-the-client-1" };
  const first = await replicas.call(other, "POST", "/api/tasks", { title: "through another" }, headers);
  const text = await first.text();
  expect([first.status, first.headers.get("x-request-id")]).toEqual([201, "from-the-client-1"]);
  const { id } = JSON.parse(text) as { id: string };
  for (const at of [owner, other]) {
    const again = await replicas.call(at, "POST", "/api/tasks", { title: "through another" }, headers);
    expect([again.status, await again.text(), again.headers.get("idempotency-status")]).toEqual([
      201,
      text,
      "replayed",
    ]);
    const read = await replicas.call(at, "GET", `/api/tasks/${id}`);
    expect(await read.json()).toMatchObject({ id, title: "through another" });
    const list = (await (await replicas.call(at, "GET", "/api/tasks")).json()) as { tasks: { id: string }[] };
    expect(list.tasks.map((task) => task.id)).toEqual([id]);
  }
});

test("[REP-4] both replicas count in one rate window, and refuse a request in the same words", async () => {
  const { owner, other } = await replicas.sides();
  const left: number[] = [];
  for (let i = 0; i < 6; i++) {
    const answer = await replicas.call(i % 2 === 0 ? owner : other, "GET", "/api/tasks");
    left.push(Number(answer.headers.get("x-ratelimit-remaining")));
  }
  // A new window may have begun in between.
  expect(left.filter((n, i) => i > 0 && n !== left[i - 1]! - 1).length).toBeLessThanOrEqual(1);
  const refused = [];
  for (const at of [owner, other]) {
    const answer = await replicas.call(at, "POST", "/api/tasks", { nothing: 1 }, { "x-request-id": "the-same-id" });
    refused.push([answer.status, await answer.text()]);
  }
  expect(refused[0]).toEqual(refused[1]);
  expect(refused[0]![0]).toBe(400);
});

test("[REP-4] a forwarded request gets the owner's answer, of whatever kind", async () => {
  const { owner, other } = await replicas.sides();
  const made = await replicas.call(owner, "POST", "/api/tasks", { title: "answers" });
  const { id } = (await made.json()) as { id: string };
  const paths = [
    `/api/tasks/${id}`,
    `/api/v1/tasks/${id}`,
    "/api/tasks?limit=1",
    "/api/tasks?limit=0",
    "/api/tasks?nothing=1",
    "/api/tasks/tsk_none",
    // No other replica decodes a path as the client's does.
    `/api/tasks/${id.slice(0, -1)}%${id.at(-1)!.charCodeAt(0).toString(16)}`,
    "/api/tasks/%zz",
    "/api/tools",
  ];
  const headers = { "x-request-id": "the-same-id", "accept-encoding": "gzip", origin: "https://elsewhere.example" };
  for (const path of paths) {
    const answers = [];
    for (const at of [owner, other]) {
      const answer = await replicas.call(at, "GET", path, undefined, headers);
      const told = [...answer.headers].filter(([name]) => !/ratelimit|^date$/.test(name));
      answers.push([answer.status, Object.fromEntries(told), await answer.text()]);
    }
    expect(answers[1]).toEqual(answers[0]!);
  }
});

test("[START-50] a forwarded request has one log line, at the owner", async () => {
  const { owner, other } = await replicas.sides();
  const headers = { "x-request-id": "one-line-of-log" };
  expect((await replicas.call(other, "GET", "/api/tasks", undefined, headers)).status).toBe(200);
  const lines = (at: typeof owner) => at.log.filter(({ requestId }) => requestId === "one-line-of-log");
  await eventually("it is in the log", () => lines(owner).length === 1);
  // What is written after it has come too.
  await replicas.call(other, "GET", "/api/tasks", undefined, { authorization: "none", "x-request-id": "behind-it" });
  await eventually("the log is read", () => other.log.some(({ requestId }) => requestId === "behind-it"));
  expect([lines(owner).length, lines(other).length]).toEqual([1, 0]);
});

test("[REP-4] bodies are forwarded as they arrive, and a token revoked at one replica is refused by both at once", async () => {
  const { owner, other } = await replicas.sides();
  const big = "x".repeat(200_000);
  const sent = await replicas.call(other, "POST", "/api/tasks", { title: "big", description: big.slice(0, 9_000) });
  expect(sent.status).toBe(201);
  const made = (await (
    await replicas.call(owner, "POST", "/api/personal-access-tokens", { name: "short", scopes: ["tasks:read"] })
  ).json()) as { id: string; token: string };
  const asked = (at: typeof owner) =>
    fetch(`${at.url}/api/tasks`, { headers: { authorization: `Bearer ${made.token}` } }).then(({ status }) => status);
  expect([await asked(owner), await asked(other)]).toEqual([200, 200]);
  expect((await replicas.call(other, "POST", `/api/personal-access-tokens/${made.id}/revoke`)).status).toBe(200);
  expect([await asked(owner), await asked(other)]).toEqual([401, 401]);
});

test("[REP-4] a forwarded download states its length, in whole and for a range", async () => {
  const { owner, other } = await replicas.sides();
  const [workspace] = await replicas.sql<{ id: string }[]>`select id from workspace`;
  const path = `/api/workspaces/${workspace!.id}/files/content?path=long.bin`;
  const authorization = `Bearer ${replicas.token}`;
  const body = "0123456789".repeat(20_000);
  expect((await fetch(other.url + path, { method: "PUT", headers: { authorization }, body })).status).toBe(201);
  for (const at of [owner, other]) {
    const whole = await fetch(at.url + path, { headers: { authorization } });
    const length = whole.headers.get("content-length");
    expect([whole.status, length, (await whole.text()) === body]).toEqual([200, "200000", true]);
    expect([...whole.headers.keys()].filter((name) => name.startsWith("troupe-"))).toEqual([]);
    const part = await fetch(at.url + path, { headers: { authorization, range: "bytes=5-100004" } });
    expect([part.status, part.headers.get("content-length"), part.headers.get("content-range")]).toEqual([
      206,
      "100000",
      "bytes 5-100004/200000",
    ]);
    expect(await part.text()).toBe(body.slice(5, 100_005));
    const tag = whole.headers.get("etag")!;
    expect((await fetch(at.url + path, { headers: { authorization, "if-none-match": tag } })).status).toBe(304);
  }
});

test("[MCP-1] both replicas serve one MCP session, and ending it at one ends it at both", async () => {
  const { owner, other } = await replicas.sides();
  const accept = { accept: "application/json, text/event-stream" };
  const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const opening = { jsonrpc: "2.0", id: 1, method: "initialize", params: hello };
  const opened = await replicas.call(other, "POST", "/mcp", opening, accept);
  const session = { ...accept, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
  const ping = async (at: typeof owner): Promise<number> =>
    (await replicas.call(at, "POST", "/mcp", { jsonrpc: "2.0", id: 2, method: "ping" }, session)).status;
  expect([await ping(owner), await ping(other)]).toEqual([200, 200]);
  expect((await replicas.call(other, "DELETE", "/mcp", undefined, session)).status).toBe(200);
  expect([await ping(owner), await ping(other)]).toEqual([404, 404]);
});

test("[REP-4] a sign-in at one replica is valid at both, and a sign-out at one ends it at both", async () => {
  const { owner, other } = await replicas.sides();
  const [first, second] = [other, owner].map(({ url }) => new PlainBrowser({ url, origin: url })) as [
    PlainBrowser,
    PlainBrowser,
  ];
  const { out } = await replicas.admin(owner, ["user", "link", "--email", "owner@localhost"]);
  const { pathname, search } = new URL(out.split("\n").at(-1)!);
  const page = await first.get(pathname + search);
  const password = { password: PASSWORD, again: PASSWORD };
  expect((await first.submit(page, "/set-password", password)).at).toBe("/app");
  for (const [name, value] of first.cookies) second.cookies.set(name, value);
  const account = await second.get("/account");
  expect([account.status, account.at]).toEqual([200, "/account"]);
  expect((await second.submit(account, "/sign-out")).at).toBe("/sign-in");
  expect((await first.get("/account")).at).toStartWith("/sign-in");
});

test("[REP-4] [AUTH-13] pages and commands change the same things at either replica", async () => {
  const { owner, other } = await replicas.sides();
  for (const at of [owner, other]) {
    const browser = new PlainBrowser({ url: at.url, origin: at.url });
    const { out } = await replicas.admin(owner, ["user", "link", "--email", "owner@localhost"]);
    const { pathname, search } = new URL(out.split("\n").at(-1)!);
    const password = { password: PASSWORD, again: PASSWORD };
    await browser.submit(await browser.get(pathname + search), "/set-password", password);
    const named = { name: `at-${at.pid}`, scope: ["agents:read"], days: "30" };
    const page = await browser.submit(await browser.get("/account"), "/account/tokens", named);
    expect([page.status, page.html]).toEqual([200, expect.stringContaining(`The token “${named.name}”`)]);
    const made = await replicas.admin(at, ["token", "create", "--email", "owner@localhost"]);
    expect([made.code, made.out]).toEqual([0, expect.stringContaining("Shown once:")]);
  }
});

test("[REP-4] the replicas' port answers nobody without the key", async () => {
  const rows = await replicas.sql<{ id: string; peer_url: string }[]>`select id, peer_url from replica where not dead`;
  for (const { peer_url: url } of rows) {
    for (const path of ["/.replica/alive", "/api/tasks"]) {
      const headers = {
        authorization: `Bearer ${replicas.token}`,
        "troupe-client": "127.0.0.1",
        "troupe-peer": "1.00",
      };
      expect((await fetch(url + path, { headers })).status).toBe(403);
    }
  }
});

test("[REP-5] a forwarded stream continues without a gap after a kill of its owner, and so do changes", async () => {
  const { owner, other } = await replicas.sides();
  const [workspace] = await replicas.sql<{ id: string }[]>`select id from workspace`;
  const what = { agent_id: replicas.agentId, workspace_id: workspace!.id };
  const made = await replicas.call(other, "POST", "/api/chats", what);
  expect(made.status).toBe(201);
  const chat = (await made.json()) as { id: string };
  const leave = new AbortController();
  const stream = await fetch(`${other.url}/api/chats/${chat.id}/events`, {
    headers: { authorization: `Bearer ${replicas.token}` },
    signal: leave.signal,
  });
  let text = "";
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of stream.body!) text += decoder.decode(bytes, { stream: true });
  })().catch(() => {});
  const say = (content: string) =>
    replicas.call(other, "POST", `/api/chats/${chat.id}/messages`, { content }, { "idempotency-key": content });
  const ended = (): number => text.split("event: message.completed").length - 1;
  expect((await say("first")).status).toBe(202);
  await eventually("the first answer is told", () => ended() === 1);
  expect(await owner.end("SIGKILL")).toBe("SIGKILL");
  // A retry under its key gets through: once.
  await eventually("the second message is taken", async () => (await say("second")).status === 202);
  await eventually("the second answer is told", () => ended() === 2);
  leave.abort();
  await reading;
  const seqs = [...text.matchAll(/\nid: (\d+)(?:\.\d+)?\n\n/g)].map(([, seq]) => Number(seq));
  const events = [...new Set(seqs)];
  expect(events).toEqual(Array.from({ length: events.length }, (_, i) => events[0]! + i));
  expect(text).not.toContain("stream.closing");
  // The message of the retried request is there once.
  expect(text.split('"content":"second"').length - 1).toBe(1);
});
