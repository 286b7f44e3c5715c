/** The client of ACP's SDK over WebSocket against a service (DIA-19 to DIA-22). */
import { methods } from "@agentclientprotocol/sdk";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { AcpEditor, acpSocket, type EditorOptions, REJECTED } from "../support/acp-editor.ts";
import { ApprovalScene, use } from "../support/approval-scene.ts";
import { until } from "../support/condition.ts";
import type { Json } from "../support/current.ts";
import { gate } from "../support/fake-model.ts";

let scene: ApprovalScene;
const editors: AcpEditor[] = [];
beforeAll(async () => void (scene = await ApprovalScene.start()));
afterAll(() => scene.service.stop());
beforeEach(() => {
  scene.reset();
  scene.tools.clients.clear();
  scene.tools.schemas.clear();
});
afterEach(() => {
  for (const editor of editors.splice(0)) editor.close();
});

async function connect(options: EditorOptions = {}): Promise<AcpEditor> {
  const { url } = scene.service;
  const editor = await AcpEditor.over(acpSocket({ url, token: scene.owner.token, agent: scene.agent }), options);
  editors.push(editor);
  return editor;
}
const jobs = async () => (await scene.client.get<{ jobs: Json[] }>("/api/jobs?limit=100")).jobs;

test("[DIA-19] a prompt is a run: thoughts, text, calls with their results, and why it stopped", async () => {
  const editor = await connect();
  expect(editor.initialized).toMatchObject({ protocolVersion: 1, agentCapabilities: { loadSession: true } });
  const session = await editor.open();
  scene.service.model.script = (call) =>
    call.entries.length === 1 ? [{ think: "Hm." }, { say: "Let me. " }, use("c1", "look")] : [{ say: "Done." }];
  const { stopReason, _meta } = await editor.prompt(session, "go");
  expect(stopReason).toBe("end_turn");
  expect(_meta).toMatchObject({ troupe: { usage: { inputTokens: expect.any(Number) as number } } });
  expect(editor.messages(session)).toEqual(["Let me. ", "Done."]);
  expect(editor.words().toSorted()).toEqual(
    ["agent Hm.", "agent Let me. ", "call look in_progress", "update completed", "agent Done."].toSorted(),
  );
});

test("[DIA-20] an approval is a request of permission, whose answer decides it", async () => {
  for (const isAllowed of [true, false]) {
    scene.reset();
    scene.calling(["c1", "send"]);
    const editor = await connect(isAllowed ? {} : { onPermission: async () => REJECTED });
    const session = await editor.open();
    await editor.prompt(session, "go");
    expect(editor.permissions).toMatchObject([{ sessionId: session, toolCall: { title: "send", status: "pending" } }]);
    expect(editor.permissions[0]?.options.map(({ kind }) => kind)).toEqual(["allow_once", "reject_once"]);
    expect(editor.words()).toContain(isAllowed ? "update completed" : "update failed");
    expect(editor.messages()).toEqual(["Let me. ", "Done."]);
    expect(scene.tools.calls.map(({ name }) => name)).toEqual(isAllowed ? ["send"] : []);
  }
});

test("[DIA-20] a decision that was made elsewhere takes the question back, and arguments may be changed", async () => {
  scene.calling(["c1", "send"]);
  const asked = gate();
  const editor = await connect({
    onPermission: async () => {
      await asked.hold;
      return REJECTED;
    },
  });
  const session = await editor.open();
  const ended = editor.prompt(session, "go");
  await until("the editor is asked", () => editor.permissions.length === 1);
  const [job] = await jobs();
  await scene.client.call("POST", `/api/jobs/${String(job!["id"])}/approve`, { decision: "approve" });
  expect(await ended).toMatchObject({ stopReason: "end_turn" });
  expect(editor.takenBack).toHaveLength(1);
  asked.open();
  expect(scene.tools.calls.map(({ name }) => name)).toEqual(["send"]);

  scene.reset();
  scene.calling(["c2", "send"]);
  const changing = await connect({
    onPermission: async () => ({
      outcome: { outcome: "selected", optionId: "allow_once" },
      _meta: { troupe: { arguments: { to: "somebody else" } } },
    }),
  });
  await changing.prompt(await changing.open(), "go");
  expect(scene.tools.calls).toMatchObject([{ name: "send", input: { to: "somebody else" } }]);
});

test("[DIA-21] files and terminals of the editor are tools of the run, and only where it has them", async () => {
  for (const name of ["read_text_file", "write_text_file", "run_command"]) scene.tools.clients.add(name);
  const calls = [use("c1", "read_text_file"), use("c2", "write_text_file"), use("c3", "run_command")];
  calls[0]!.use.input = { path: "/home/ada/a.txt" } as never;
  calls[1]!.use.input = { path: "/home/ada/b.txt", content: "new" } as never;
  calls[2]!.use.input = { command: "ls", args: ["-l"] } as never;
  scene.service.model.script = (call) => (call.entries.length === 1 ? calls : [{ say: "Done." }]);
  const files = new Map([["/home/ada/a.txt", "old"]]);
  const ran: string[] = [];
  const editor = await connect({
    files,
    commands: (command, args) => {
      ran.push([command, ...args].join(" "));
      return { output: "a.txt", exitCode: 0 };
    },
  });
  const session = await editor.open();
  await editor.prompt(session, "go");
  const told = scene.service.model.calls[0]!;
  expect(told.system).toContain("Test editor in the folder /home/ada");
  expect(files.get("/home/ada/b.txt")).toBe("new");
  expect(ran).toEqual(["ls -l"]);
  // A person allows what changes something; the change of a file is shown as a diff.
  expect(editor.permissions.map(({ toolCall }) => toolCall.title)).toEqual(["Write /home/ada/b.txt", "ls -l"]);
  expect(editor.permissions[0]?.toolCall.content).toMatchObject([{ type: "diff", newText: "new" }]);
  const results = scene.service.model.calls[1]!.entries.flatMap((entry) =>
    entry.role === "user" ? [] : entry.blocks.filter((block) => block.type === "tool_result"),
  );
  expect(results.map(({ content }) => content)).toEqual(["old", "The file is written.", "a.txt\n(exit code 0)"]);
  expect(editor.words()).toContain("update completed");

  scene.service.model.calls.length = 0;
  scene.service.model.script = () => [{ say: "plain" }];
  const bare = await connect();
  await bare.prompt(await bare.open(), "go");
  expect(scene.service.model.calls[0]!.system).not.toContain("Test editor");
});

const titleOf = async (session: string) => (await scene.client.get<Json>(`/api/chats/${session}`))["title"];

test("[DIA-22] a session is called by its first prompt, once its client sees something of the run", async () => {
  const editor = await connect();
  const session = await editor.open();
  const own = await titleOf(session);
  const { hold, open } = gate();
  scene.service.model.script = () => [{ hold }, { say: "It is there." }];
  const prompted = editor.prompt(session, "Look  at\nthe site");
  await until("the run has begun", async () => (await jobs()).some((job) => job["chat_id"] === session));
  expect(await titleOf(session)).toBe(own);
  open();
  await prompted;
  await until("it has its name", async () => (await titleOf(session)) === "Look at the site");
  await editor.prompt(session, "And now?");
  await scene.service.system.settled(scene.owner.organizationId);
  expect(await titleOf(session)).toBe("Look at the site");
});

test("[DIA-22] a first prompt that comes again names its session, also while its run is under way", async () => {
  const lost = await connect();
  const session = await lost.open();
  const own = await titleOf(session);
  const { hold, open } = gate();
  scene.service.model.script = () => [{ say: "It is " }, { hold }, { say: "there." }];
  void lost.prompt(session, "Look at the site", { message_id: "m1" }).catch(() => null);
  await until("it is named", async () => (await titleOf(session)) === "Look at the site");
  lost.close();
  // A service that was killed before has not named it.
  await scene.client.call("PATCH", `/api/chats/${session}`, { title: own });
  const editor = await connect();
  const prompted = editor.prompt(session, "Look at the site", { message_id: "m1" });
  await until("it is named again", async () => (await titleOf(session)) === "Look at the site");
  open();
  await prompted;
  expect(editor.messages()).toEqual(["It is there."]);
  expect(scene.service.model.calls).toHaveLength(1);
});

test("[DIA-22] sessions are listed, loaded with their messages, resumed without them, and deleted", async () => {
  const editor = await connect();
  scene.calling(["c1", "look"]);
  const session = await editor.open("/home/ada/site");
  await editor.prompt(session, "Look at the site");
  scene.service.model.script = () => [{ say: "other" }];
  const other = await editor.open("/elsewhere");
  await editor.prompt(other, "hi");
  const again = await connect();
  const { list, load, resume, delete: remove, close } = methods.agent.session;
  const { sessions } = await again.agent.request(list, { cwd: "/home/ada/site" });
  expect(sessions).toMatchObject([{ sessionId: session, cwd: "/home/ada/site", title: "Look at the site" }]);
  expect((await again.agent.request(list, {})).sessions.length).toBeGreaterThan(1);
  const loaded = await again.agent.request(load, { sessionId: session, cwd: "/home/ada/site", mcpServers: [] });
  expect(loaded.configOptions?.map(({ id }) => id)).toEqual(["model", "approvals"]);
  expect(again.words()).toEqual([
    "user Look at the site",
    "agent Let me. ",
    "call look completed",
    "update completed",
    "agent Done.",
  ]);
  again.updates.length = 0;
  await again.agent.request(resume, { sessionId: session, cwd: "/home/ada/site", mcpServers: [] });
  expect(again.updates).toEqual([]);
  scene.service.model.script = () => [{ say: "more" }];
  await again.prompt(session, "more");
  expect(again.messages()).toEqual(["more"]);
  expect(scene.service.model.calls.at(-1)?.entries.length).toBeGreaterThan(2);
  await again.agent.request(close, { sessionId: session });
  await again.agent.request(remove, { sessionId: session });
  await again.agent.request(remove, { sessionId: session });
  expect((await again.agent.request(list, { cwd: "/home/ada/site" })).sessions).toEqual([]);
});

test("[DIA-22] a session is loaded while its run goes on, and shows the run to its end", async () => {
  const held = gate();
  scene.service.model.script = () => [{ say: "one " }, { hold: held.hold }, { say: "two" }];
  const first = await connect();
  const session = await first.open();
  const ended = first.prompt(session, "go");
  await until("it has begun", () => first.messages().join("") === "one ");
  const second = await connect();
  await second.agent.request(methods.agent.session.load, { sessionId: session, cwd: "/home/ada", mcpServers: [] });
  await until("the other editor has it too", () => second.messages().join("") === "one ");
  held.open();
  await ended;
  await until("the other editor has the end", () => second.messages().join("") === "one two");
  expect(second.words()[0]).toBe("user go");
});

test("[DIA-19] a prompt is cancelled, and the same prompt once more is the same run", async () => {
  const held = gate();
  scene.service.model.script = () => [{ say: "one " }, { hold: held.hold }, { say: "two" }];
  const editor = await connect();
  const session = await editor.open();
  const ended = editor.prompt(session, "go", { message_id: "m1" });
  await until("it has begun", () => editor.messages().join("") === "one ");
  const other = await connect();
  const same = other.prompt(session, "go", { message_id: "m1" });
  await until("the other editor has it too", () => other.messages().join("") === "one ");
  const refused = await other.prompt(session, "something else", { message_id: "m1" }).catch((err: unknown) => err);
  expect(refused).toMatchObject({ code: -32_001, data: { code: "idempotency_conflict" } });
  await editor.agent.notify(methods.agent.session.cancel, { sessionId: session });
  expect(await ended).toMatchObject({ stopReason: "cancelled" });
  expect(await same).toMatchObject({ stopReason: "cancelled" });
  held.open();
  expect(scene.service.model.calls).toHaveLength(1);
});

test("[DIA-22] the model and the approvals of a session are options of it", async () => {
  const editor = await connect();
  const session = await editor.open();
  const set = (configId: string, value: string) =>
    editor.agent.request(methods.agent.session.setConfigOption, { sessionId: session, configId, value });
  const { configOptions } = await set("approvals", "auto");
  expect(configOptions).toMatchObject([{ id: "model" }, { id: "approvals", currentValue: "auto" }]);
  scene.calling(["c1", "send"]);
  await editor.prompt(session, "go");
  expect(editor.permissions).toEqual([]);
  expect(scene.tools.calls.map(({ name }) => name)).toEqual(["send"]);
  expect(await set("approvals", "never").catch((err: unknown) => err)).toMatchObject({ code: -32_602 });
  expect(await set("colour", "red").catch((err: unknown) => err)).toMatchObject({
    code: -32_602,
    data: { errors: [{ path: "/configId" }] },
  });
});

test("[DIA-19] a failed run and unsupported input are errors that say so", async () => {
  const editor = await connect();
  const session = await editor.open();
  scene.service.model.script = () => [{ fail: { code: "provider_error", message: "The provider is down" } }];
  expect(await editor.prompt(session, "go").catch((err: unknown) => err)).toMatchObject({
    message: "The provider is down",
    data: { code: "provider_error" },
  });
  const { new: begin, prompt } = methods.agent.session;
  const error = async (asked: Promise<unknown>) =>
    (await asked.catch((err: unknown) => err)) as { code: number; data: Json };
  expect(await error(editor.agent.request(begin, { cwd: "here", mcpServers: [] }))).toMatchObject({
    code: -32_602,
    data: { errors: [{ path: "/cwd" }] },
  });
  const server = { type: "http", name: "x", url: "https://x.example", headers: [] } as const;
  expect(await error(editor.agent.request(begin, { cwd: "/a", mcpServers: [server] }))).toMatchObject({
    data: { errors: [{ path: "/mcpServers/0" }] },
  });
  const audio = { type: "audio", data: "", mimeType: "audio/wav" } as const;
  expect(await error(editor.agent.request(prompt, { sessionId: session, prompt: [audio] }))).toMatchObject({
    code: -32_602,
    data: { errors: [{ path: "/prompt/0" }] },
  });
  expect(await error(editor.prompt("cht_V1StGXR8_Z5jdHi6B-myT", "hi"))).toMatchObject({ code: -32_002 });
  expect(await error(editor.agent.request("session/fly", {}))).toMatchObject({ code: -32_601 });
  const opened = await editor.agent.request(methods.agent.session.new, {
    cwd: "/a",
    mcpServers: [{ name: "files", command: "/bin/files", args: [], env: [] }],
  });
  expect(opened._meta).toMatchObject({ troupe: { unused_mcp_servers: ["files"] } });
  await until("the editor is told", () => editor.words().includes("notice"));
});

test("[DIA-21] images and files of a prompt reach the model, and links stay links", async () => {
  const editor = await connect();
  const session = await editor.open();
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  await editor.agent.request(methods.agent.session.prompt, {
    sessionId: session,
    prompt: [
      { type: "text", text: "See " },
      { type: "resource_link", uri: "file:///home/ada/a.ts", name: "a.ts" },
      { type: "resource", resource: { uri: "file:///home/ada/b.ts", text: "let b;" } },
      { type: "image", data: png, mimeType: "image/png" },
    ],
  });
  const [said] = scene.service.model.calls.at(-1)!.entries;
  const words = JSON.stringify(said);
  expect(words).toContain("See [a.ts](file:///home/ada/a.ts)");
  expect(words).toContain("let b;");
  expect(words).toContain("image/png");
});

test("[DIA-19] a cancel while the editor is asked ends the prompt as cancelled, and so does closing the session", async () => {
  for (const isClosed of [false, true]) {
    scene.reset();
    scene.calling(["c1", "send"]);
    const asked = gate();
    const editor = await connect({
      onPermission: async () => {
        await asked.hold;
        return { outcome: { outcome: "cancelled" } };
      },
    });
    const session = await editor.open();
    const ended = editor.prompt(session, "go");
    await until("the editor is asked", () => editor.permissions.length === 1);
    if (isClosed) await editor.agent.request(methods.agent.session.close, { sessionId: session });
    else await editor.agent.notify(methods.agent.session.cancel, { sessionId: session });
    expect(await ended).toMatchObject({ stopReason: "cancelled" });
    expect(editor.takenBack).toHaveLength(1);
    asked.open();
    expect(scene.tools.calls).toEqual([]);
  }
});
