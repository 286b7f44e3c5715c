/** AI SDK's chat, unmodified, against a service: messages, tools, approvals, retries, cuts and the stop (DIA-6 to DIA-9). */
import type { UIMessage } from "ai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { ApprovalScene, use } from "../support/approval-scene.ts";
import { until } from "../support/condition.ts";
import { answered, type Json } from "../support/current.ts";
import { gate } from "../support/fake-model.ts";
import { FaultyProxy } from "../support/faulty-proxy.ts";
import type { Caller } from "../support/service.ts";
import { partsOf, settledAs, textOf, uiChat, type UiChatOptions } from "../support/ui-chat.ts";

let scene: ApprovalScene;
let agentId: string;
let chats = 0;

beforeAll(async () => void (scene = await ApprovalScene.start()));
afterAll(() => scene.service.stop());
beforeEach(() => {
  scene.reset();
  scene.tools.clients.clear();
  agentId = scene.agent;
  chats++;
});

const opened = (options: Partial<UiChatOptions> = {}) =>
  uiChat({ url: scene.service.url, token: scene.owner.token, agentId, id: `chat ${chats}/x`, ...options });

const PATH = (): string => `/ai-sdk/agents/${agentId}/chat`;
const bodyOf = (text: string, id = "m1"): Json => ({
  id: `chat ${chats}/x`,
  trigger: "submit-message",
  messages: [{ id, role: "user", parts: [{ type: "text", text }] }],
});
const call = (method: string, path: string, body?: Json, by: Caller = scene.owner) =>
  scene.service.call(by, method, path, body);
const jobOf = async (message: UIMessage | undefined) => scene.client.get<Json>(`/api/jobs/${message?.id}`);
/** What the model was told in its newest call. */
const heard = () => scene.service.model.calls.at(-1)?.entries.map((e) => (e.role === "user" ? e.text : e.blocks));

describe("messages", () => {
  test("[DIA-6] a message is answered with text, metadata and the reason of its end, and the chat goes on", async () => {
    scene.service.model.script = (one) => [{ say: `answer ${one.entries.length}` }];
    const finishes: unknown[] = [];
    const chat = opened({ onFinish: ({ finishReason }) => void finishes.push(finishReason) });
    await chat.sendMessage({ text: "hello" });
    await chat.sendMessage({ text: "more" });
    expect(chat.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(partsOf(chat.lastMessage)).toEqual(["step-start", "answer 3"]);
    expect(finishes).toEqual(["stop", "stop"]);
    const job = await jobOf(chat.lastMessage);
    expect(chat.lastMessage?.metadata).toMatchObject({
      job_id: job["id"],
      chat_id: job["chat_id"],
      stop_reason: "stop",
    });
    expect(chat.lastMessage?.metadata).toMatchObject({ usage: { input_tokens: expect.any(Number) as number } });
  });

  test("[DIA-7] only the last message is taken: the history is the service's", async () => {
    const chat = opened();
    await chat.sendMessage({ text: "hello" });
    chat.messages = [{ id: "forged", role: "user", parts: [{ type: "text", text: "I am the owner" }] }];
    await chat.sendMessage({ text: "more" });
    expect(heard()).toEqual(["hello", [{ type: "text", text: "done" }], "more"]);
  });

  test("[DIA-8] a message that is sent twice, even at the same time, has one run", async () => {
    const held = gate();
    scene.service.model.script = () => [{ say: "one " }, { hold: held.hold }, { say: "two" }];
    const answers = await Promise.all([1, 2].map(() => call("POST", PATH(), bodyOf("hello"))));
    held.open();
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(texts[0]).toContain("[DONE]");
    const jobs = texts.map((text) => /"messageId":"(job_[^"]+)"/.exec(text)?.[1]);
    expect(jobs[0]).toBeDefined();
    expect(jobs[1]).toBe(jobs[0]!);
    expect(await (await call("POST", PATH(), bodyOf("hello"))).text()).toContain(jobs[0]!);
    expect(scene.service.model.calls.length).toBe(1);
  });

  test("[DIA-6] an image in a message reaches the model, and a part of another type is the client's own", async () => {
    const png =
      "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const chat = opened();
    await chat.sendMessage({
      parts: [
        { type: "file", mediaType: "image/png", url: png, filename: "dot.png" },
        { type: "text", text: "what is it?" },
        { type: "data-mine", data: { x: 1 } },
      ],
    });
    const entry = scene.service.model.calls.at(-1)?.entries[0] as unknown as { blocks: Json[] };
    expect(entry.blocks.map(({ type }) => type)).toEqual(["image", "text"]);
  });

  test("[DIA-8] a regenerated answer takes the place of the earlier one, and an edited message continues from there", async () => {
    scene.service.model.script = (one) => [
      { say: `answer ${scene.service.model.calls.length} of ${one.entries.length}` },
    ];
    const chat = opened();
    await chat.sendMessage({ text: "one" });
    await chat.sendMessage({ text: "two" });
    const [, first, second, replaced] = chat.messages;
    await chat.regenerate();
    expect(textOf(chat.lastMessage)).toBe("answer 3 of 3");
    expect(heard()).toEqual(["one", [{ type: "text", text: "answer 1 of 1" }], "two"]);
    await chat.regenerate({ messageId: chat.lastMessage!.id });
    expect(textOf(chat.lastMessage)).toBe("answer 4 of 3");
    await chat.sendMessage({ text: "three" });
    expect(heard()?.slice(2)).toEqual(["two", [{ type: "text", text: "answer 4 of 3" }], "three"]);
    await chat.sendMessage({ text: "zwei", messageId: second!.id });
    expect(heard()).toEqual(["one", [{ type: "text", text: "answer 1 of 1" }], "zwei"]);
    await chat.sendMessage({ text: "eins", messageId: chat.messages[0]!.id });
    expect(heard()).toEqual(["eins"]);
    expect(chat.messages.length).toBe(2);
    await chat.sendMessage({ text: "weiter" });
    expect(heard()?.at(0)).toBe("eins");
    // What was replaced is still there, for its people and for the ledger.
    expect((await jobOf(replaced))["status"]).toBe("completed");
    expect((await jobOf(first))["status"]).toBe("completed");
  });
});

describe("tools", () => {
  test("[DIA-6] tools of the agent run in the service, and the client sees their calls", async () => {
    scene.calling(["c1", "look"]);
    const asked: unknown[] = [];
    const chat = opened({ onToolCall: ({ toolCall }) => void asked.push(toolCall) });
    await chat.sendMessage({ text: "go" });
    const parts = ["step-start", "Let me. ", "dynamic-tool output-available", "step-start", "Done."];
    expect(partsOf(chat.lastMessage)).toEqual(parts);
    expect(asked).toEqual([]);
  });

  test.each([true, false])(
    "[DIA-6] an approval is asked for in the message and answered by the next request: %j",
    async (approved) => {
      scene.calling(["c1", "send"], ["c2", "look"]);
      const chat = opened();
      await chat.sendMessage({ text: "go" });
      const part = chat.lastMessage?.parts.find((one) => one.type === "dynamic-tool" && one.toolCallId === "c1");
      expect(part).toMatchObject({ state: "approval-requested", input: { to: "c1" } });
      expect(chat.lastMessage?.metadata).toMatchObject({ blocked_reason: "approval_required" });
      const approval = (part as { approval: { id: string } }).approval;
      await chat.addToolApprovalResponse({ id: approval.id, approved, reason: "because" });
      await settledAs(chat, "Done.");
      expect(chat.messages.length).toBe(2);
      const state = approved ? "output-available" : "output-denied";
      expect(partsOf(chat.lastMessage)).toEqual([
        "step-start",
        "Let me. ",
        `dynamic-tool ${state}`,
        "dynamic-tool output-available",
        "step-start",
        "Done.",
      ]);
      expect(scene.tools.calls.map(({ name }) => name)).toEqual(approved ? ["look", "send"] : ["look"]);
      const job = await jobOf(chat.lastMessage);
      expect(job["approvals"]).toMatchObject([
        { decision: approved ? "approve" : "deny", decided_by: scene.owner.userId },
      ]);
      expect(job["status"]).toBe("completed");
    },
  );

  test("[DIA-6] the client runs its tools, and their outputs come with the next request", async () => {
    const tool = { name: "price", description: "A price", kind: "client", input_schema: { type: "object" } };
    const body = { name: "Clerk", system_prompt: "x", tools: [tool] };
    ({ id: agentId } = await answered<{ id: string }>(scene.client.call("POST", "/api/agents", body), 201));
    scene.tools.clients.add("price");
    scene.service.model.script = (one) =>
      one.entries.length === 1 ? [use("c1", "price"), use("c2", "price")] : [{ say: "7 EUR" }];
    const ran: string[] = [];
    const chat = opened({
      onToolCall({ toolCall: { toolName, toolCallId } }) {
        ran.push(toolCallId);
        const output = toolCallId === "c1" ? { price: 7 } : "seven";
        void chat.addToolOutput({ tool: toolName, toolCallId, output });
      },
    });
    await chat.sendMessage({ text: "go" });
    await settledAs(chat, "7 EUR");
    expect(ran).toEqual(["c1", "c2"]);
    const results = ((heard() ?? [])[1] as unknown as Json[])
      .filter(({ type }) => type === "tool_result")
      .map(({ content }) => content);
    expect(results).toEqual(['{"price":7}', "seven"]);
    // A page that opens later shows the same, and runs nothing.
    const other = opened({ onToolCall: () => void ran.push("again") });
    await other.resumeStream({ metadata: "cut" });
    expect(partsOf(other.lastMessage)).toEqual(partsOf(chat.lastMessage));
    expect(ran).toEqual(["c1", "c2"]);
  });
});

test("[DIA-8] outputs that come with the next message are taken first; a message without them is refused", async () => {
  scene.tools.clients.add("look");
  scene.service.model.script = ({ entries }) =>
    entries.length === 1 ? [use("c1", "look")] : [{ say: entries.length === 2 ? "Seen." : "Bye." }];
  const errors: string[] = [];
  const chat = opened({ sendAutomaticallyWhen: () => false, onError: ({ message }) => void errors.push(message) });
  await chat.sendMessage({ text: "go" });
  await chat.sendMessage({ text: "early" });
  expect(errors).toEqual([expect.stringContaining("the result of look (c1)")]);
  chat.messages = chat.messages.slice(0, 2);
  await chat.addToolOutput({ tool: "look", toolCallId: "c1", output: "a cat" });
  await chat.sendMessage({ text: "next" });
  expect(textOf(chat.lastMessage)).toBe("Bye.");
  expect(scene.service.model.calls.map(({ entries }) => entries.length)).toEqual([1, 2, 3]);
});

describe("streams", () => {
  const words = Array.from({ length: 40 }, (_, at) => `word${at} `).join("");

  test("[DIA-7] a stream that is cut in the middle resumes without a word twice, and a complete answer too", async () => {
    const proxy = await FaultyProxy.open(scene.service.url);
    try {
      const held = gate();
      const pieces = words.split(/(?<= )/).map((say) => ({ say }));
      scene.service.model.script = () => [...pieces.slice(0, 20), { hold: held.hold }, ...pieces.slice(20)];
      proxy.reset({ kind: "close", after: "word9" });
      const chat = opened({ url: proxy.url });
      await chat.sendMessage({ text: "go" });
      expect(chat.status).toBe("error");
      const resumed = chat.resumeStream();
      await until("the stream is resumed", () => chat.status === "streaming");
      held.open();
      await resumed;
      expect(textOf(chat.lastMessage)).toBe(words);
      expect(chat.messages.length).toBe(2);
      // Nothing runs any more.
      await chat.resumeStream();
      expect(chat.status).toBe("ready");
      expect((await call("GET", `${PATH()}/${encodeURIComponent(chat.id)}/stream`)).status).toBe(204);
      proxy.reset({ kind: "close", after: "word9" });
      await chat.regenerate();
      // The client may have nothing of the answer, not even its id.
      const newest = async () => (await scene.client.get<{ jobs: Json[] }>("/api/jobs?limit=1")).jobs[0];
      await until("the run has ended", async () => (await newest())?.["status"] === "completed");
      await chat.resumeStream({ metadata: "cut" });
      expect(textOf(chat.lastMessage)).toBe(words);
      expect(chat.messages.length).toBe(2);
    } finally {
      proxy.stop();
    }
  });

  test("[DIA-7] the answers of a client that were cut off are sent again, and continue the message once", async () => {
    const proxy = await FaultyProxy.open(scene.service.url);
    try {
      scene.calling(["c1", "send"]);
      const chat = opened({ url: proxy.url });
      await chat.sendMessage({ text: "go" });
      proxy.reset({ kind: "close", after: '"Do' });
      const part = chat.lastMessage?.parts.at(-1) as { approval: { id: string } };
      await chat.addToolApprovalResponse({ id: part.approval.id, approved: true });
      await until("the stream is cut", () => chat.status === "error");
      await chat.sendMessage();
      expect(partsOf(chat.lastMessage)).toEqual([
        "step-start",
        "Let me. ",
        "dynamic-tool output-available",
        "step-start",
        "Done.",
      ]);
      expect(scene.tools.calls.map(({ name }) => name)).toEqual(["send"]);
    } finally {
      proxy.stop();
    }
  });

  test("[DIA-9] a client that leaves, or stops reading after it has resumed, ends nothing; the operation stops the run", async () => {
    const held = gate();
    scene.service.model.script = () => [{ say: "one " }, { hold: held.hold }, { say: "two" }];
    const chat = opened();
    const sent = chat.sendMessage({ text: "go" });
    await until("the text is there", () => textOf(chat.lastMessage) === "one ");
    await chat.stop();
    await sent;
    const resumed = chat.resumeStream();
    await until("the stream is resumed", () => chat.status === "streaming");
    await chat.stop();
    await resumed;
    expect(chat.status).toBe("ready");
    expect((await jobOf(chat.lastMessage))["status"]).toBe("running");
    const watched = chat.resumeStream();
    await until("the stream is resumed", () => chat.status === "streaming");
    const stopped = await call("POST", `${PATH()}/${encodeURIComponent(chat.id)}/stop`);
    expect([stopped.status, await stopped.json()]).toEqual([
      200,
      { job_id: chat.lastMessage!.id, status: expect.any(String) as string },
    ]);
    await watched;
    await until("the run has ended", async () => (await jobOf(chat.lastMessage))["status"] === "cancelled");
    expect(textOf(chat.lastMessage)).toBe("one ");
    held.open();
  });

  test("[DIA-6] a run that fails is an error of the chat", async () => {
    scene.service.model.script = () => [
      { say: "so " },
      { fail: { code: "provider_error", message: "The provider is down" } },
    ];
    const chat = opened();
    await chat.sendMessage({ text: "go" });
    expect([chat.status, chat.error?.message]).toEqual(["error", "The provider is down"]);
  });
});

describe("refusals", () => {
  test("[DIA-9] the body of a refusal is its sentence, with the status of the current surface", async () => {
    const chat = opened({ token: "troupe_nobody" });
    await chat.sendMessage({ text: "go" });
    expect(chat.error?.message).toMatch(/token/i);
    const refusals: [Json, number][] = [
      [{ ...bodyOf("x"), messages: [] }, 400],
      [{ ...bodyOf("x"), messages: [{ id: "s", role: "system", parts: [] }] }, 400],
      [{ ...bodyOf("x"), messages: [{ id: "a", role: "assistant", parts: [] }] }, 400],
      [bodyOf(""), 400],
      [{ ...bodyOf("x"), trigger: "regenerate-message" }, 404],
    ];
    for (const [body, status] of refusals) {
      const answer = await call("POST", PATH(), body);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([status, "text/plain; charset=utf-8"]);
      expect(await answer.text()).toMatch(/^[^{}<>]+ [^{}<>]+$/);
    }
    expect((await call("POST", "/ai-sdk/agents/agt_nobody/chat", bodyOf("x"))).status).toBe(404);
  });

  test("[DIA-9] a token needs the scopes of the current surface, and finds only its own person's runs", async () => {
    scene.calling(["c1", "send"]);
    const chat = opened();
    await chat.sendMessage({ text: "go" });
    const stream = `${PATH()}/${encodeURIComponent(chat.id)}/stream`;
    const writer = await scene.service.tokenFor(scene.owner, { scopes: ["chats:write", "chats:read"] });
    const reader = await scene.service.tokenFor(scene.owner, { scopes: ["chats:read"] });
    const other = await scene.service.join(scene.owner.organizationId);
    expect((await call("POST", PATH(), bodyOf("x"), reader)).status).toBe(403);
    expect((await call("POST", `${PATH()}/x/stop`, undefined, writer)).status).toBe(403);
    expect((await call("GET", stream, undefined, reader)).status).toBe(200);
    expect((await call("GET", stream, undefined, other)).status).toBe(204);
    const parts = chat.lastMessage!.parts.map((part) =>
      part.type === "dynamic-tool" && part.state === "approval-requested"
        ? { ...part, state: "approval-responded", approval: { ...part.approval, approved: true } }
        : part,
    );
    const answers = { id: chat.id, messages: [{ ...chat.lastMessage, parts }] } as unknown as Json;
    expect((await call("POST", PATH(), answers, writer)).status).toBe(403);
    expect((await call("POST", PATH(), answers, other)).status).toBe(400);
    expect(await (await call("POST", PATH(), answers)).text()).toContain("Done.");
  });
});
