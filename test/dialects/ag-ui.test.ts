/** AG-UI's own client, whose `verifyEvents` checks each stream, against a service (DIA-15 to DIA-17). */
import type { Interrupt, Message, RunAgentInput } from "@ag-ui/client";
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { TroupeAgent } from "../../sdk/typescript/ag-ui.ts";
import { RUN_EVENTS, AgUiState, agUiEvents } from "../../src/dialects/ag-ui/run-events.ts";
import { ApprovalScene, use } from "../support/approval-scene.ts";
import { until } from "../support/condition.ts";
import { answered, type Json } from "../support/current.ts";
import { gate } from "../support/fake-model.ts";
import { FaultyProxy } from "../support/faulty-proxy.ts";

let scene: ApprovalScene;
let threads = 0;
beforeAll(async () => void (scene = await ApprovalScene.start()));
afterAll(() => scene.service.stop());
beforeEach(() => {
  scene.reset();
  scene.tools.clients.clear();
  scene.tools.schemas.clear();
  threads++;
});

function opened(url = scene.service.url): TroupeAgent {
  const headers = { authorization: `Bearer ${scene.owner.token}` };
  // A connection that was cut must not be used again.
  const alone = (address: string, init: RequestInit) => fetch(address, { ...init, keepalive: false });
  const threadId = `thread ${threads}/x`;
  return new TroupeAgent({ url: `${url}/ag-ui/agents/${scene.agent}`, headers, threadId, fetch: alone });
}
const say = (agent: TroupeAgent, content: string, id = `u${agent.messages.length}`): void =>
  agent.addMessage({ id, role: "user", content });
/** The messages in a few words. */
const shown = (agent: TroupeAgent) =>
  agent.messages.map((message: Message) => {
    const calls = "toolCalls" in message ? (message.toolCalls ?? []).map(({ function: { name } }) => name) : [];
    return [message.role, message.content ?? "", ...calls].join(" ");
  });
const heard = () =>
  scene.service.model.calls.at(-1)?.entries.map((entry) => (entry.role === "user" ? entry.text : entry.blocks));
const jobs = async () => (await scene.client.get<{ jobs: Json[] }>("/api/jobs?limit=100")).jobs;

test("[DIA-15] a thread is a chat: text, calls and results are its messages, and only the last message is taken", async () => {
  scene.calling(["c1", "look"]);
  const agent = opened();
  say(agent, "go");
  await agent.runAgent();
  expect(shown(agent)).toEqual(["user go", "assistant Let me.  look", "tool look done", "assistant Done."]);
  scene.reset();
  say(agent, "more");
  const seen: unknown[] = [];
  await agent.runAgent({}, { onRunFinishedEvent: ({ event }) => void seen.push(event) });
  expect(heard()).toHaveLength(3);
  expect(shown(agent).slice(-2)).toEqual(["user more", "assistant done"]);
  expect(seen).toMatchObject([
    { outcome: { type: "success" }, usage: [{ inputTokens: expect.any(Number) as number }] },
  ]);
});

test("[DIA-16] a run that is sent again, and a client that connects, follow the same run and show nothing twice", async () => {
  const proxy = await FaultyProxy.open(scene.service.url);
  try {
    const held = gate();
    scene.service.model.script = () => [
      { think: "Hm." },
      { say: "one " },
      { say: "two " },
      { hold: held.hold },
      { say: "three" },
    ];
    const agent = opened(proxy.url);
    say(agent, "go");
    proxy.reset({ kind: "end", after: "two " });
    await agent.runAgent().catch(() => undefined);
    expect(agent.messages.length).toBeGreaterThan(0);
    const again = agent.runAgent();
    await until("the text is there again", () => shown(agent).at(-1) === "assistant one two ");
    const connected = opened();
    const watching = connected.connectAgent();
    await until("the other client has it too", () => shown(connected).at(-1) === "assistant one two ");
    held.open();
    await Promise.all([again, watching]);
    const whole = ["user go", "assistant one two three", "reasoning Hm."];
    expect(shown(agent).toSorted()).toEqual(whole.toSorted());
    expect(shown(connected).toSorted()).toEqual(whole.slice(1).toSorted());
    await agent.connectAgent();
    expect(shown(agent).toSorted()).toEqual(whole.toSorted());
    expect(scene.service.model.calls).toHaveLength(1);
    await opened().connectAgent({ runId: "r" });
  } finally {
    proxy.stop();
  }
});

test.each([true, false])(
  "[DIA-17] an approval is an interrupt, and its answer goes on with the run, however often it comes: %j",
  async (approved) => {
    scene.calling(["c1", "send"]);
    const agent = opened();
    say(agent, "go");
    const interrupts: Interrupt[] = [];
    await agent.runAgent(
      {},
      { onRunFinishedEvent: (end) => void (end.outcome === "interrupt" && interrupts.push(...end.interrupts)) },
    );
    expect(interrupts).toMatchObject([
      { reason: "approval_required", toolCallId: "c1", metadata: { tool_name: "send" } },
    ]);
    const answer = { interruptId: interrupts[0]!.id, status: "resolved", payload: { approved } } as const;
    const before = structuredClone(agent.messages);
    await agent.runAgent({ resume: [answer] });
    const result = approved ? "tool send done" : "tool This call was denied.";
    const whole = ["user go", "assistant Let me.  send", result, "assistant Done."];
    expect(shown(agent)).toEqual(whole);
    agent.messages = before;
    await agent.runAgent({ resume: [answer] });
    expect(shown(agent)).toEqual(whole);
    expect(scene.tools.calls.map(({ name }) => name)).toEqual(approved ? ["send"] : []);
  },
);

test("[DIA-17] the client's tools, context and state reach the agent, and its results continue the run", async () => {
  scene.tools.clients.add("price");
  scene.service.model.script = (call) => (call.entries.length === 1 ? [use("c1", "price")] : [{ say: "7 EUR" }]);
  const agent = opened();
  agent.setState({ page: "pens" });
  say(agent, "go");
  const tools = [{ name: "price", description: "A price", parameters: { type: "object" } }];
  const context = [{ description: "Today", value: "Thursday" }];
  const pending: string[] = [];
  const onRunFinishedEvent = (end: { outcome: string; pendingToolCallIds?: string[] }): void =>
    void pending.push(...(end.pendingToolCallIds ?? []));
  await agent.runAgent({ tools, context }, { onRunFinishedEvent: onRunFinishedEvent as never });
  expect(pending).toEqual(["c1"]);
  expect(scene.service.model.calls.at(-1)?.system).toContain(
    'Today: Thursday\nThe state of the application: {"page":"pens"}',
  );
  agent.addMessage({ id: "t1", role: "tool", toolCallId: "c1", content: "7" });
  await agent.runAgent({ tools, context });
  expect(shown(agent).at(-1)).toBe("assistant 7 EUR");
  expect(((heard() ?? [])[1] as unknown as Json[]).at(-1)).toMatchObject({ type: "tool_result", content: "7" });
});

test("[DIA-17] a failed run is an error of the run, and the stop ends it as cancelled", async () => {
  scene.service.model.script = () => [
    { say: "so " },
    { fail: { code: "provider_error", message: "The provider is down" } },
  ];
  const failing = opened();
  say(failing, "go");
  const errors: unknown[] = [];
  await failing.runAgent({}, { onRunErrorEvent: ({ event }) => void errors.push(event) }).catch(() => undefined);
  expect(errors).toMatchObject([{ message: "The provider is down", code: "provider_error" }]);
  threads++;
  const held = gate();
  scene.service.model.script = () => [{ say: "one " }, { hold: held.hold }];
  const agent = opened();
  say(agent, "go");
  const outcomes: string[] = [];
  const running = agent.runAgent({}, { onRunFinishedEvent: ({ outcome }) => void outcomes.push(outcome) });
  await until("the text is there", () => shown(agent).at(-1) === "assistant one ");
  await agent.stopRun();
  await running;
  held.open();
  expect(outcomes).toEqual(["cancelled"]);
});

/** The run of these messages, and what else the input says, as a plain request. */
const ran = async (messages: readonly object[], fields: object = {}, headers: Record<string, string> = {}) => {
  const input = { threadId: `thread ${threads}/x`, runId: "r", messages, tools: [], context: [], ...fields };
  const answer = await scene.service.call(scene.owner, "POST", `/ag-ui/agents/${scene.agent}`, input, { ...headers });
  return { status: answer.status, text: await answer.text() };
};
const go = { id: "u1", role: "user", content: "go" };

test("[DIA-17] changed arguments fit the tool and are not too long, as on the current surface", async () => {
  const schema = { type: "object", properties: { to: { type: "string" } }, required: ["to"] };
  scene.tools.schemas.set("send", schema);
  scene.calling(["c1", "send"]);
  const { text } = await ran([go]);
  const interruptId = /"id":"(apr_[^"]+)"/.exec(text)?.[1];
  const answer = (given: object) =>
    ran([go, { id: "a", role: "assistant" }], {
      resume: [{ interruptId, status: "resolved", payload: { approved: true, arguments: given } }],
    });
  expect(await answer({ to: 7 })).toMatchObject({
    status: 400,
    text: expect.stringContaining("resume.0.payload.arguments.to") as string,
  });
  expect((await answer({ to: "x".repeat(64 * 1024) })).status).toBe(413);
  expect((await answer({ to: "Bo" })).text).toContain("Done.");
  expect(scene.tools.calls.map(({ input }) => input)).toEqual([{ to: "Bo" }]);
});

test("[DIA-17] results that come with the next message are taken first; a message without them is refused", async () => {
  scene.tools.clients.add("price");
  scene.service.model.script = ({ entries }) =>
    entries.length === 1 ? [use("c1", "price")] : [{ say: entries.length === 2 ? "7 EUR" : "Bye." }];
  const tools = [{ name: "price", description: "A price", parameters: { type: "object" } }];
  await ran([go], { tools });
  const next = { id: "u2", role: "user", content: "next" };
  const early = await ran([go, next], { tools });
  expect(early).toMatchObject({ status: 409, text: expect.stringContaining("the result of price (c1)") as string });
  const whole = [go, { id: "t1", role: "tool", toolCallId: "c1", content: "7" }, next];
  expect((await ran(whole, { tools })).text).toContain("Bye.");
  expect((await ran(whole, { tools })).text).toContain("Bye.");
  expect(scene.service.model.calls.map(({ entries }) => entries.length)).toEqual([1, 2, 3]);
});

test("[DIA-16] the same message runs again after a failure, and another one with its id is refused", async () => {
  const { model } = scene.service;
  model.script = () => [{ fail: { code: "provider_error", message: "The provider is down" } }];
  expect((await ran([go])).text).toContain("The provider is down");
  model.script = () => [{ say: "up again" }];
  for (const _ of [1, 2]) expect((await ran([go])).text).toContain("up again");
  expect(model.calls.length).toBe(2);
  expect((await ran([{ ...go, content: "something else" }])).status).toBe(409);
});

test("[DIA-15] a request with an idempotency key keeps none of the client's messages", async () => {
  const key = { "idempotency-key": crypto.randomUUID() };
  const history = Array.from({ length: 200 }, (_, at) => ({
    id: `h${at}`,
    role: "assistant",
    content: "x".repeat(900),
  }));
  const first = await ran([...history, go], {}, key);
  const kept: { size: number }[] = await scene.service.database
    .read`select length(k::text) as size from idempotency_key k`;
  expect(kept.map(({ size }) => size < 5_000)).toEqual([true]);
  expect((await ran([...history, go], {}, key)).text).toBe(first.text);
});

test("[DIA-17] refusals have a message and a code, and everybody has threads of their own", async () => {
  const path = `/ag-ui/agents/${scene.agent}`;
  const input = { threadId: "t", runId: "r", messages: [], tools: [], context: [] } satisfies RunAgentInput;
  const answer = await scene.service.call(scene.owner, "POST", path, input);
  expect([answer.status, await answer.json()]).toEqual([
    400,
    { message: "Field messages must have a message of the user", code: "invalid_request" },
  ]);
  const reader = await scene.service.tokenFor(scene.owner, { scopes: ["chats:read"] });
  expect((await scene.service.call(reader, "POST", path, input)).status).toBe(403);
  expect((await scene.service.call(reader, "POST", `${path}/threads/t/stop`)).status).toBe(403);
  const other = await scene.service.join(scene.owner.organizationId);
  const agent = opened();
  say(agent, "go");
  await agent.runAgent();
  const begun = (await jobs()).length;
  const empty = await scene.service.call(other, "POST", `${path}/connect`, { ...input, threadId: agent.threadId });
  expect(await empty.text()).not.toContain("done");
  expect((await jobs()).length).toBe(begun);
});

test("[DIA-15] a message in a thread whose chat was deleted is refused, and says why", async () => {
  const path = `/ag-ui/agents/${scene.agent}`;
  const messages = [{ id: "m", role: "user", content: "go" }];
  const agent = opened();
  const input = { threadId: agent.threadId, runId: "r", tools: [], context: [] };
  say(agent, "go");
  await agent.runAgent();
  const { chats } = await scene.client.get<{ chats: { id: string }[] }>("/api/chats?limit=1");
  await answered(scene.client.call("DELETE", `/api/chats/${chats[0]!.id}`));
  const answer = await scene.service.call(scene.owner, "POST", path, { ...input, messages });
  expect([answer.status, await answer.json()]).toMatchObject([
    409,
    { code: "invalid_state", message: expect.stringContaining("was deleted: begin a chat with another id") },
  ]);
  // What was sent before follows its run, as ever.
  const sent = agent.messages.filter(({ role }) => role === "user");
  const again = await scene.service.call(scene.owner, "POST", path, { ...input, messages: sent });
  expect([again.status, await again.text()]).toEqual([200, expect.stringContaining("RUN_FINISHED")]);
  expect(scene.service.model.calls.length).toBe(1);
});

test("[DIA-16] a stream after a restart gives reasoning the id that it had before", () => {
  const ids = (restarted: boolean) => {
    const state = new AgUiState({ threadId: "t", runId: "r", jobId: "job_1", before: [], reasoning: new Set() });
    const said = (text: string) => agUiEvents(state, { kind: "text", block: 0, at: 0, offset: 0, text });
    if (restarted) {
      said("Hello you");
      agUiEvents(state, { kind: "restarted", block: 0, at: 0, offset: 0, kept: "" });
    }
    said("Hello all");
    return agUiEvents(state, { kind: "reasoning", text: "Hm." })[0]?.["messageId"];
  };
  expect(ids(true)).toBe(ids(false));
});

test("[DIA-16] a text that differs after a restart replaces the earlier one", () => {
  const state = new AgUiState({ threadId: "t", runId: "r", jobId: "job_1", before: [], reasoning: new Set() });
  const text = (said: string) => ({ kind: "text", block: 0, at: 0, offset: 0, text: said }) as const;
  agUiEvents(state, text("Hello you"));
  const events = agUiEvents(state, { kind: "restarted", block: 0, at: 6, offset: 6, kept: "Hello " });
  expect(events.map(({ type }) => type)).toEqual([
    "TEXT_MESSAGE_END",
    "MESSAGES_SNAPSHOT",
    "TEXT_MESSAGE_START",
    "TEXT_MESSAGE_CONTENT",
  ]);
  expect(events[1]?.["messages"]).toEqual([]);
  expect(Object.keys(RUN_EVENTS).length).toBeGreaterThan(15);
});
