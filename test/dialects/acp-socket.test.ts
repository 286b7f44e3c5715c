/** The WebSocket of ACP: who may open it, what ends it, and messages that are none (DIA-19, DIA-23). */
import { beforeAll, expect, test } from "bun:test";
import { AcpEditor, acpSocket } from "../support/acp-editor.ts";
import { until } from "../support/condition.ts";
import { gate } from "../support/fake-model.ts";
import { sceneOfFile } from "../support/scene.ts";
import { type Founded, type Service, startService } from "../support/service.ts";

let agent: string;
const { service, owner } = sceneOfFile();
beforeAll(async () => void (agent = await makeAgent(service, owner)));

async function makeAgent(of: Service, by: Founded): Promise<string> {
  const made = await of.call(by, "POST", "/api/agents", { name: "Ada", system_prompt: "Be brief." });
  return ((await made.json()) as { id: string }).id;
}

interface RawSocket {
  readonly socket: WebSocket;
  readonly heard: unknown[];
  readonly ends: { readonly code: number; readonly reason: string }[];
}

async function openRaw(token: string, url = service.url): Promise<RawSocket> {
  const headers = { authorization: `Bearer ${token}` };
  const socket = new WebSocket(`${url.replace("http", "ws")}/acp?agent=Ada`, { headers } as never);
  const heard: unknown[] = [];
  const ends: { code: number; reason: string }[] = [];
  socket.addEventListener("message", ({ data }) => heard.push(JSON.parse(String(data))));
  socket.addEventListener("close", ({ code, reason }) => ends.push({ code, reason }));
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });
  return { socket, heard, ends };
}

const knock = async (headers: Record<string, string>, query = "") => {
  const answer = await fetch(`${service.url}/acp${query}`, {
    headers: {
      upgrade: "websocket",
      connection: "upgrade",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      "sec-websocket-version": "13",
      ...headers,
    },
  });
  return { status: answer.status, body: await answer.text(), headers: answer.headers };
};

test("[DIA-23] a connection is refused over HTTP, as an error of the protocol", async () => {
  const authorization = `Bearer ${owner.token}`;
  const without = await knock({});
  expect([without.status, JSON.parse(without.body)]).toMatchObject([
    401,
    { code: -32_000, data: { code: "unauthenticated" } },
  ]);
  const powerless = await service.tokenFor(owner, { scopes: ["usage:read"] });
  expect((await knock({ authorization: `Bearer ${powerless.token}` })).status).toBe(403);
  const unknown = await knock({ authorization }, "?agent=Nobody");
  expect([unknown.status, JSON.parse(unknown.body)]).toMatchObject([404, { code: -32_002 }]);
  const page = await knock({ authorization, origin: "https://evil.example" });
  expect([page.status, JSON.parse(page.body)]).toMatchObject([403, { code: -32_001, data: { code: "forbidden" } }]);
  const plain = await fetch(`${service.url}/acp`, { headers: { authorization } });
  expect([plain.status, plain.headers.get("upgrade")]).toEqual([426, "websocket"]);
  await until("nothing stays open", () => service.app.streams.count === 0);
});

test("[DIA-23] invalid messages are refused, and the connection stays", async () => {
  const { socket, heard } = await openRaw(owner.token);
  const rounds: [string, object][] = [
    ["{", { id: null, error: { code: -32_700 } }],
    ["[]", { id: null, error: { code: -32_600 } }],
    ['{"jsonrpc":"1.0","id":1,"method":"initialize"}', { id: 1, error: { code: -32_600 } }],
    ['{"jsonrpc":"2.0","id":{},"method":"initialize"}', { id: null, error: { code: -32_600 } }],
    ['{"jsonrpc":"2.0","id":2,"method":"session/list"}', { id: 2, error: { message: "initialize comes first" } }],
    ['{"jsonrpc":"2.0","id":3,"method":"initialize","params":{}}', { id: 3, error: { code: -32_602 } }],
    [
      '{"jsonrpc":"2.0","id":4,"method":"initialize","params":{"protocolVersion":99}}',
      { id: 4, result: { protocolVersion: 1 } },
    ],
    ['{"jsonrpc":"2.0","id":"5","method":"constructor"}', { id: "5", error: { code: -32_601 } }],
    [
      '{"jsonrpc":"2.0","id":6,"method":"session/prompt","params":{"sessionId":7}}',
      { id: 6, error: { code: -32_602 } },
    ],
    ['{"jsonrpc":"2.0","id":7,"method":"session/list"}', { id: 7, result: { nextCursor: null } }],
  ];
  for (const [text, answer] of rounds) {
    socket.send(text);
    await until(text, () => heard.length > 0);
    expect(heard.splice(0)).toMatchObject([answer]);
  }
  socket.send('{"jsonrpc":"2.0","id":99,"result":{}}');
  socket.send('{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"nothing"}}');
  socket.send("x".repeat(18 * 1024 * 1024));
  await until("a message that is too long ends the connection", () => socket.readyState === WebSocket.CLOSED);
});

test("[DIA-23] a connection counts as a stream, and ends with its token and with the service", async () => {
  const own = await startService();
  try {
    const founder = await own.found();
    await makeAgent(own, founder);
    const other = await own.tokenFor(founder, {});
    const revoked = await openRaw(other.token, own.url);
    const stays = await openRaw(founder.token, own.url);
    expect(own.app.streams.countOf(founder.organizationId).open).toBe(2);
    await own.call(founder, "POST", `/api/personal-access-tokens/${other.tokenId}/revoke`);
    await until("it is closed", () => revoked.ends.length === 1);
    expect(revoked.ends).toMatchObject([{ code: 1_008 }]);
    expect(stays.ends).toEqual([]);
    const stopped = own.app.stop();
    await until("it is closed too", () => stays.ends.length === 1);
    expect(stays.ends).toMatchObject([{ code: 1_012 }]);
    await stopped;
  } finally {
    await own.stop();
  }
});

test("[DIA-23] each message counts as a request, and is refused beyond the limit", async () => {
  const limited = await startService({ overrides: { budgets: new Map([["*", 5]]) } });
  try {
    const founder = await limited.found();
    await makeAgent(limited, founder);
    const { socket, heard } = await openRaw(founder.token, limited.url);
    socket.send('{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}');
    for (let id = 1; id <= 40; id++) socket.send(`{"jsonrpc":"2.0","id":${id},"method":"session/list"}`);
    await until("all are answered", () => heard.length === 41);
    const refused = heard.filter((one) => typeof one === "object" && one !== null && "error" in one);
    expect(refused.length).toBeGreaterThan(20);
    expect(refused[0]).toMatchObject({ error: { code: -32_001, data: { code: "rate_limited", status: 429 } } });
    expect(socket.readyState).toBe(WebSocket.OPEN);
  } finally {
    await limited.stop();
  }
});

test("[DIA-19] `$/cancel_request` cancels each open prompt with this id, also after one of two has ended", async () => {
  const held = gate();
  service.model.script = (call) =>
    JSON.stringify(call.entries.at(-1)).includes("short") ? [{ say: "done" }] : [{ say: "one" }, { hold: held.hold }];
  const { socket, heard } = await openRaw(owner.token);
  const tell = (message: object) => socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const answersTo = (id: number) => heard.filter((one) => (one as { id?: unknown }).id === id);
  tell({ id: 1, method: "initialize", params: { protocolVersion: 1 } });
  for (const id of [2, 3, 4]) tell({ id, method: "session/new", params: { cwd: "/tmp", mcpServers: [] } });
  await until("they are open", () => [2, 3, 4].every((id) => answersTo(id).length === 1));
  const sessions = [2, 3, 4].map((id) => (answersTo(id)[0] as { result: { sessionId: string } }).result.sessionId);
  for (const [i, text] of ["long", "long", "short"].entries())
    tell({ id: 7, method: "session/prompt", params: { sessionId: sessions[i], prompt: [{ type: "text", text }] } });
  await until("the short one has ended, the others have begun", () => {
    const begun = heard.filter((one) => JSON.stringify(one).includes('"text":"one"'));
    return begun.length === 2 && answersTo(7).length === 1;
  });
  tell({ method: "$/cancel_request", params: { requestId: 7 } });
  await until("all have ended", () => answersTo(7).length === 3);
  const reasons = answersTo(7).map((one) => (one as { result?: { stopReason?: string } }).result?.stopReason);
  expect(reasons).toEqual(["end_turn", "cancelled", "cancelled"]);
  held.open();
  socket.close();
});

test("[DIA-23] a client that leaves does not stop its run, and nothing of it stays open", async () => {
  const held = gate();
  service.model.script = () => [{ say: "one " }, { hold: held.hold }, { say: "two" }];
  const editor = await AcpEditor.over(acpSocket({ url: service.url, token: owner.token, agent }));
  const session = await editor.open();
  const ended = editor.prompt(session, "go").catch(() => "gone");
  await until("it has begun", () => editor.messages().join("") === "one ");
  editor.close();
  expect(await ended).toBe("gone");
  await until("its streams are closed", () => service.app.streams.count === 0);
  held.open();
  await until("the run has ended", async () => {
    const listed = await service.call(owner, "GET", "/api/jobs?status=completed");
    return ((await listed.json()) as { jobs: { result: string }[] }).jobs[0]?.result === "one two";
  });
});
