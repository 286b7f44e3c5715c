/** Sessions of the older era of MCP: whose they are, what they keep, and how they end (MCP-1). */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { answered, Client, type Job, type Json } from "../support/current.ts";
import { until } from "../support/condition.ts";
import { FakeModel } from "../support/fake-model.ts";
import { legacyClient, modernClient, postMcp, rpc } from "../support/mcp-clients.ts";
import { eventsUntil, inSession, openSession, request, type SseEvent } from "../support/mcp-sessions.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { type Founded, type Service, startService } from "../support/service.ts";

const models = new FakeModel();
let testDatabase: TestDatabase;
let service: Service;
let owner: Founded;
let agentId = "";

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  service = await startService({ models, testDatabase });
  owner = await service.found();
  const agent = await new Client(service, owner).call("POST", "/api/agents", { name: "Ada", system_prompt: "x" });
  agentId = ((await agent.json()) as { readonly id: string }).id;
});
afterAll(async () => {
  await service.stop();
  await testDatabase.drop();
});

/** Lets the model go on that holds since the test began. */
let goOn = (): void => {};
beforeEach(() => {
  const held = Promise.withResolvers<void>();
  goOn = held.resolve;
  models.script = () => [{ hold: held.promise }, { say: "done at last" }];
});

const isResult = ({ message }: SseEvent): boolean => message !== null && "result" in message;
const execute = (id: string | number = 7) =>
  rpc(
    "tools/call",
    { name: "execute_agent", arguments: { agent_id: agentId, message: "slow" }, _meta: { progressToken: "p" } },
    id,
  );
/** The newest job, where there is one. */
const newestJob = async (): Promise<Job | undefined> =>
  (await new Client(service, owner).get<{ readonly jobs: readonly Job[] }>("/api/jobs?limit=1")).jobs[0];

test("[MCP-1] a refused `initialize` opens no session", async () => {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  for (const wrong of [{ clientInfo: null }, { clientInfo: {} }, { capabilities: null }, { protocolVersion: 5 }]) {
    const answer = await postMcp(service, owner.token, rpc("initialize", { ...params, ...wrong }));
    expect(await answer.json()).toMatchObject({ id: 1, error: { code: expect.any(Number) } });
    expect([wrong, answer.headers.get("mcp-session-id")]).toEqual([wrong, null]);
  }
});

test("[MCP-1] a session belongs to its person, with any of their tokens, and to nobody else", async () => {
  const id = await openSession(service, owner);
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
      await request(service, "GET", caller, inSession(given)),
      await request(service, "DELETE", caller, inSession(given)),
    ])
      expect([answer.status, await answer.json()]).toMatchObject([404, { error: { code: -32_001 } }]);
  }
  expect((await request(service, "GET", owner, {})).status).toBe(400);
});

test("[MCP-1] an ended session no longer works", async () => {
  const id = await openSession(service, owner);
  expect((await request(service, "DELETE", owner, inSession(id))).status).toBe(200);
  expect((await postMcp(service, owner.token, rpc("ping"), inSession(id))).status).toBe(404);
});

test("[MCP-1] [DOC-1] the contract has the protocol's refusals for each method", async () => {
  const id = await openSession(service, owner);
  const open = await request(service, "GET", owner, inSession(id));
  const answers = {
    post: [await postMcp(service, owner.token, rpc("ping"), inSession(id, { accept: "application/json" }))],
    get: [
      await request(service, "GET", owner, inSession(id, { accept: "application/json" })),
      await request(service, "GET", owner, inSession(id)),
      await request(service, "GET", owner, inSession("nobody's")),
    ],
    delete: [await request(service, "DELETE", owner, inSession("nobody's"))],
  };
  const statuses = Object.values(answers).map((list) => list.map(({ status }) => status));
  expect(statuses).toEqual([[406], [406, 409, 404], [404]]);
  const contract = (await (await fetch(`${service.url}/api/openapi.json`)).json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: object }>>>>;
  };
  for (const [method, list] of Object.entries(answers))
    for (const { status } of list) expect(contract.paths["/mcp"]?.[method]?.responses).toHaveProperty(String(status));
  await open.body?.cancel();
});

test("[MCP-1] a cut stream continues after the client's last event, and the job continues meanwhile", async () => {
  const id = await openSession(service, owner);
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
    const resumed = await request(service, "GET", owner, inSession(id, { "last-event-id": seen.at(-1)?.id ?? "" }));
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
  const foreign = await openSession(service, owner);
  for (const [session, last] of [
    [id, "nothing"],
    [foreign, ids.at(-1) ?? ""],
  ] as const)
    expect((await request(service, "GET", owner, inSession(session, { "last-event-id": last }))).status).toBe(400);
});

test("[MCP-1] a client of the older era cancels with a message, one of the newer era by disconnecting", async () => {
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

test("[MCP-1] the stream of a cancelled call ends", async () => {
  const id = await openSession(service, owner);
  const stream = await postMcp(service, owner.token, execute(7), inSession(id));
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } };
  await postMcp(service, owner.token, cancelled, inSession(id));
  const last = (await eventsUntil(stream, () => false)).at(-1);
  expect(last?.message).toMatchObject({ id: 7, result: { structuredContent: {} } });
  // A client that has lost the stream before learns the same.
  const again = await request(service, "GET", owner, inSession(id, { "last-event-id": last?.id ?? "" }));
  expect(await eventsUntil(again, () => false)).toEqual([]);
});

test("[MCP-1] a call with the request id of one in flight is refused, and does not get its answer", async () => {
  const id = await openSession(service, owner);
  const refused = await postMcp(service, owner.token, execute(7), inSession(id, { accept: "application/json" }));
  expect(refused.status).toBe(406);
  const [first, second] = await Promise.all([
    postMcp(service, owner.token, execute(7), inSession(id)),
    postMcp(service, owner.token, execute(7), inSession(id)),
  ]);
  expect([first.status, second.status]).toEqual([200, 400]);
  expect(await second.json()).toMatchObject({ id: 7, error: { code: -32_600 } });
  goOn();
  expect((await eventsUntil(first, isResult)).at(-1)?.message).toMatchObject({ id: 7 });
  expect((await postMcp(service, owner.token, execute(7), inSession(id))).status).toBe(200);
});

test("[MCP-1] abandoned sessions cost nothing, and the end of a token closes its streams", async () => {
  const ids = await Promise.all(Array.from({ length: 1_000 }, () => openSession(service, owner)));
  expect(new Set(ids).size).toBe(1_000);
  const short = await service.tokenFor(owner, { scopes: ["mcp"] });
  const listening = await request(service, "GET", short, inSession(ids[0] ?? ""));
  expect(listening.headers.get("content-type")).toBe("text/event-stream");
  await answered(service.call(owner, "POST", `/api/personal-access-tokens/${short.tokenId}/revoke`));
  expect(await eventsUntil(listening, () => false)).toEqual([]);
});

/** Begins a job that the model holds. */
async function held(): Promise<Job> {
  const call = { name: "execute_agent", arguments: { agent_id: agentId, message: "slow", wait_seconds: 0 } };
  const answer = await postMcp(service, owner.token, rpc("tools/call", call));
  const result = (await answer.text()).split("\n").find((line) => line.startsWith("data: ")) ?? "";
  return (JSON.parse(result.slice("data: ".length)) as { readonly result: { readonly structuredContent: Job } }).result
    .structuredContent;
}
const subscribe = (id: string, uri: string, method = "resources/subscribe") =>
  postMcp(service, owner.token, rpc(method, { uri }), inSession(id)).then((answer) => answer.text());
const isUpdate =
  (uri: string) =>
  ({ message }: SseEvent): boolean =>
    message?.["method"] === "notifications/resources/updated" && (message["params"] as Json)["uri"] === uri;

test("[MCP-6] a session is notified only of changes to its subscriptions", async () => {
  const id = await openSession(service, owner);
  const [job, other] = [await held(), await held()];
  const uri = `troupe://jobs/${job.id}`;
  expect(await subscribe(id, uri)).toContain('"result":{}');
  await subscribe(id, `troupe://chats/${other.chat_id}`);
  expect(await subscribe(id, `troupe://chats/${other.chat_id}`, "resources/unsubscribe")).toContain('"result":{}');
  const listening = await request(service, "GET", owner, inSession(id));
  goOn();
  for (const { id: jobId } of [other, job]) await new Client(service, owner).reached(jobId, "completed");
  const events = await eventsUntil(listening, isUpdate(uri));
  expect(events.every(isUpdate(uri))).toBe(true);
  for (const [refusedUri, words] of [
    ["troupe://jobs/job_none", "not found"],
    [`troupe://workspaces/${owner.workspaceId}/files/a.txt`, "Files cannot be watched"],
  ] as const)
    expect(await subscribe(id, refusedUri)).toContain(words);
  const without = await postMcp(service, owner.token, rpc("resources/subscribe", { uri }));
  expect(await without.text()).toContain("Subscriptions need a session");
});

test("[MCP-6] a stream of the newer era reports changes of the named resources that its client may read", async () => {
  const job = await held();
  const strangers = await service.found("Strangers");
  const uri = `troupe://jobs/${job.id}`;
  const told: string[] = [];
  const client = await modernClient(service, owner);
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void told.push(params.uri));
  const subscription = await client.listen({ resourceSubscriptions: [uri, "troupe://jobs/job_none"] });
  expect(subscription.honoredFilter).toEqual({ resourceSubscriptions: [uri] });
  const stranger = await modernClient(service, strangers);
  expect((await stranger.listen({ resourceSubscriptions: [uri] })).honoredFilter).toEqual({});
  goOn();
  await until("the client is told", () => told.length > 0);
  expect(new Set(told)).toEqual(new Set([uri]));
  await expect(
    client.listen({ resourceSubscriptions: Array.from({ length: 65 }, (_, n) => `troupe://jobs/${n}`) }),
  ).rejects.toThrow();
  await Promise.all([client.close(), stranger.close()]);
});

test("[MCP-1] [MCP-6] after a restart a cut call is answered, subscriptions continue, and ended sessions stay ended", async () => {
  const [id, ended] = [await openSession(service, owner), await openSession(service, owner)];
  expect((await request(service, "DELETE", owner, inSession(ended))).status).toBe(200);
  const call = await postMcp(service, owner.token, execute("call 1"), inSession(id));
  const last = (await eventsUntil(call, ({ message }) => message?.["method"] === "notifications/progress")).at(-1);
  const former = (await newestJob())?.id;
  const priming = await postMcp(service, owner.token, execute("call 2"), inSession(id));
  const first = (await eventsUntil(priming, () => true)).at(-1);
  // The stream begins before the work is accepted.
  await until("the second job is there", async () => (await newestJob())?.id !== former);
  const job = await newestJob();
  await subscribe(id, `troupe://chats/${job?.chat_id}`);
  await service.stop();
  goOn();
  service = await startService({ models, testDatabase });
  expect((await postMcp(service, owner.token, rpc("ping"), inSession(ended))).status).toBe(404);
  expect((await postMcp(service, owner.token, rpc("ping"), inSession(id))).status).toBe(200);
  for (const [event, requestId] of [
    [last, "call 1"],
    [first, "call 2"],
  ] as const) {
    const resumed = await request(service, "GET", owner, inSession(id, { "last-event-id": event?.id ?? "" }));
    const events = await eventsUntil(resumed, isResult);
    expect(events.at(-1)?.message).toMatchObject({
      id: requestId,
      result: { structuredContent: { status: "completed", result: "done at last" } },
    });
    const progress = events.flatMap(({ message }) =>
      message?.["method"] === undefined ? [] : [message["params"] as Json],
    );
    expect(progress.every(({ progressToken }) => progressToken === "p")).toBe(true);
  }
  const listening = await request(service, "GET", owner, inSession(id));
  expect(await eventsUntil(listening, isUpdate(`troupe://chats/${job?.chat_id}`))).toHaveLength(1);
});

test("[MCP-1] [MCP-3] a call that resumes after a restart links the files of its job", async () => {
  const scribe = await new Client(service, owner).agent({
    name: "Scribe",
    system_prompt: "x",
    allowed_tools: ["write_file"],
  });
  const held = Promise.withResolvers<void>();
  const use = { type: "tool_use", id: "c1", name: "write_file", input: { path: "a.md", text: "# A note" } } as const;
  models.script = ({ entries }) => (entries.length === 1 ? [{ hold: held.promise }, { use }] : [{ say: "written" }]);
  const id = await openSession(service, owner);
  const args = { agent_id: scribe, message: "write it down" };
  const call = await postMcp(
    service,
    owner.token,
    rpc("tools/call", { name: "execute_agent", arguments: args }),
    inSession(id),
  );
  const first = (await eventsUntil(call, () => true)).at(-1);
  await until("the job is there", async () => (await newestJob())?.agent_id === scribe);
  await service.stop();
  held.resolve();
  service = await startService({ models, testDatabase });
  const resumed = await request(service, "GET", owner, inSession(id, { "last-event-id": first?.id ?? "" }));
  const answer = (await eventsUntil(resumed, isResult)).at(-1)?.message as { result: { content: readonly Json[] } };
  const uri = `troupe://workspaces/${owner.workspaceId}/files/a.md`;
  expect(answer.result.content[1]).toMatchObject({ type: "resource_link", uri });
});
