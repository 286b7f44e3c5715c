/** Messages to a chat over HTTP: what is answered, and what becomes of one that comes while a turn runs (CHAT-4, CHAT-5). */
import { beforeAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { CHAT_QUEUE, chatRef } from "../../actors/chat/schema.ts";
import { ok, refuse } from "../../actors/fault.ts";
import { contentText } from "../../actors/job/schema.ts";
import { until } from "../support/condition.ts";
import { answered, type Chat, type Json, refused, type Sent } from "../support/current.ts";
import { echo, gate } from "../support/fake-model.ts";
import { sceneOfFile } from "../support/scene.ts";
import { createAgent } from "../support/v1.ts";

let agent: string;

const { service, owner, client } = sceneOfFile();
beforeAll(async () => void (agent = await createAgent(service, owner)));
beforeEach(() => {
  service.model.script = echo;
  service.model.info = ok({ provider: "fake", name: "fake", demo: false });
  service.model.calls.length = 0;
});

const open = (fields: Json = {}) => client.chat(agent, owner.workspaceId, fields);
const post = (id: string, body: unknown): Promise<Response> => client.call("POST", `/api/chats/${id}/messages`, body);
/** The next turn begins with `half `, and goes on when the gate opens. */
function hold(): () => void {
  const held = gate();
  service.model.script = (call) =>
    call.entries.length === 1 ? [{ say: "half " }, { hold: held.hold }, { say: "whole" }] : echo(call);
  return held.open;
}
const idle = (id: string) => until("the chat is idle", async () => (await client.readChat(id)).active_job_id === null);
const contents = async (id: string) => (await client.messages(id)).map((m) => `${m.role} ${m.status} ${m.content}`);

describe("an idle chat", () => {
  test("[CHAT-4] a message is 202 with the message, its job, the chat and its position; all can be read immediately", async () => {
    const id = await open();
    const held = hold();
    const sent = await answered<Sent>(post(id, { content: "hi there", metadata: { a: 1 } }), 202);
    expect(sent).toMatchObject({
      message: {
        role: "user",
        status: "completed",
        content: "hi there",
        chat_id: id,
        job_id: sent.job.id,
        metadata: { a: 1 },
      },
      job: {
        status: "queued",
        chat_id: id,
        title: "hi there",
        input: "hi there",
        agent_id: agent,
        relation: "root",
        workspace_id: owner.workspaceId,
      },
      chat: { id, status: "working", active_job_id: sent.job.id, message_count: 1, last_message_preview: "hi there" },
      queued_position: 0,
    });
    expect((await client.messages(id))[0]).toEqual(sent.message);
    expect(await client.job(sent.job.id)).toMatchObject({ id: sent.job.id });
    held();
    await client.reached(sent.job.id, "completed");
    expect(await client.readChat(id)).toMatchObject({
      status: "done",
      active_job_id: null,
      last_message_preview: "half whole",
    });
  });

  test("[CHAT-1] the status goes from standby to working, then to done or error, and from both to working again", async () => {
    const id = await open();
    service.model.script = () => [{ fail: { code: "provider_error", message: "no" } }];
    await client.reached((await client.send(id, "a")).job.id, "failed");
    expect((await client.readChat(id)).status).toBe("error");
    service.model.script = echo;
    await client.reached((await client.send(id, "b")).job.id, "completed");
    expect((await client.readChat(id)).status).toBe("done");
  });

  test("[CHAT-5] every policy starts a turn if none is running", async () => {
    for (const on_busy of ["queue", "steer", "interrupt", "reject"]) {
      const id = await open();
      const sent = await client.send(id, "hi", { on_busy });
      expect([sent.queued_position, (await client.reached(sent.job.id, "completed")).result]).toEqual([0, "echo: hi"]);
    }
  });

  test.each([
    [{}, "/content"],
    [{ content: "" }, "/content"],
    [{ content: 1 }, "/content"],
    [{ content: "x", on_busy: "wait" }, "/on_busy"],
    [{ content: "x", metadata: "m" }, "/metadata"],
    [{ content: "x", review_required: 1 }, "/review_required"],
    [{ content: "x", budget: { max_tokens: 0 } }, "/budget/max_tokens"],
    [{ content: "x", budget: { max_steps: 257 } }, "/budget/max_steps"],
    [{ content: "x", budget: { deadline_at: "soon" } }, "/budget/deadline_at"],
  ])("[GEN-7] %j is 400 and says where", async (body, path) => {
    const { errors } = await refused(post(await open(), body), 400, "invalid_request");
    expect((errors as { path: string }[])[0]?.path).toBe(path);
  });

  test("[ERR-5] a message of 256 KiB is accepted, one more byte is 413, and so are metadata over 16 KiB", async () => {
    const id = await open();
    await client.reached((await client.send(id, "é".repeat(128 * 1024))).job.id, "completed");
    expect(await refused(post(id, { content: `${"é".repeat(128 * 1024)}x` }), 413, "payload_too_large")).toEqual({
      limit_bytes: 256 * 1024,
      errors: [{ path: "/content", message: "Field content is too large: the limit is 262144 bytes" }],
    });
    const metadata = { a: "x".repeat(16 * 1024) };
    expect(await refused(post(id, { content: "x", metadata }), 413, "payload_too_large")).toEqual({
      limit_bytes: 16 * 1024,
      errors: [{ path: "/metadata", message: "Field metadata is too large: the limit is 16384 bytes" }],
    });
  });

  test("[RUN-4] without a usable model nothing is created, and the caller gets the reason", async () => {
    const id = await open();
    service.model.info = refuse({ kind: "provider_error", message: "no key" });
    await refused(post(id, { content: "hi" }), 502, "provider_error");
    expect(await client.readChat(id)).toMatchObject({ message_count: 0, status: "standby" });
  });
});

test("[CHAT-1] a message to a chat that is deleted at the same time is 404", async () => {
  const id = await open();
  const describing = spyOn(service.model, "describe").mockImplementationOnce(() => {
    void service.system.dispatch(chatRef(owner.organizationId, id), { kind: "delete_chat" });
    return service.model.info;
  });
  await refused(post(id, { content: "hi" }), 404, "not_found");
  expect(describing).toHaveBeenCalled();
  describing.mockRestore();
});

describe("a busy chat", () => {
  test("[CHAT-5] queue: the message waits in the queue, and is answered after the earlier ones", async () => {
    const id = await open();
    const release = hold();
    const first = await client.send(id, "one");
    const [second, third] = [await client.send(id, "two"), await client.send(id, "three", { on_busy: "queue" })];
    expect([second.queued_position, third.queued_position, second.message.status]).toEqual([1, 2, "queued"]);
    expect(await client.readChat(id)).toMatchObject({ active_job_id: first.job.id, queued_messages: 2 });
    release();
    for (const { job } of [first, second, third]) await client.reached(job.id, "completed");
    await idle(id);
    expect((await contents(id)).sort()).toEqual([
      "assistant completed echo: three",
      "assistant completed echo: two",
      "assistant completed half whole",
      "user completed one",
      "user completed three",
      "user completed two",
    ]);
    expect(service.model.calls[2]?.entries.map((e) => (e.role === "user" ? e.text : "…"))).toEqual([
      "one",
      "…",
      "two",
      "…",
      "three",
    ]);
  });

  test("[CHAT-5] a full queue accepts no more messages, and a steering message needs no place in it", async () => {
    const id = await open();
    const release = hold();
    const { job } = await client.send(id, "one");
    await service.model.called(1);
    await Promise.all(Array.from({ length: CHAT_QUEUE }, (_, i) => client.send(id, `${i}`)));
    for (const on_busy of ["queue", "interrupt"]) {
      const full = await answered<{ message: string }>(post(id, { content: "no room", on_busy }), 409);
      expect(full.message).toBe(`This chat already has ${CHAT_QUEUE} queued messages, which is the limit`);
    }
    expect((await client.send(id, "steered", { on_busy: "steer" })).job.id).toBe(job.id);
    await answered(client.call("DELETE", `/api/chats/${id}`));
    release();
  });

  test("[CHAT-5] reject: 409 chat_busy with the job, and nothing is created", async () => {
    const id = await open({ options: { on_busy: "reject" } });
    const release = hold();
    const { job } = await client.send(id, "one");
    const details = {
      status: "working",
      allowed_actions: ["send_message", "update", "update_options", "delete", "compact", "fork"],
      job_id: job.id,
    };
    expect(await refused(post(id, { content: "two" }), 409, "chat_busy")).toEqual(details);
    expect((await client.messages(id)).filter((m) => m.role === "user").length).toBe(1);
    expect((await client.send(id, "three", { on_busy: "queue" })).queued_position).toBe(1);
    release();
    await idle(id);
  });

  test("[CHAT-5] steer: the running job gets the message before its next call, and answers it", async () => {
    const id = await open();
    const release = hold();
    const { job } = await client.send(id, "one");
    await service.model.called(1);
    const steered = await client.send(id, "and this", { on_busy: "steer" });
    expect(steered).toMatchObject({
      message: { status: "completed", job_id: job.id },
      job: { id: job.id },
      queued_position: 0,
    });
    release();
    expect((await client.reached(job.id, "completed")).result).toBe("half whole\n\necho: and this");
    expect(service.model.calls[1]?.entries).toEqual([
      { role: "user", text: "one" },
      { role: "assistant", blocks: [{ type: "text", text: "half whole" }] },
      { role: "user", text: "and this" },
    ]);
    expect((await client.messages(id)).map((m) => m.content).sort()).toEqual([
      "and this",
      "half whole\n\necho: and this",
      "one",
    ]);
  });

  test("[RUN-34] [CHAT-5] later turns, also of a fork, have a message that steered where the model got it", async () => {
    const id = await open();
    const release = hold();
    const { job } = await client.send(id, "one");
    await service.model.called(1);
    await client.send(id, "and this", { on_busy: "steer" });
    release();
    await client.reached(job.id, "completed");
    const heard = async (chat: string, words: string) => {
      await client.reached((await client.send(chat, words)).job.id, "completed");
      return service.model.calls.at(-1)?.entries.map((e) => (e.role === "user" ? e.text : contentText(e.blocks)));
    };
    const before = ["one", "half whole", "and this", "echo: and this", "later"];
    expect(await heard(id, "later")).toEqual(before);
    const answers = (await client.messages(id)).filter(({ role }) => role === "assistant");
    const forkAt = async (from_message_id: string | undefined): Promise<string> => {
      const forked = client.call("POST", `/api/chats/${id}/fork`, { from_message_id });
      return (await answered<{ chat: Chat }>(forked, 201)).chat.id;
    };
    expect(await heard(await forkAt(answers[1]?.id), "and there")).toEqual([...before, "echo: later", "and there"]);
    expect(await heard(await forkAt(answers[0]?.id), "now")).toEqual([...before.slice(0, 4), "now"]);
  });

  test("[CHAT-5] interrupt: the turn is cancelled, its partial output kept, and the message is next, before the queue", async () => {
    const id = await open();
    const release = hold();
    const first = await client.send(id, "one");
    await service.model.called(1);
    const queued = await client.send(id, "queued");
    const second = await client.send(id, "stop that", { on_busy: "interrupt" });
    expect(second.queued_position).toBe(1);
    expect(await client.reached(first.job.id, "cancelled")).toMatchObject({ result: "half " });
    await client.reached(second.job.id, "completed");
    await client.reached(queued.job.id, "completed");
    expect((await client.messages(id)).find((m) => m.job_id === first.job.id && m.role === "assistant")).toMatchObject({
      status: "cancelled",
      content: "half ",
    });
    expect(service.model.calls.map((c) => c.entries.at(-1))).toEqual([
      { role: "user", text: "one" },
      { role: "user", text: "stop that" },
      { role: "user", text: "queued" },
    ]);
    release();
  });

  test("[CHAT-5] each policy holds under concurrent senders, and no message is lost", async () => {
    for (const on_busy of ["queue", "steer", "interrupt", "reject"]) {
      const id = await open();
      const release = hold();
      const { job: first } = await client.send(id, "first");
      const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => post(id, { content: `m${i}`, on_busy })));
      release();
      const statuses = answers.map((answer) => answer.status);
      if (on_busy === "reject") {
        expect(statuses).toEqual(statuses.map(() => 409));
        await idle(id);
        continue;
      }
      expect(statuses).toEqual(statuses.map(() => 202));
      const sent = await Promise.all(answers.map((answer) => answer.json() as Promise<Sent>));
      await idle(id);
      const messages = await client.messages(id);
      expect(messages.filter((m) => m.role === "user").length).toBe(13);
      expect(new Set(messages.map((m) => m.seq)).size).toBe(messages.length);
      expect(messages.every((m) => ["completed", "cancelled"].includes(m.status))).toBe(true);
      if (on_busy === "queue")
        expect(sent.map((s) => s.queued_position).sort((a, b) => a - b)).toEqual(
          Array.from({ length: 12 }, (_, i) => i + 1),
        );
      if (on_busy === "steer") {
        const ids = new Set(sent.map((s) => s.job.id));
        const said = (await Promise.all([...ids].map((job) => client.job(job)))).map((job) => job.status);
        expect(said.every((status) => status === "completed")).toBe(true);
      }
      if (on_busy === "interrupt") expect((await client.job(first.id)).status).toBe("cancelled");
      expect(await client.readChat(id)).toMatchObject({
        queued_messages: 0,
        active_job_id: null,
        message_count: messages.length,
      });
    }
  });

  test("[CHAT-5] more than 100 waiting messages are refused, and the chat continues", async () => {
    const id = await open();
    const release = hold();
    await client.send(id, "first");
    await Promise.all(Array.from({ length: 100 }, (_, i) => client.send(id, `m${i}`)));
    const { status } = await refused(post(id, { content: "one too many" }), 409, "invalid_state");
    expect(status).toBe("working");
    await answered(client.call("DELETE", `/api/chats/${id}`));
    release();
    const jobs = () => client.get<{ jobs: { status: string }[] }>(`/api/jobs?chat_id=${id}&limit=100&status=queued`);
    await until("nothing is queued", async () => (await jobs()).jobs.length === 0);
  });
});
