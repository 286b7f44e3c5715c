/** Sessions of the older era of MCP: whose they are, what they keep, and how they end (MCP-1). */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { answered, Client, type Job, type Json } from "../support/current.ts";
import { until } from "../support/condition.ts";
import { FakeModel } from "../support/fake-model.ts";
import { legacyClient, modernClient, postMcp, rpc } from "../support/mcp-clients.ts";
import { type Caller, type Founded, type Service, startService } from "../support/service.ts";

const models = new FakeModel();
let service: Service;
let owner: Founded;
let agentId = "";

beforeAll(async () => {
  service = await startService({ models });
  owner = await service.found();
  const agent = await new Client(service, owner).call("POST", "/api/agents", { name: "Ada", system_prompt: "x" });
  agentId = ((await agent.json()) as { readonly id: string }).id;
});
afterAll(() => service.stop());

/** Lets the model go on that holds since the test began. */
let goOn = (): void => {};
beforeEach(() => {
  const held = Promise.withResolvers<void>();
  goOn = held.resolve;
  models.script = () => [{ hold: held.promise }, { say: "done at last" }];
});

const HELLO = rpc("initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
});

async function openSession(caller: Caller): Promise<string> {
  const answer = await postMcp(service, caller.token, HELLO);
  expect(await answer.json()).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
  return answer.headers.get("mcp-session-id") ?? "";
}

const inSession = (id: string, headers: Readonly<Record<string, string>> = {}) => ({
  "mcp-session-id": id,
  "mcp-protocol-version": "2025-11-25",
  ...headers,
});

const request = (method: string, caller: Caller, headers: Readonly<Record<string, string>>, signal?: AbortSignal) =>
  fetch(`${service.url}/mcp`, {
    method,
    headers: { accept: "text/event-stream", authorization: `Bearer ${caller.token}`, ...headers },
    ...(signal === undefined ? {} : { signal }),
  });

interface SseEvent {
  readonly id: string;
  readonly message: Json | null;
}

/** Reads events of a stream until one is as it should be, or to its end. */
async function eventsUntil(response: Response, isLast: (event: SseEvent) => boolean): Promise<SseEvent[]> {
  const events: SseEvent[] = [];
  let text = "";
  const decoder = new TextDecoder();
  for await (const piece of response.body!) {
    text += decoder.decode(piece, { stream: true });
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const field = (name: string): string | undefined =>
        lines
          .find((line) => line.startsWith(`${name}:`))
          ?.slice(name.length + 1)
          .trim();
      const [id, data] = [field("id"), field("data")];
      if (id === undefined) continue; // a comment
      const event = { id, message: data === undefined || data === "" ? null : (JSON.parse(data) as Json) };
      events.push(event);
      if (isLast(event)) return events;
    }
  }
  return events;
}

const isResult = ({ message }: SseEvent): boolean => message !== null && "result" in message;
const execute = (id = 7) =>
  rpc(
    "tools/call",
    { name: "execute_agent", arguments: { agent_id: agentId, message: "slow" }, _meta: { progressToken: "p" } },
    id,
  );
/** The newest job, where there is one. */
const newestJob = async (): Promise<Job | undefined> =>
  (await new Client(service, owner).get<{ readonly jobs: readonly Job[] }>("/api/jobs?limit=1")).jobs[0];

test("[MCP-1] a session is its person's, with any of their tokens, and nobody else's", async () => {
  const id = await openSession(owner);
  const another = await service.tokenFor(owner, { scopes: ["mcp"] });
  const colleague = await service.join(owner.organizationId);
  const stranger = await service.found("Strangers");
  expect((await postMcp(service, another.token, rpc("ping"), inSession(id))).status).toBe(200);
  for (const [caller, given] of [
    [colleague, id],
    [stranger, id],
    [owner, "made-up"],
    [owner, `${id}x`],
  ] as const) {
    for (const answer of [
      await postMcp(service, caller.token, rpc("ping"), inSession(given)),
      await request("GET", caller, inSession(given)),
      await request("DELETE", caller, inSession(given)),
    ])
      expect([answer.status, await answer.json()]).toMatchObject([404, { error: { code: -32_001 } }]);
  }
  expect((await request("GET", owner, {})).status).toBe(400);
});

test("[MCP-1] a session that is ended opens nothing any more", async () => {
  const id = await openSession(owner);
  expect((await request("DELETE", owner, inSession(id))).status).toBe(200);
  expect((await postMcp(service, owner.token, rpc("ping"), inSession(id))).status).toBe(404);
});

test("[MCP-1] a stream that was cut goes on behind the last event that the client has, and the job meanwhile", async () => {
  const id = await openSession(owner);
  const cut = new AbortController();
  const answer = await fetch(`${service.url}/mcp`, {
    method: "POST",
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      authorization: `Bearer ${owner.token}`,
      ...inSession(id),
    },
    body: JSON.stringify(execute()),
    signal: cut.signal,
  });
  const seen = await eventsUntil(answer, ({ message }) => message?.["method"] === "notifications/progress");
  cut.abort();
  goOn();
  const jobId = (await newestJob())?.id ?? "";
  await new Client(service, owner).reached(jobId, "completed");
  let rest: SseEvent[] = [];
  await until("the service has seen that the client has left", async () => {
    const resumed = await request("GET", owner, inSession(id, { "last-event-id": seen.at(-1)?.id ?? "" }));
    if (resumed.status === 409) return false;
    rest = await eventsUntil(resumed, isResult);
    return true;
  });
  expect(rest.at(-1)?.message).toMatchObject({
    id: 7,
    result: { structuredContent: { id: jobId, status: "completed", result: "done at last" } },
  });
  const ids = [...seen, ...rest].map((event) => event.id);
  expect(new Set(ids).size).toBe(ids.length);
  const unknown = await request("GET", owner, inSession(id, { "last-event-id": "nothing" }));
  expect(unknown.status).toBe(400);
});

test("[MCP-1] a client of the older era cancels by saying so, one of the newer by leaving", async () => {
  const finished = new Client(service, owner);
  for (const connect of [legacyClient, modernClient]) {
    const client = await connect(service, owner);
    const before = (await newestJob())?.id;
    const stop = new AbortController();
    const params = { name: "execute_agent", arguments: { agent_id: agentId, message: "slow" } };
    const call =
      connect === legacyClient
        ? (client as Awaited<ReturnType<typeof legacyClient>>).callTool(params, undefined, { signal: stop.signal })
        : (client as Awaited<ReturnType<typeof modernClient>>).callTool(params, { signal: stop.signal });
    const ended = call.then(
      () => "answered",
      () => "cancelled",
    );
    let job = await newestJob();
    await until("the job runs", async () => {
      job = await newestJob();
      return job?.id !== before && job?.status === "running";
    });
    stop.abort("enough");
    expect(await ended).toBe("cancelled");
    await finished.reached(job?.id ?? "", "cancelled");
    await client.close();
  }
});

test("[MCP-1] sessions that are opened and forgotten cost nothing, and a token's end closes its streams", async () => {
  const ids = await Promise.all(Array.from({ length: 200 }, () => openSession(owner)));
  expect(new Set(ids).size).toBe(200);
  const short = await service.tokenFor(owner, { scopes: ["mcp"] });
  const listening = await request("GET", short, inSession(ids[0] ?? ""));
  expect(listening.headers.get("content-type")).toBe("text/event-stream");
  await answered(service.call(owner, "POST", `/api/personal-access-tokens/${short.tokenId}/revoke`));
  expect(await eventsUntil(listening, () => false)).toEqual([]);
});
