import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { ok } from "../../actors/fault.ts";
import { RUN_ERROR_CODES, type RunErrorCode } from "../../actors/job/schema.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import { echo, gate } from "../support/fake-model.ts";
import { personOfFile, sceneOfFile } from "../support/scene.ts";
import type { Caller } from "../support/service.ts";
import { createAgent, execute, type Executed, expectFailure, success } from "../support/v1.ts";

let agent: string;

const { service, owner } = sceneOfFile();
const member = personOfFile(() => service.join(owner.organizationId));
const stranger = personOfFile(() => service.found("Stranger"));
beforeAll(async () => void (agent = await createAgent(service, owner)));
beforeEach(() => {
  service.model.script = echo;
  service.model.info = ok({ provider: "fake", name: "fake", demo: false });
  service.model.calls.length = 0;
});

const run = (body: object, by: Caller = owner, id = agent) => success<Executed>(execute(service, by, id, body));
const refused = async (body: object, status: number, message: string, by: Caller = owner, id = agent) =>
  expectFailure(await execute(service, by, id, body), status, message);
/** What the model was told in its latest call. */
const heard = () => service.model.calls.at(-1)?.entries.map((e) => (e.role === "user" ? e.text : e.blocks));

describe("answer", () => {
  test("[V1-8] has exactly the fields of the interface", async () => {
    const answer = await run({ message: "hi" });
    expect(answer).toEqual({
      success: true,
      executionId: expect.stringMatching(/^exec-\d{13}-[0-9a-z]{12}$/),
      chatId: expect.stringMatching(/^cht_[A-Za-z0-9_-]{21}$/),
      sessionId: expect.stringMatching(/^ses_[A-Za-z0-9_-]{21}$/),
      result: "echo: hi",
    });
  });

  test("[V1-8] stream false, null and absent are the same", async () => {
    for (const stream of [false, null, undefined])
      expect((await run({ message: "hi", stream })).result).toBe("echo: hi");
  });

  test.each([
    [{}, "Missing required field: message"],
    [{ message: "" }, "Missing required field: message"],
    [{ message: " \n" }, "Missing required field: message"],
    [{ message: null }, "Missing required field: message"],
    [{ message: 1 }, "Field message must be a string"],
    [{ message: "hi", stream: "true" }, "Field stream must be a boolean"],
    [{ message: "hi", chatId: 1 }, "Field chatId must be a string"],
    [{ message: "hi", sessionId: [] }, "Field sessionId must be a string"],
    [{ message: "hi", spaceId: {} }, "Field spaceId must be a string"],
  ])("[ERR-3] %j is 400: %s", async (body, message) => refused(body, 400, message));

  test("[ERR-5] a message of 256 KiB is accepted, one byte more is 413", async () => {
    const answer = await run({ message: "é".repeat(128 * 1024) });
    expect(answer.result.length).toBe(6 + 128 * 1024);
    await refused(
      { message: `${"é".repeat(128 * 1024)}x` },
      413,
      "Field message is too large: the limit is 262144 bytes",
    );
  });

  test("[RUN-1] the demo provider's answers say that it is not a language model", async () => {
    service.model.info = ok({ provider: "demo", name: "echo", demo: true });
    expect(await run({ message: "hi" })).toMatchObject({
      success: true,
      notice: expect.stringContaining("not a language model"),
    });
  });

  test("[V1-8] a turn with tools is answered with all of its text", async () => {
    let step = 0;
    service.model.script = () =>
      step++ === 0
        ? [{ say: "Looking. " }, { use: { type: "tool_use", id: "call_1", name: "list_agents", input: {} } }]
        : [{ say: "Done." }];
    expect((await run({ message: "go" })).result).toBe("Looking. \n\nDone.");
  });
});

describe("who may execute", () => {
  test("[V1-1] a private agent runs for its creator, one of the organization for its members, public and unlisted ones for anybody", async () => {
    const of = (visibility: string) => createAgent(service, owner, { visibility });
    const [secret, shared, open, hidden] = [
      await of("private"),
      await of("organization"),
      await of("public"),
      await of("unlisted"),
    ];
    for (const id of [secret, shared, open, hidden]) await run({ message: "hi" }, owner, id);
    for (const id of [shared, open, hidden]) await run({ message: "hi" }, member, id);
    for (const id of [open, hidden]) await run({ message: "hi" }, stranger, id);
    await refused({ message: "hi" }, 404, "Agent not found", member, secret);
    for (const id of [secret, shared]) await refused({ message: "hi" }, 404, "Agent not found", stranger, id);
    await refused({ message: "hi" }, 404, "Agent not found", owner, "agt_000000000000000000000");
  });

  test("[V1-5] an agent of another organization runs in the caller's, without its owner's tools and secrets", async () => {
    const open = await createAgent(service, owner, { visibility: "public", systemPrompt: "Foreign." });
    const { chatId } = await run({ message: "hi" }, stranger, open);
    expect(service.model.calls.at(-1)).toMatchObject({ system: "Foreign." });
    const ref = { kind: "chat", organizationId: stranger.organizationId, id: chatId } as const;
    const chat = await service.system.dispatch(ref, { kind: "read_chat" });
    expect(chat.ok && chat.value).toMatchObject({
      agentId: open,
      workspaceId: stranger.workspaceId,
      createdBy: stranger.userId,
    });
    await run({ message: "again", chatId }, stranger, open);
    await refused({ message: "mine?", chatId }, 404, "Chat not found", owner, open);
  });

  test("[AGT-3] a changed prompt is used from the next execution on", async () => {
    const id = await createAgent(service, owner, { systemPrompt: "First." });
    const { chatId } = await run({ message: "hi" }, owner, id);
    await success(service.call(owner, "PATCH", `/api/v1/agents/${id}`, { systemPrompt: "Second." }));
    await run({ message: "hi", chatId }, owner, id);
    expect(service.model.calls.map((call) => call.system)).toEqual(["First.", "Second."]);
  });
});

describe("conversation", () => {
  test.each(["sessionId", "chatId", "both"])(
    "[V1-2] continues by %s, and the model gets the earlier conversation",
    async (by) => {
      const first = await run({ message: "one" });
      const { chatId, sessionId } = first;
      const names = by === "both" ? { chatId, sessionId } : { [by]: by === "chatId" ? chatId : sessionId };
      const second = await run({ message: "two", ...names });
      expect(second).toMatchObject({ chatId, sessionId });
      expect(second.executionId).not.toBe(first.executionId);
      expect(heard()).toEqual(["one", [{ type: "text", text: "echo: one" }], "two"]);
    },
  );

  test("[V1-2] without a name each execution has its own chat; empty names count as absent", async () => {
    const chats = [];
    for (const names of [{}, { chatId: "", sessionId: "", spaceId: "" }, { chatId: null, sessionId: null }]) {
      chats.push((await run({ message: "hi", ...names })).chatId);
      expect(heard()).toEqual(["hi"]);
    }
    expect(new Set(chats).size).toBe(3);
  });

  test("[V1-2] any member of the organization continues it", async () => {
    const { chatId } = await run({ message: "one" });
    await run({ message: "two", chatId }, member);
    expect(heard()).toHaveLength(3);
  });

  test("[V1-2] a session and a chat that do not belong together are 409", async () => {
    const a = await run({ message: "hi" });
    const b = await run({ message: "hi" });
    await refused(
      { message: "hi", chatId: a.chatId, sessionId: b.sessionId },
      409,
      "The session does not belong to this chat",
    );
  });

  test("[ERR-3] a chat of another agent is 409", async () => {
    const { chatId, sessionId } = await run({ message: "hi" });
    const other = await createAgent(service, owner);
    await refused({ message: "hi", chatId }, 409, "This chat belongs to another agent", owner, other);
    await refused({ message: "hi", sessionId }, 409, "This chat belongs to another agent", owner, other);
  });

  test("[V1-2] an unknown or malformed chat or session is 404, and so is another organization's", async () => {
    for (const chatId of ["cht_000000000000000000000", "nope", "cht_' or 1=1", "x".repeat(256)]) {
      await refused({ message: "hi", chatId }, 404, "Chat not found");
    }
    for (const sessionId of ["ses_000000000000000000000", "nope"])
      await refused({ message: "hi", sessionId }, 404, "Session not found");
    const open = await createAgent(service, owner, { visibility: "public" });
    const foreign = await run({ message: "hi" }, owner, open);
    await refused({ message: "hi", chatId: foreign.chatId }, 404, "Chat not found", stranger, open);
    await refused({ message: "hi", sessionId: foreign.sessionId }, 404, "Session not found", stranger, open);
    expect((await run({ message: "hi", chatId: foreign.chatId }, owner, open)).success).toBe(true);
  });

  test("[V1-2] a new chat is opened in the named workspace, else in the default one; an unknown one is 404", async () => {
    const { chatId } = await run({ message: "hi", spaceId: owner.workspaceId });
    const ref = { kind: "chat", organizationId: owner.organizationId, id: chatId } as const;
    const chat = await service.system.dispatch(ref, { kind: "read_chat" });
    expect(chat.ok && chat.value.workspaceId).toBe(owner.workspaceId);
    for (const spaceId of ["wsp_000000000000000000000", "nope", stranger.workspaceId]) {
      await refused({ message: "hi", spaceId }, 404, "Workspace not found");
    }
  });

  test("[CHAT-5] a message in a busy chat waits for its turn and gets the answer before it", async () => {
    const first = gate();
    const { chatId } = await run({ message: "zero" });
    service.model.script = (call) => {
      const last = call.entries.at(-1);
      const text = last?.role === "user" ? last.text : "";
      return text === "one" ? [{ hold: first.hold }, { say: "1" }] : [{ say: "2" }];
    };
    const one = run({ message: "one", chatId });
    await service.model.called(2);
    const two = run({ message: "two", chatId });
    first.open();
    expect([(await one).result, (await two).result]).toEqual(["1", "2"]);
    expect(heard()).toEqual([
      "zero",
      [{ type: "text", text: "echo: zero" }],
      "one",
      [{ type: "text", text: "1" }],
      "two",
    ]);
  });

  test("[V1-2] executions in two chats run concurrently", async () => {
    const { hold, open } = gate();
    service.model.script = () => [{ hold }, { say: "done" }];
    const both = [run({ message: "a" }), run({ message: "b" })];
    await service.model.called(2);
    open();
    expect((await Promise.all(both)).map((answer) => answer.result)).toEqual(["done", "done"]);
  });
});

describe("failure", () => {
  const failing = (code: RunErrorCode, said = "") => {
    service.model.script = () => [
      ...(said === "" ? [] : [{ say: said }]),
      { fail: { code, message: "The provider is not there" } },
    ];
  };

  test.each(RUN_ERROR_CODES.filter((code) => code.startsWith("provider_") || code === "model_unavailable"))(
    "[V1-8] %s before any output is 502",
    async (code) => {
      failing(code);
      await refused({ message: "hi" }, 502, "The provider is not there");
    },
  );

  test("[V1-8] a turn that runs out of time before any output is 504", async () => {
    failing("timeout");
    await refused({ message: "hi" }, 504, "The provider is not there");
  });

  test("[V1-8] a failure after some output is 200 with success false, the partial text, and the ids", async () => {
    failing("provider_error", "Half an ans");
    const answer = await run({ message: "hi" });
    expect(answer).toMatchObject({ success: false, result: "Half an ans" });
    expect(Object.keys(answer)).toEqual(["success", "executionId", "chatId", "sessionId", "result"]);
  });

  test("[V1-8] a failure after a tool call is 200 with success false", async () => {
    let step = 0;
    service.model.script = () =>
      step++ === 0
        ? [{ use: { type: "tool_use", id: "call_1", name: "list_agents", input: {} } }]
        : [{ fail: { code: "provider_error", message: "gone" } }];
    expect(await run({ message: "hi" })).toMatchObject({ success: false, result: "" });
  });

  test("[V1-8] a chat continues after a failed turn", async () => {
    const { chatId } = await run({ message: "zero" });
    failing("provider_error");
    await refused({ message: "one", chatId }, 502, "The provider is not there");
    service.model.script = () => [{ say: "back" }];
    expect((await run({ message: "two", chatId })).result).toBe("back");
  });

  test("[RUN-1] an unusable model is 502, before anything is created", async () => {
    const by = await service.found();
    const id = await createAgent(service, by);
    service.model.becomeUnusable("No model is configured");
    await refused({ message: "hi" }, 502, "No model is configured", by, id);
    await refused({ message: "hi", stream: true }, 502, "No model is configured", by, id);
    const chats = await service.database.read`select id from chat where organization_id = ${by.organizationId}`;
    expect(chats).toHaveLength(1);
    expect(await service.database.read`select id from job where organization_id = ${by.organizationId}`).toHaveLength(
      0,
    );
  });

  test("[V1-4] a client that disconnects does not stop the work", async () => {
    const { hold, open } = gate();
    const { chatId } = await run({ message: "zero" });
    service.model.script = () => [{ hold }, { say: "finished" }];
    const abort = new AbortController();
    const request = fetch(`${service.url}/api/v1/agents/${agent}/execute`, {
      method: "POST",
      headers: { authorization: `Bearer ${owner.token}`, "content-type": "application/json" },
      body: JSON.stringify({ message: "one", chatId }),
      signal: abort.signal,
    });
    await service.model.called(2);
    abort.abort();
    await expect(request).rejects.toThrow();
    open();
    service.model.script = () => [{ say: "after" }];
    await run({ message: "two", chatId });
    expect(heard()?.at(2)).toBe("one");
    expect(heard()?.at(3)).toEqual([{ type: "text", text: "finished" }]);
    expect(service.app.streams.count).toBe(0);
  });
});

test("[AUTH-2] ids of another organization never reach its live actors", async () => {
  const { chatId } = await run({ message: "hi" });
  const ref = { kind: "chat", organizationId: stranger.organizationId, id: chatId } as const;
  expect(await service.system.dispatch(ref, { kind: "read_chat" })).toEqual({
    ok: false,
    fault: { kind: "not_found", noun: "chat" },
  });
  const by = { organizationId: stranger.organizationId, userId: stranger.userId };
  const foreign = await service.system.dispatch(organizationRef(stranger.organizationId), {
    kind: "read_agent",
    by,
    agentId: agent,
  });
  expect(foreign.ok).toBe(false);
});
