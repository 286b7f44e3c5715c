/** The JavaScript SDK in Node itself, as a program that loads no TypeScript uses it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realNode } from "../support/node.ts";
import { sceneOfFile } from "../support/scene.ts";
import { CLONE } from "../support/service-process.ts";

const node = realNode();
const major = Number(node?.version.split(".")[0] ?? 0);

let folder: string;
const { service, owner } = sceneOfFile();
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "troupe-node-"))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a program says on its standard output, run by Node beside the SDK as it is served. */
async function run(name: string, program: string): Promise<string> {
  await Bun.write(join(folder, "troupe.mjs"), await fetch(`${service.url}/api/sdk/javascript`));
  await Bun.write(join(folder, name), program);
  const env = { TROUPE_URL: service.url, TROUPE_TOKEN: owner.token, PATH: node?.folder ?? "" };
  const child = Bun.spawn([node?.path ?? "", name], { cwd: folder, env, stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect({ err, code: await child.exited }).toEqual({ err: "", code: 0 });
  return out;
}

const PROGRAM = `
import { LiveText, NotFoundError, Troupe } from "./troupe.mjs";
const troupe = new Troupe({ baseUrl: process.env.TROUPE_URL, token: process.env.TROUPE_TOKEN });
const agent = await troupe.createAgent({ name: "Ada", system_prompt: "Be brief." });
const { workspaces } = await troupe.listWorkspaces();
const chat = await troupe.createChat({ agent_id: agent.id, workspace_id: workspaces[0].id });
await troupe.sendMessage(chat.id, { content: "Hello" });
const live = new LiveText();
let text = "";
for await (const event of troupe.streamChatEvents(chat.id, { replay: "all", wait: "end" }))
  if (event.event === "message.delta") text = live.apply(event);
const refusal = await troupe.getChat("cht_" + "x".repeat(21)).catch((error) => error);
console.log(JSON.stringify({
  bun: "Bun" in globalThis,
  text,
  isNotFound: refusal instanceof NotFoundError,
  requestId: refusal.requestId,
}));
`;

test.skipIf(node === null || major < 20)(
  "[DOC-3] the JavaScript SDK works in Node 20 and later (skipped without one)",
  async () => {
    service.model.script = () => [{ say: "Hel" }, { say: "lo." }];
    const said = JSON.parse(await run("program.mjs", PROGRAM)) as Record<string, unknown>;
    expect(said).toEqual({
      bun: false,
      text: "Hello.",
      isNotFound: true,
      requestId: expect.stringMatching(/^req_/) as string,
    });
  },
);

test.skipIf(node === null || major < 20)(
  "[DOC-3] its example runs in Node as it is served (skipped without one)",
  async () => {
    const { examples } = (await (await fetch(`${service.url}/api/sdk-examples`)).json()) as {
      examples: { language: string; file: string; code: string }[];
    };
    const example = examples.find(({ language, file }) => language === "javascript" && file === "conversation.mjs");
    expect(await run("conversation.mjs", example?.code ?? "")).toContain("Ada: ");
  },
);

const AG_UI = `
import { readFileSync } from "node:fs";
import { TroupeAgent } from "./ag-ui.mjs";
const headers = { authorization: "Bearer " + process.env.TROUPE_TOKEN };
const url = process.env.TROUPE_URL + "/ag-ui/agents/" + readFileSync("agent.txt", "utf8");
const shown = (agent) => agent.messages.map(({ role, content }) => role + " " + content);
const agent = new TroupeAgent({ url, headers, threadId: "t" });
agent.addMessage({ id: "m1", role: "user", content: "Hello" });
await agent.runAgent();
const other = new TroupeAgent({ url, headers, threadId: "t" });
await other.connectAgent();
await other.stopRun();
console.log(JSON.stringify([shown(agent), shown(other)]));
`;

test.skipIf(node === null || major < 20)(
  "[DIA-16] TroupeAgent, as it is served in JavaScript, runs and connects beside the program's own `@ag-ui/client` (skipped without Node)",
  async () => {
    service.model.script = () => [{ say: "Hel" }, { say: "lo." }];
    const made = await service.call(owner, "POST", "/api/agents", { name: "Ag", system_prompt: "Be brief." });
    const { packages } = (await (await fetch(`${service.url}/api/sdk/manifest`)).json()) as {
      packages: { language: string; parts?: { file: string; url: string; sha256: string; peers: object }[] }[];
    };
    const parts = packages.flatMap(({ parts: beside = [] }) => beside);
    expect(parts.map(({ file }) => file)).toEqual(["ag-ui.ts", "ag-ui.mjs", "ag-ui.d.mts"]);
    for (const { file, url, sha256, peers } of parts) {
      const bytes = await (await fetch(service.url + new URL(url).pathname)).bytes();
      expect([file, new Bun.CryptoHasher("sha256").update(bytes).digest("hex")]).toEqual([file, sha256]);
      expect(peers).toEqual({ "@ag-ui/client": "^1.0.0" });
      await Bun.write(join(folder, file), bytes);
    }
    await Bun.write(join(folder, "agent.txt"), ((await made.json()) as { id: string }).id);
    symlinkSync(join(CLONE, "node_modules"), join(folder, "node_modules"));
    const whole = ["user Hello", "assistant Hello."];
    expect(JSON.parse(await run("ag-ui-program.mjs", AG_UI))).toEqual([whole, whole.slice(1)]);
  },
);
