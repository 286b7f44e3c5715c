/** The TypeScript SDK against the real service, through a proxy that breaks connections. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import document from "../../docs/openapi.json" with { type: "json" };
import { contractOf, type OpenApi } from "../../sdk/generator/contract.ts";
import { methodsOf } from "../../sdk/generator/methods.ts";
import {
  ApiError,
  ConnectionFailedError,
  NotFoundError,
  RateLimitedError,
  StreamCutError,
  Troupe,
  UnauthenticatedError,
  VersionConflictError,
} from "../../sdk/typescript/troupe.ts";
import { until } from "../support/condition.ts";
import { FaultyProxy } from "../support/faulty-proxy.ts";
import { sceneOfFile } from "../support/scene.ts";

let proxy: FaultyProxy;
let troupe: Troupe;
let baseUrl: string;

const { service, owner } = sceneOfFile();
beforeAll(async () => {
  proxy = await FaultyProxy.open(service.url);
  baseUrl = proxy.url;
  troupe = new Troupe({ baseUrl, token: () => owner.token });
});
afterAll(() => proxy.stop());

const newAgent = (name = "Ada") => troupe.createAgent({ name, system_prompt: "Be brief." });
async function newChat() {
  const agent = await newAgent();
  return troupe.createChat({ agent_id: agent.id, workspace_id: owner.workspaceId });
}
const unavailable = { kind: "answer", status: 503, body: {}, headers: { "retry-after": "0" } } as const;

describe("requests", () => {
  test("[DOC-3] every method asks for its operation", async () => {
    const asked: { method: string; path: string }[] = [];
    const idle = new Troupe({
      baseUrl: "http://troupe.test",
      token: "pat_x",
      fetch: (url, init) => {
        asked.push({ method: init.method ?? "", path: new URL(url).pathname });
        return Promise.resolve(
          new Response("event: stream.end\ndata: {}\n\nevent: result\ndata: {}\n\n", { status: 404 }),
        );
      },
    });
    const methods = methodsOf(contractOf(document as unknown as OpenApi));
    for (const { name, operation, params } of methods) {
      const call = Reflect.get(idle, name) as (...given: unknown[]) => unknown;
      const given = [...params.map(() => "x 1"), ...(operation.body === null ? [] : [{}])];
      const answer = Reflect.apply(call, idle, given) as Promise<unknown> | AsyncGenerator;
      const settled = "next" in answer ? answer.next() : answer;
      await settled.then(
        () => expect(name).toBe("refused"),
        (error: unknown) => expect(error).toBeInstanceOf(NotFoundError),
      );
      expect({ name, ...asked.at(-1) }).toEqual({
        name,
        method: operation.method,
        path: operation.path.replaceAll(/\{\w+\}/g, "x%201"),
      });
    }
    expect(asked.length).toBe(methods.length);
  });

  test("[DOC-3] a retry keeps its key, and what it asks for is done once", async () => {
    proxy.reset(unavailable, { kind: "reset", after: 0 });
    const agent = await newAgent("Once");
    const keys = proxy.requests.map(({ headers }) => headers["idempotency-key"]);
    expect(keys.length).toBe(3);
    expect(new Set(keys).size).toBe(1);
    const found = await Array.fromAsync(troupe.listAllAgents());
    expect(found.filter(({ name }) => name === "Once").map(({ id }) => id)).toEqual([agent.id]);
    proxy.reset();
    await newAgent("Another");
    expect(proxy.requests[0]?.headers["idempotency-key"]).not.toBe(keys[0]);
  });

  test("[GEN-18] [DOC-3] a program that has its own parser gets numbers with all of their digits", async () => {
    const LONG = 9_007_199_254_740_993n;
    const reviver = (_: string, value: unknown, { source }: { readonly source: string }): unknown =>
      typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? BigInt(source) : value;
    const parse = JSON.parse as (text: string, by: typeof reviver) => unknown;
    const exact = new Troupe({ baseUrl, token: owner.token, parseJson: (text) => parse(text, reviver) });
    const agent = await newAgent();
    const metadata = { order: (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(LONG)) };
    const chat = await exact.createChat({ agent_id: agent.id, workspace_id: owner.workspaceId, metadata });
    expect(chat.metadata).toEqual({ order: LONG });
    for await (const { event, data } of exact.streamChatEvents(chat.id)) {
      expect([event, data]).toEqual(["snapshot", expect.objectContaining({ metadata: { order: LONG } })]);
      break;
    }
  });

  test("[DOC-3] a program without types gets an error that says how the client is made", () => {
    const Untyped = Troupe as unknown as new (...given: readonly string[]) => Troupe;
    expect(() => new Untyped(service.url, "pat_x")).toThrow("Call it as `new Troupe({ baseUrl, token })`");
  });

  test("[DOC-3] the caller's own key is used, and gives the first answer again", async () => {
    const first = await troupe.createAgent({ name: "Mine", system_prompt: "x" }, { idempotencyKey: "key-of-mine" });
    const again = await troupe.createAgent({ name: "Mine", system_prompt: "x" }, { idempotencyKey: "key-of-mine" });
    expect(again.id).toBe(first.id);
  });

  test("[DOC-3] a permanent failure is not retried, and neither is one whose Retry-After is too long", async () => {
    proxy.reset();
    const missing = await troupe.getAgent("agt_missing").catch((error: unknown) => error);
    expect(missing).toBeInstanceOf(NotFoundError);
    expect(missing).toMatchObject({ status: 404, code: "not_found" });
    expect((missing as ApiError).requestId).toMatch(/^req_/);
    expect(proxy.requests.length).toBe(1);
    proxy.reset({ kind: "answer", status: 429, body: { code: "rate_limited" }, headers: { "retry-after": "61" } });
    const limited = await troupe.listAgents().catch((error: unknown) => error);
    expect(limited).toBeInstanceOf(RateLimitedError);
    expect(limited).toMatchObject({ retryAfterSeconds: 61 });
    proxy.reset({ kind: "answer", status: 429, body: { code: "rate_limited" }, headers: { "retry-after": "0" } });
    await troupe.listAgents();
    expect(proxy.requests.length).toBe(2);
  });

  test("[DOC-3] an unknown code is the base class, and no answer at all has its own class", async () => {
    proxy.reset({ kind: "answer", status: 418, body: { code: "teapot", message: "Short and stout" } });
    const error = await troupe.listAgents().catch((thrown: unknown) => thrown);
    expect((error as object).constructor).toBe(ApiError);
    expect(error).toMatchObject({ code: "teapot", message: "Short and stout" });
    const nowhere = new Troupe({ baseUrl: "http://127.0.0.1:9", maxRetries: 0 });
    expect(nowhere.getVersion()).rejects.toBeInstanceOf(ConnectionFailedError);
  });

  test("[DOC-3] the iterator asks for page after page", async () => {
    for (const title of ["1", "2", "3", "4", "5"]) await troupe.v1CreateTask({ title });
    proxy.reset();
    const titles = await Array.fromAsync(troupe.listAllTasks({ limit: 2 }), ({ title }) => title);
    expect(titles).toEqual(["5", "4", "3", "2", "1"]);
    expect(proxy.requests.length).toBe(3);
  });

  test("[DOC-3] an update of a changed record is a conflict, and waiting for an unchanged one answers null", async () => {
    const agent = await newAgent();
    const changed = await troupe.updateAgent(agent.id, { name: "Bea" }, { ifMatch: agent.version });
    expect(changed.version).toBe(agent.version + 1);
    const late = troupe.updateAgent(agent.id, { name: "Cleo" }, { ifMatch: agent.version });
    expect(late).rejects.toBeInstanceOf(VersionConflictError);
    const chat = await newChat();
    expect(await troupe.waitForChat(chat.id, { since_version: chat.version, wait: 0 })).toBeNull();
    const waiting = troupe.waitForChat(chat.id, { since_version: chat.version, wait: 20 });
    await troupe.updateChatOptions(chat.id, { pinned: true });
    expect((await waiting)?.options.pinned).toBe(true);
  });

  test("[DOC-3] an id cannot lead to another path", () => {
    expect(() => troupe.getAgent("..")).toThrow('".." is not an id');
  });

  test("[DOC-3] a signal ends the request and its retries", async () => {
    proxy.reset({ ...unavailable, headers: { "retry-after": "30" } });
    const stop = new AbortController();
    const asked = troupe.listAgents({}, { signal: stop.signal }).catch((error: unknown) => error);
    await until("it was refused once", () => proxy.requests.length === 1);
    stop.abort(new Error("enough"));
    expect(await asked).toEqual(new Error("enough"));
    expect(proxy.requests.length).toBe(1);
  });
});

describe("streams", () => {
  test("[DOC-3] a stream ends with an error that does not pass", async () => {
    const stream = troupe.streamJobEvents("job_missing");
    expect(stream.next()).rejects.toBeInstanceOf(NotFoundError);
    const stranger = new Troupe({ baseUrl, token: "pat_nobody" });
    expect(stranger.streamChatEvents("cht_x").next()).rejects.toBeInstanceOf(UnauthenticatedError);
  });

  test("[DOC-3] the stream of a job ends by itself", async () => {
    const chat = await newChat();
    const { job } = await troupe.sendMessage(chat.id, { content: "Do" });
    const events = await Array.fromAsync(troupe.streamJobEvents(job.id, { replay: "all" }), ({ event }) => event);
    expect(events).toContain("job.completed");
    expect(events.at(-1)).toBe("stream.end");
  });
});

describe("v1", () => {
  test("[DOC-3] an execution is answered whole, or as a stream of typed events", async () => {
    const created = await troupe.v1CreateAgent({ name: "Ada", systemPrompt: "Be brief." });
    const whole = await troupe.v1ExecuteAgent(created.id, { message: "Hello" });
    expect(whole).toMatchObject({ success: true, result: expect.stringContaining("echo") as string });
    const names: string[] = [];
    for await (const event of troupe.v1ExecuteAgentStream(created.id, { message: "Hello", chatId: whole.chatId }))
      names.push(event.event);
    expect(names[0]).toBe("meta");
    expect(names.at(-1)).toBe("result");
    const stranger = new Troupe({ baseUrl, token: "pat_nobody" });
    expect(stranger.v1ListAgents()).rejects.toMatchObject({ code: "unauthenticated", status: 401 });
  });

  test("[DOC-3] a stream without a cursor that is cut says so, and its key gives it from the start", async () => {
    const created = await troupe.v1CreateAgent({ name: "Ada", systemPrompt: "Be brief." });
    proxy.reset({ kind: "close", after: "event: meta" });
    const options = { idempotencyKey: "execution-1" };
    const cut = Array.fromAsync(troupe.v1ExecuteAgentStream(created.id, { message: "Hello" }, options));
    await cut.then(
      () => expect("cut").toBe("whole"),
      (error: unknown) => expect(error).toBeInstanceOf(StreamCutError),
    );
    const again = await Array.fromAsync(troupe.v1ExecuteAgentStream(created.id, { message: "Hello" }, options));
    expect(again[0]?.event).toBe("meta");
    expect(again.at(-1)?.event).toBe("result");
    expect(service.model.calls.filter((call) => JSON.stringify(call.entries).includes("Hello")).length).toBeGreaterThan(
      0,
    );
  });
});
