/** `troupe acp`: the client of ACP's SDK over the bridge's standard input and output (DIA-26). */
import { methods, ndJsonStream } from "@agentclientprotocol/sdk";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AcpEditor, type EditorOptions } from "../support/acp-editor.ts";
import { ApprovalScene } from "../support/approval-scene.ts";
import { until } from "../support/condition.ts";
import { gate } from "../support/fake-model.ts";
import { CLONE } from "../support/service-process.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

const BRIDGE = join(CLONE, "src/acp-bridge/main.ts");
let scene: ApprovalScene;
let folder: string;
const bridges: Bun.Subprocess<"pipe", "pipe", "pipe">[] = [];
beforeAll(async () => {
  scene = await ApprovalScene.start();
  folder = mkdtempSync(join(tmpdir(), "troupe-acp-"));
});
afterAll(async () => {
  await scene.service.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(() => scene.reset());
afterEach(async () => {
  for (const bridge of bridges.splice(0)) {
    bridge.kill("SIGKILL");
    await bridge.exited;
  }
});

function startBridge(args: readonly string[], env: Record<string, string> = {}, cwd = folder) {
  const bridge = Bun.spawn({
    cmd: [process.execPath, BRIDGE, ...args],
    stdio: ["pipe", "pipe", "pipe"],
    cwd,
    env: { HOME: folder, TROUPE_TOKEN: scene.owner.token, ...env },
  });
  bridges.push(bridge);
  return bridge;
}

async function edit(url = scene.service.url, options: EditorOptions = {}): Promise<AcpEditor> {
  const bridge = startBridge(["--url", url, "--agent", "Ada"]);
  const input = new WritableStream<Uint8Array>({
    async write(bytes) {
      void bridge.stdin.write(bytes);
      await bridge.stdin.flush();
    },
  });
  return AcpEditor.over(ndJsonStream(input, bridge.stdout), options);
}

test("[DIA-26] an editor talks to an agent by the bridge: prompts, approvals, sessions", async () => {
  scene.calling(["c1", "send"]);
  const editor = await edit();
  expect(editor.initialized.agentInfo?.name).toBe("troupe");
  const session = await editor.open("/home/ada/site");
  expect(await editor.prompt(session, "go")).toMatchObject({ stopReason: "end_turn" });
  expect(editor.permissions).toMatchObject([{ toolCall: { title: "send" } }]);
  expect(editor.messages()).toEqual(["Let me. ", "Done."]);
  const { sessions } = await editor.agent.request(methods.agent.session.list, { cwd: "/home/ada/site" });
  expect(sessions.map(({ sessionId }) => sessionId)).toEqual([session]);
});

test("[DIA-26] after a lost connection it continues where the editor is, and no text, run or question comes twice", async () => {
  const proxy = await TcpProxy.open(scene.service.app.port);
  try {
    const held = gate();
    scene.service.model.script = (call) =>
      call.entries.length === 1
        ? [{ think: "Hm." }, { say: "one " }, { hold: held.hold }, { say: "two" }, { use: SEND }]
        : [{ say: "Done." }];
    const asked = gate();
    const editor = await edit(`http://127.0.0.1:${proxy.port}`, {
      onPermission: async () => {
        await asked.hold;
        return { outcome: { outcome: "selected", optionId: "allow_once" } };
      },
    });
    const session = await editor.open();
    const ended = editor.prompt(session, "go");
    await until("it has begun", () => editor.messages().join("") === "one ");
    proxy.cut();
    held.open();
    await until("the editor is asked", () => editor.permissions.length === 1);
    proxy.cut();
    asked.open();
    expect(await ended).toMatchObject({ stopReason: "end_turn" });
    expect(editor.messages()).toEqual(["one two", "Done."]);
    expect(editor.words().filter((words) => words.startsWith("call"))).toHaveLength(1);
    expect(editor.permissions).toHaveLength(1);
    expect(scene.tools.calls).toHaveLength(1);
    expect(scene.service.model.calls).toHaveLength(2);
  } finally {
    await proxy.close();
  }
});

const SEND = { type: "tool_use" as const, id: "c1", name: "send", input: {} };

test("[DIA-26] initialize comes first, and may be sent again after it was refused", async () => {
  const bridge = startBridge(["--url", scene.service.url]);
  const lines = [
    { id: 1, method: "session/list", params: {} },
    { id: 2, method: "initialize", params: {} },
  ];
  for (const line of lines) void bridge.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...line })}\n`);
  const heard: string[] = [];
  for await (const piece of bridge.stdout) {
    heard.push(...new TextDecoder().decode(piece).trim().split("\n"));
    if (heard.length === 2)
      void bridge.stdin.write('{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":1}}\n');
    if (heard.length >= 3) break;
  }
  expect(heard.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { id: 1, error: { code: -32_600, message: "initialize comes first" } },
    { id: 2, error: { code: -32_602 } },
    { id: 3, result: { protocolVersion: 1 } },
  ]);
});

test("[DIA-26] the settings for editors in the guide start the bridge for the agent that they name", async () => {
  const page = await Bun.file(join(CLONE, "docs/guides/acp.md")).text();
  const id = await scene.client.agent({ name: "Edda" });
  const blocks = [...page.matchAll(/^```json\n([^]*?)^```$/gm)].map(
    ([, json = ""]) => JSON.parse(json) as EditorSettings,
  );
  expect(blocks).toHaveLength(2);
  for (const { agent_servers: servers } of blocks) {
    const { command, args, env } = servers["Edda"]!;
    expect([command.split("/").at(-1), args[0], Object.keys(env)]).toEqual([
      "troupe",
      "acp",
      ["TROUPE_URL", "TROUPE_TOKEN"],
    ]);
    const bridge = startBridge(args.slice(1), { TROUPE_URL: scene.service.url });
    void bridge.stdin.write(
      [
        { id: 1, method: "initialize", params: { protocolVersion: 1 } },
        { id: 2, method: "session/new", params: { cwd: "/home/ada", mcpServers: [] } },
      ]
        .map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
        .join(""),
    );
    await bridge.stdin.end();
    const [, made = ""] = (await bridge.stdout.text()).split("\n");
    expect(JSON.parse(made)).toMatchObject({ id: 2, result: { _meta: { troupe: { agent_id: id } } } });
    expect(await bridge.exited).toBe(0);
  }
});

interface EditorSettings {
  readonly agent_servers: Record<string, { command: string; args: string[]; env: Record<string, string> }>;
}

test("[DIA-26] errors of the settings, the token or the agent are reported", async () => {
  const said = async (args: readonly string[], env: Record<string, string>, cwd = folder) => {
    const bridge = startBridge(args, env, cwd);
    void bridge.stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n');
    void bridge.stdin.flush();
    const first = await firstLine(bridge.stdout);
    return first === "" ? [String(await bridge.exited), await bridge.stderr.text()] : [first];
  };
  const url = scene.service.url;
  expect(await said(["--agnt", "x"], {})).toEqual(["64", expect.stringContaining("Unknown argument --agnt") as string]);
  expect(await said([], { TROUPE_TOKEN: "" })).toEqual(["78", expect.stringContaining("There is no token") as string]);
  expect(await said(["--url", "ftp://x"], {})).toEqual([
    "78",
    expect.stringContaining("must begin with http") as string,
  ]);
  const project = mkdtempSync(join(folder, "project-"));
  writeFileSync(join(project, ".env"), "TROUPE_URL=https://evil.example\n");
  expect(await said([], {}, project)).toEqual(["78", expect.stringContaining("A project must not choose") as string]);
  const settings = join(folder, "acp.json");
  writeFileSync(settings, JSON.stringify({ url, token: "trp_nothing" }));
  const [refused = ""] = await said(["--settings", settings], { TROUPE_TOKEN: "" });
  expect(JSON.parse(refused)).toMatchObject({ id: 1, error: { code: -32_000 } });
  const [unknown = ""] = await said(["--url", url, "--agent", "Nobody"], {});
  expect(JSON.parse(unknown)).toMatchObject({ id: 1, error: { code: -32_002 } });
});

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const piece of stream) {
    text += new TextDecoder().decode(piece);
    if (text.includes("\n")) break;
  }
  return text.split("\n")[0] ?? "";
}
