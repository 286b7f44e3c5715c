/** What comes to a replica that does not own the organization: shared streams, MCP, signed streams, documents, large bodies. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { get } from "node:http";
import { PeerClient } from "../../src/peers/peer-client.ts";
import { PeerKey } from "../../src/peers/peer-key.ts";
import { createSealing } from "../../src/service/service-key.ts";
import { StreamReader } from "../support/event-streams.ts";
import { freePort } from "../support/free-port.ts";
import { eventsUntil } from "../support/mcp-sessions.ts";
import { REPLICA_SECRET, ReplicaProcesses } from "../support/replica-processes.ts";
import { eventually, type TroupeProcess } from "../support/troupe-process.ts";

const MIB = 1024 * 1024;
const ports = [freePort(), freePort()];
let replicas: ReplicaProcesses;
let workspaceId = "";
let agentId = "";

beforeAll(async () => {
  replicas = await ReplicaProcesses.start(2, (number) => ({ ADMIN_PORT: String(ports[number - 1]) }));
  const [workspace] = await replicas.sql<{ id: string }[]>`select id from workspace`;
  workspaceId = workspace!.id;
  const { other } = await replicas.sides();
  agentId = (await made(other, "/api/agents", { name: "A", system_prompt: "x", allowed_tools: ["create_task"] }))[
    "id"
  ]!;
}, 300_000);
afterAll(() => replicas.stop());

type Made = Readonly<Record<string, string>>;

async function made(at: TroupeProcess, path: string, body: object): Promise<Made> {
  const answer = await replicas.call(at, "POST", path, body);
  const json = (await answer.json()) as Made;
  if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(json)}`);
  return json;
}

const newChat = async (at: TroupeProcess): Promise<string> =>
  (await made(at, "/api/chats", { agent_id: agentId, workspace_id: workspaceId }))["id"]!;
const newToken = (at: TroupeProcess, scopes: readonly string[]): Promise<Made> =>
  made(at, "/api/personal-access-tokens", { name: "a reader", scopes });
const read = (at: TroupeProcess, chat: string, token: string, query = ""): Promise<StreamReader> =>
  StreamReader.open(`${at.url}/api/chats/${chat}/events${query}`, { authorization: `Bearer ${token}` });

/** Streams that are open at the replica. */
async function openAt(at: TroupeProcess): Promise<number> {
  const port = ports[replicas.all.indexOf(at)];
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^troupe_streams_open (\d+)/m.exec(text)?.[1]);
}

const ids = (reader: StreamReader): number[] =>
  reader.frames.flatMap(({ id, event }) => (id === null || event === "message.delta" ? [] : [Number(id)]));

/** The most memory that the process has had, in bytes. */
const peakOf = ({ pid }: TroupeProcess): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;

test("[REP-11] [SSE-11] readers at another replica share one stream of the owner, each with its own rights and end", async () => {
  const { owner, other } = await replicas.sides();
  const chat = await newChat(other);
  const first = await newToken(other, ["chats:read", "jobs:read"]);
  const limited = await newToken(other, ["chats:read"]);
  const opening = await read(other, chat, first["token"]!, "?replay=all");
  const readers = await Promise.all(Array.from({ length: 6 }, () => read(other, chat, replicas.token, "?replay=all")));
  const blind = await read(other, chat, limited["token"]!, "?replay=all");
  const all = [opening, ...readers, blind];
  for (const reader of all) await reader.saw("snapshot");
  const say = async (content: string): Promise<void> => {
    const ended = (reader: StreamReader) => reader.said.filter((said) => said.endsWith("message.completed")).length;
    const before = Math.max(...all.map(ended));
    expect((await replicas.call(other, "POST", `/api/chats/${chat}/messages`, { content })).status).toBe(202);
    await eventually("all are told the answer", () => readers.every((reader) => ended(reader) > before));
  };
  await eventually("one stream for each kind of reader is left at the owner", async () => {
    await say("hello");
    return (await openAt(owner)) === 2;
  });
  expect(await openAt(other)).toBe(8);
  await say(`/call create_task {"title":"told to some"}`);
  const callIn = (reader: StreamReader) => reader.frames.find(({ event }) => event === "tool.started")?.data;
  await eventually("all are told of the call", () => all.every((reader) => callIn(reader) !== undefined));
  expect(readers.map((reader) => callIn(reader)!["arguments"])).toEqual(readers.map(() => ({ title: "told to some" })));
  expect(callIn(blind)).not.toHaveProperty("arguments");
  // The token that has opened what they share ends: its reader, and no other.
  expect((await replicas.call(other, "POST", `/api/personal-access-tokens/${first["id"]}/revoke`)).status).toBe(200);
  expect((await opening.saw("stream.closing")).data["reason"]).toBe("revoked");
  await opening.ended;
  await say("still there");
  for (const reader of [...readers, blind]) {
    const seen = [...new Set(ids(reader))];
    expect(ids(reader)).toEqual(seen);
    expect(seen).toEqual(Array.from({ length: seen.length }, (_, i) => i + 1));
    expect(reader.said.filter((said) => said === "snapshot")).toHaveLength(1);
  }
  // When the last reader has left, the owner's stream ends too.
  await Promise.all([...readers, blind].map((reader) => reader.leave()));
  await eventually("nothing is open", async () => (await openAt(owner)) + (await openAt(other)) === 0);
}, 300_000);

test("[REP-4] [MCP-1] an MCP call that began at one replica is resumed at the other", async () => {
  const { owner, other } = await replicas.sides();
  const accept = { accept: "application/json, text/event-stream" };
  const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const opened = await replicas.call(
    other,
    "POST",
    "/mcp",
    { jsonrpc: "2.0", id: 1, method: "initialize", params: hello },
    accept,
  );
  const session = {
    ...accept,
    "mcp-session-id": opened.headers.get("mcp-session-id") ?? "",
    "mcp-protocol-version": "2025-11-25",
  };
  const params = {
    name: "execute_agent",
    arguments: { agent_id: agentId, message: "slowly" },
    _meta: { progressToken: "p" },
  };
  const call = await replicas.call(
    other,
    "POST",
    "/mcp",
    { jsonrpc: "2.0", id: 7, method: "tools/call", params },
    session,
  );
  const [begun] = await eventsUntil(call, () => true);
  const isResult = (event: { readonly message: object | null }) => event.message !== null && "result" in event.message;
  for (const at of [owner, other]) {
    const headers = { ...session, accept: "text/event-stream", authorization: `Bearer ${replicas.token}` };
    const resume = () => fetch(`${at.url}/mcp`, { headers: { ...headers, "last-event-id": begun!.id } });
    let again = await resume();
    // That its reader has left the owner may learn in a moment only.
    await eventually(
      "the stream is free",
      async () => (again = again.status === 409 ? await resume() : again).status !== 409,
    );
    expect(again.status).toBe(200);
    expect((await eventsUntil(again, isResult)).some(isResult)).toBe(true);
  }
}, 300_000);

test("[REP-4] [SSE-9] signed streams and public documents are the same at every replica", async () => {
  const { owner, other } = await replicas.sides();
  const chat = await newChat(other);
  await made(other, `/api/chats/${chat}/messages`, { content: "for a page" });
  const { jobs } = (await (await replicas.call(other, "GET", `/api/jobs?chat_id=${chat}`)).json()) as { jobs: Made[] };
  const job = (await (await replicas.call(other, "GET", `/api/jobs/${jobs[0]!["id"]}`)).json()) as { links: Made };
  const { pathname, search } = new URL(job.links["app_stream"]!, other.url);
  const texts = [];
  for (const at of [owner, other]) {
    const stream = await StreamReader.open(at.url + pathname + search, {});
    expect(stream.response.status).toBe(200);
    await stream.ended;
    expect(stream.said.at(-1)).toBe("stream.end");
    texts.push(stream.said);
    const bad = await fetch(`${at.url}${pathname}${search.replace(/sig=./, "sig=z")}`);
    expect([bad.status, ((await bad.json()) as Made)["code"]]).toEqual([403, "invalid_signature"]);
  }
  expect(texts[0]).toEqual(texts[1]!);
  for (const path of ["/api/openapi.json", "/api/rate-limits", "/api/deprecation-policy"]) {
    const [one, two] = await Promise.all([owner, other].map(async (at) => (await fetch(at.url + path)).text()));
    expect(one).toBe(two!);
  }
}, 300_000);

test("[REP-4] [WSP-2] a 64 MiB file is uploaded and downloaded through another replica in bounded memory, also in parts", async () => {
  const { other } = await replicas.sides();
  const piece = Buffer.alloc(MIB, "0123456789abcdef");
  const size = 64 * MIB;
  const path = `/api/workspaces/${workspaceId}/files/content?path=large.bin`;
  const authorization = `Bearer ${replicas.token}`;
  const before = peakOf(other);
  let left = 64;
  const body = new ReadableStream<Uint8Array>({
    pull: (sink) => (left-- > 0 ? sink.enqueue(piece) : sink.close()),
  });
  const put = await fetch(other.url + path, { method: "PUT", headers: { authorization }, body });
  expect(put.status).toBe(201);
  const part = await fetch(other.url + path, { headers: { authorization, range: `bytes=${MIB - 2}-${MIB + 3}` } });
  expect([part.status, part.headers.get("content-length"), await part.text()]).toEqual([206, "6", "ef0123"]);
  // A client that takes its time.
  const hash = createHash("sha256");
  const taken = await new Promise<number>((resolve, reject) => {
    let count = 0;
    get(other.url + path, { headers: { authorization } }, (answer) => {
      expect(answer.headers["content-length"]).toBe(String(size));
      answer.on("data", (bytes: Buffer) => {
        hash.update(bytes);
        count += bytes.length;
        answer.pause();
        setImmediate(() => answer.resume());
      });
      answer.on("end", () => resolve(count));
    }).on("error", reject);
  });
  const expected = createHash("sha256");
  for (let i = 0; i < 64; i++) expected.update(piece);
  expect([taken, hash.digest("hex")]).toEqual([size, expected.digest("hex")]);
  // Less than the file: it was never held whole, in neither direction. About 40 MiB of pieces are on their way.
  expect(peakOf(other) - before).toBeLessThan(size);
}, 300_000);

test("[REP-4] a forwarded request is not forwarded again, nor is a stream", async () => {
  const { other } = await replicas.sides();
  const id = String(other.log.find(({ msg }) => msg === "serving")?.["replica"]);
  const [row] = await replicas.sql<{ peer_url: string }[]>`select peer_url from replica where id = ${id}`;
  const keys = createSealing(Buffer.from(REPLICA_SECRET, "base64")).keys("peer");
  const client = new PeerClient(new PeerKey(keys, "rpl_of_a_test", () => Date.now()));
  const target = "/api/chats/cht_none/events";
  for (const path of [target, "/api/tasks"]) {
    const request = new Request(`http://client${path}`, { headers: { authorization: `Bearer ${replicas.token}` } });
    const { signal } = new AbortController();
    const passed = { request, target: path, body: null, requestId: "r", client: "10.0.0.1", signal };
    expect((await client.pass({ id, url: row!.peer_url }, passed)).status).toBe(421);
  }
}, 300_000);

test("[REP-11] [REP-5] after a kill of the owner all readers of a shared stream continue at the next owner without a gap", async () => {
  const { owner, other } = await replicas.sides();
  const chat = await newChat(other);
  const readers = await Promise.all(Array.from({ length: 5 }, () => read(other, chat, replicas.token, "?replay=all")));
  const say = async (content: string): Promise<number> =>
    (await replicas.call(other, "POST", `/api/chats/${chat}/messages`, { content }, { "idempotency-key": content }))
      .status;
  const answers = (reader: StreamReader) => reader.frames.filter(({ event }) => event === "message.completed").length;
  expect(await say("before")).toBe(202);
  await eventually("all are told", () => readers.every((reader) => answers(reader) === 1));
  expect(await owner.end("SIGKILL")).toBe("SIGKILL");
  await eventually("the next message is taken", async () => (await say("after")) === 202);
  await eventually("all are told again", () => readers.every((reader) => answers(reader) === 2));
  for (const reader of readers) {
    expect(ids(reader)).toEqual(Array.from({ length: ids(reader).length }, (_, i) => i + 1));
    expect(reader.said).not.toContain("stream.closing");
  }
  await Promise.all(readers.map((reader) => reader.leave()));
}, 300_000);
