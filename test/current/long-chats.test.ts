/** Compacting, pinning and forking chats, over HTTP. */
import { beforeEach, describe, expect, test } from "bun:test";
import { contentText } from "../../actors/job/schema.ts";
import { answered, type Chat, type Job, type Json, type Message, refused } from "../support/current.ts";
import { gate } from "../support/fake-model.ts";
import { sceneOfTest } from "../support/scene.ts";

interface Fork {
  readonly chat: Chat;
  readonly message: Message | null;
  readonly job: Job | null;
}

let chat: string;

const { service, owner, client } = sceneOfTest();
beforeEach(async () => {
  const agent = await answered<{ id: string }>(
    client.call("POST", "/api/agents", { name: "Ada", system_prompt: "x" }),
    201,
  );
  chat = await client.chat(agent.id, owner.workspaceId);
  service.model.script = ({ entries, purpose }) => [
    {
      say:
        purpose === "summary" ? "They have counted." : `answer ${entries.filter(({ role }) => role === "user").length}`,
    },
  ];
});

async function say(content: string, to = chat): Promise<void> {
  const { job } = await client.send(to, content);
  await client.reached(job.id, "completed");
}
const compact = (body: Json = {}): Promise<Response> => client.call("POST", `/api/chats/${chat}/compact`, body);
const fork = (body: Json, from = chat): Promise<Response> => client.call("POST", `/api/chats/${from}/fork`, body);
/** What the model was told last, in words. */
const told = (): string[] =>
  service.model.calls.at(-1)!.entries.map((entry) => (entry.role === "user" ? entry.text : contentText(entry.blocks)));
const said = async (of: string): Promise<string[]> =>
  (await client.messages(of)).map(({ role, content }) => `${role}: ${content}`);

describe("a chat that is compacted", () => {
  test("[CHAT-11] has a summary as its own message, and all of its messages", async () => {
    expect((await client.readChat(chat)).allowed_actions).not.toContain("compact");
    await refused(compact(), 409, "invalid_state");
    await say("one");
    await say("two");
    const { job, chat: busy } = await answered<{ job: Job; chat: Chat }>(compact({ instructions: "numbers" }), 202);
    expect(busy).toMatchObject({ id: chat, status: "working", active_job_id: job.id });
    const done = await client.reached(job.id, "completed");
    expect(done).toMatchObject({ result: "They have counted.", input: "numbers" });
    for (const verb of ["iterate", "resume"]) expect(done.allowed_actions).not.toContain(verb);
    await refused(client.decide(job.id, "iterate", { feedback: "x" }), 409, "invalid_state");
    expect(await said(chat)).toEqual([
      "user: one",
      "assistant: answer 1",
      "user: two",
      "assistant: answer 2",
      "system: They have counted.",
    ]);
    const [first, , , , summary] = await client.messages(chat);
    expect(first).toMatchObject({ pinned: false, summary_of: null });
    expect(summary).toMatchObject({ summary_of: 4, job_id: job.id });
    expect(await client.readChat(chat)).toMatchObject({
      status: "done",
      last_message_preview: "answer 2",
      summary: { message_id: summary!.id, messages: 4 },
    });
    await say("three");
    expect(told()).toEqual([expect.stringContaining("They have counted.") as string, "three"]);
    expect(await client.get("/api/invariants")).toMatchObject({ ok: true });
  });

  test("[CHAT-11] waits for the turn that runs, and a message for its end", async () => {
    await say("one");
    const held = gate();
    const { script } = service.model;
    service.model.script = (call) => [{ hold: held.hold }, ...script(call)];
    const { job: first } = await client.send(chat, "two");
    const { job } = await answered<{ job: Job }>(compact(), 202);
    const { job: last } = await client.send(chat, "three");
    expect(job.status).toBe("queued");
    held.open();
    for (const { id } of [first, job, last]) await client.reached(id, "completed");
    expect(told()).toEqual([expect.stringContaining("They have counted.") as string, "three"]);
  });

  test("[CHAT-12] keeps pinned messages, at most 20 of the chat", async () => {
    await say("my name is Ada");
    await say("two");
    const [first] = await client.messages(chat);
    const path = `/api/chats/${chat}/messages/${first!.id}`;
    expect(await answered(client.call("PATCH", path, { pinned: true }))).toMatchObject({ id: first!.id, pinned: true });
    expect((await client.messages(chat))[0]).toMatchObject({ pinned: true });
    await client.reached((await answered<{ job: Job }>(compact(), 202)).job.id, "completed");
    await say("three");
    expect(told().slice(1)).toEqual(["my name is Ada", "three"]);
    const unknown = `${path.slice(0, -1)}${path.endsWith("_") ? "A" : "_"}`;
    await refused(client.call("PATCH", unknown, { pinned: true }), 404, "not_found");
    await refused(client.call("PATCH", path, { pinned: "yes" }), 400, "invalid_request");
  });
});

describe("a fork", () => {
  test("[CHAT-13] continues from a message, and leaves its chat as it was", async () => {
    for (const words of ["one", "two", "three"]) await say(words);
    const messages = await client.messages(chat);
    const before = await client.readChat(chat);
    const made = await answered<Fork>(fork({ from_message_id: messages[3]!.id, title: "Else" }), 201);
    expect(made).toMatchObject({ message: null, job: null });
    expect(made.chat).toMatchObject({
      title: "Else",
      status: "done",
      message_count: 4,
      forked_from: { chat_id: chat, message_id: messages[3]!.id },
    });
    expect(await said(made.chat.id)).toEqual((await said(chat)).slice(0, 4));
    await say("four", made.chat.id);
    expect(told()).toEqual(["one", "answer 1", "two", "answer 2", "four"]);
    expect(await client.readChat(chat)).toEqual(before);
    // A user's message is the last one, without its answer.
    const other = await answered<Fork>(fork({ from_message_id: messages[2]!.id }), 201);
    expect(await said(other.chat.id)).toEqual((await said(chat)).slice(0, 3));
  });

  test("[CHAT-13] with content puts it instead of a user's message, and is answered", async () => {
    for (const words of ["one", "two", "three"]) await say(words);
    const messages = await client.messages(chat);
    const {
      chat: other,
      job,
      message,
    } = await answered<Fork>(fork({ from_message_id: messages[2]!.id, content: "zwei" }), 201);
    expect(message).toMatchObject({ content: "zwei", chat_id: other.id });
    await client.reached(job!.id, "completed");
    expect(await said(other.id)).toEqual(["user: one", "assistant: answer 1", "user: zwei", "assistant: answer 2"]);
    await refused(fork({ from_message_id: messages[1]!.id, content: "x" }), 400, "invalid_request");
    await refused(fork({ from_message_id: "msg_none" }), 404, "not_found");
    await refused(fork({ from_message_id: messages[0]!.id }, "cht_V1StGXR8_Z5jdHi6B-myT"), 404, "not_found");
  });

  test("[CHAT-13] has the summary only if it was forked after the messages that the summary replaces", async () => {
    await say("one");
    await say("two");
    const early = (await client.messages(chat))[1]!.id;
    await client.reached((await answered<{ job: Job }>(compact(), 202)).job.id, "completed");
    await say("three");
    const late = (await client.messages(chat)).at(-1)!.id;
    const { chat: behind } = await answered<Fork>(fork({ from_message_id: late }), 201);
    expect(behind.summary).toMatchObject({ messages: 4 });
    await say("four", behind.id);
    expect(told()).toEqual([expect.stringContaining("They have counted.") as string, "three", "answer 2", "four"]);
    const { chat: before } = await answered<Fork>(fork({ from_message_id: early }), 201);
    expect(before.summary).toBeNull();
    await say("four", before.id);
    expect(told()).toEqual(["one", "answer 1", "four"]);
  });
});
