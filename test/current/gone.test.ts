/**
 * What chats and jobs say when their agent, workspace or chat is gone: no verb that is refused, and no 404 of another
 * noun.
 */
import { beforeEach, describe, expect, test } from "bun:test";
import { organizationRef } from "../../actors/organization/schema.ts";
import { library } from "../../src/wiring/library.ts";
import { answered, type Chat, type Job, type Json } from "../support/current.ts";
import { StreamReader } from "../support/event-streams.ts";
import { sceneOfTest } from "../support/scene.ts";

const { service, owner, client } = sceneOfTest();
beforeEach(() => void (service.model.script = () => [{ say: "done" }]));

const agent = (fields: Json = {}): Promise<string> => client.agent(fields);
const chatWith = (id: string): Promise<string> => client.chat(id, owner.workspaceId);
async function refusal(asked: Promise<Response>, status: string, verbs: readonly string[]): Promise<string> {
  const { code, message, details } = await answered<{ code: string; message: string; details: Json }>(asked, 409);
  expect({ code, details }).toEqual({ code: "invalid_state", details: { status, allowed_actions: verbs } });
  return message;
}

interface Gone {
  readonly why: string;
  readonly make: () => Promise<string>;
  readonly end: (id: string) => Promise<unknown>;
  readonly words: RegExp;
}
const setDisabled = (agentId: string) =>
  service.system.dispatch(organizationRef(owner.organizationId), { kind: "set_disabled", agentId, isDisabled: true });
const install = (id: string, action: string) =>
  answered(client.call("PATCH", `/api/agents/${id}/install-state`, { action }));

const GONE: readonly Gone[] = [
  {
    why: "deleted",
    make: agent,
    end: (id) => answered(client.call("DELETE", `/api/agents/${id}`)),
    words: /^The agent Ada was deleted/,
  },
  {
    why: "uninstalled",
    make: async () => {
      const { id } = library.of(owner.organizationId)[0]!;
      await install(id, "install");
      return id;
    },
    end: (id) => install(id, "uninstall"),
    words: /^The library agent .* is not installed$/,
  },
  { why: "disabled by the operator", make: agent, end: setDisabled, words: /has disabled the agent Ada$/ },
];

describe.each(GONE)("an agent that is $why", ({ make, end, words }) => {
  const LEFT = ["update", "update_options", "delete"];

  test("[GEN-5] removes send_message from its chats, and a message is refused with the chat's own message", async () => {
    const id = await make();
    const chat = await chatWith(id);
    expect((await client.readChat(chat))["allowed_actions"]).toEqual(["send_message", ...LEFT]);
    await end(id);
    const { chats } = await client.get<{ chats: Chat[] }>("/api/chats?limit=100");
    expect((await client.readChat(chat))["allowed_actions"]).toEqual(LEFT);
    expect(chats.find((one) => one.id === chat)?.["allowed_actions"]).toEqual(LEFT);
    const changed = await answered(client.call("PATCH", `/api/chats/${chat}/options`, { pinned: true }));
    expect(changed["allowed_actions"]).toEqual(LEFT);
    const asked = client.call("POST", `/api/chats/${chat}/messages`, { content: "hello" });
    expect(await refusal(asked, "standby", LEFT)).toMatch(words);
  });

  test("[GEN-5] removes iterate and resume from its jobs", async () => {
    const id = await make();
    const chat = await chatWith(id);
    const { job: done } = await client.send(chat, "one");
    expect((await client.reached(done.id, "completed")).allowed_actions).toEqual(["iterate"]);
    service.model.script = () => [{ fail: { code: "provider_rejected", message: "No." } }];
    const { job: lost } = await client.send(chat, "two");
    expect((await client.reached(lost.id, "failed")).allowed_actions).toEqual(["resume", "iterate"]);
    await end(id);
    expect((await client.job(done.id)).allowed_actions).toEqual([]);
    const { jobs } = await client.get<{ jobs: Job[] }>(`/api/jobs?chat_id=${chat}`);
    expect(jobs.map((job) => job.allowed_actions)).toEqual([[], []]);
    expect(await refusal(client.decide(done.id, "iterate", { feedback: "again" }), "completed", [])).toMatch(words);
    expect(await refusal(client.decide(lost.id, "resume"), "failed", [])).toMatch(words);
    expect(await refusal(client.decide(lost.id, "iterate", { feedback: "again" }), "failed", [])).toMatch(words);
  });

  test("[GEN-5] removes all actions from the snapshot of a stream", async () => {
    const id = await make();
    const chat = await chatWith(id);
    const { job } = await client.send(chat, "one");
    await client.reached(job.id, "completed");
    await end(id);
    for (const path of [`/api/chats/${chat}/events?wait=end`, `/api/jobs/${job.id}/events`]) {
      const stream = await StreamReader.open(`${service.url}${path}`, { authorization: `Bearer ${owner.token}` });
      const { data } = await stream.saw("snapshot");
      expect(data["allowed_actions"]).toEqual(path.includes("chats") ? LEFT : []);
      await stream.leave();
    }
  });
});

test("[GEN-5] a job whose chat is deleted cannot be continued, and says so", async () => {
  const chat = await chatWith(await agent());
  const { job } = await client.send(chat, "one");
  await client.reached(job.id, "completed");
  await answered(client.call("DELETE", `/api/chats/${chat}`));
  expect((await client.job(job.id)).allowed_actions).toEqual([]);
  const { jobs } = await client.get<{ jobs: Job[] }>("/api/jobs");
  expect(jobs.map((one) => one.allowed_actions)).toEqual([[]]);
  const words = await refusal(client.decide(job.id, "iterate", { feedback: "again" }), "completed", []);
  expect(words).toBe("The chat of this job was deleted");
});

test("[GEN-5] a cancelled job whose agent was deleted while it ran says that it cannot be resumed", async () => {
  const id = await agent();
  const chat = await chatWith(id);
  service.model.script = () => [{ say: "half" }, { hold: new Promise<void>(() => {}) }];
  const { job } = await client.send(chat, "one");
  await client.reached(job.id, "running");
  await answered(client.call("DELETE", `/api/agents/${id}`));
  const receipt = await answered<{ job: Job }>(client.decide(job.id, "cancel", undefined, "?wait=20"));
  expect(receipt.job).toMatchObject({ status: "cancelled", allowed_actions: [] });
});

test("[GEN-5] an agent that the operator has disabled does not show execute", async () => {
  const id = await agent();
  expect((await client.get(`/api/agents/${id}`))["allowed_actions"]).toContain("execute");
  await setDisabled(id);
  expect((await client.get(`/api/agents/${id}`))["allowed_actions"]).toEqual(["update", "delete"]);
});

test("[CHAT-14] a chat whose workspace is deleted can be read, and no job starts in it", async () => {
  const LEFT = ["update", "update_options", "delete"];
  const place = await answered<{ id: string }>(client.call("POST", "/api/workspaces", { name: "Drafts" }), 201);
  const id = await agent();
  const chat = await client.chat(id, place.id);
  const { job } = await client.send(chat, "one");
  await client.reached(job.id, "completed");
  expect((await client.readChat(chat))["allowed_actions"]).toContain("send_message");
  await answered(client.call("DELETE", `/api/workspaces/${place.id}`));

  expect((await client.readChat(chat))["allowed_actions"]).toEqual(LEFT);
  const { chats } = await client.get<{ chats: Chat[] }>("/api/chats?limit=100");
  expect(chats.find((one) => one.id === chat)?.["allowed_actions"]).toEqual(LEFT);
  expect((await client.job(job.id)).allowed_actions).toEqual([]);
  const { jobs } = await client.get<{ jobs: Job[] }>(`/api/jobs?chat_id=${chat}`);
  expect(jobs.map((one) => one.allowed_actions)).toEqual([[]]);

  const words = "The workspace of this conversation was deleted";
  const { messages } = await client.get<{ messages: { id: string }[] }>(`/api/chats/${chat}/messages`);
  const from = { from_message_id: messages[0]!.id };
  for (const [verb, body] of [
    ["messages", { content: "two" }],
    ["messages", { content: "two", on_busy: "steer" }],
    ["compact", {}],
    ["fork", from],
  ] as const)
    expect(await refusal(client.call("POST", `/api/chats/${chat}/${verb}`, body), "done", LEFT)).toBe(words);
  expect(await refusal(client.decide(job.id, "iterate", { feedback: "again" }), "completed", [])).toBe(words);
  const executed = await service.call(owner, "POST", `/api/v1/agents/${id}/execute`, {
    message: "two",
    chatId: chat,
  });
  expect([executed.status, await executed.json()]).toEqual([409, expect.objectContaining({ message: words })]);
});
