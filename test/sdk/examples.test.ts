/** What `/api/sdk-examples` says is typed and run, in an empty folder, against the service. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SdkExamples, Troupe } from "../../sdk/typescript/troupe.ts";
import { receive } from "../../sdk/typescript/webhook.ts";
import { until } from "../support/condition.ts";
import { gate } from "../support/fake-model.ts";
import { hasPython, PROGRAMS } from "../support/python.ts";
import { sceneOfFile } from "../support/scene.ts";

const SECRET = "whsec_c2VjcmV0";
const EVENT = { id: "evt_1", type: "job.completed", sequence: 7, resource: { id: "job_1" } };

let said: SdkExamples;
const folder = mkdtempSync(join(tmpdir(), "troupe-sdk-"));

const { service, owner } = sceneOfFile();
beforeAll(async () => {
  said = await new Troupe({ baseUrl: service.url }).getSdkExamples();
  for (const { file, code } of said.examples) writeFileSync(join(folder, file), code);
});
afterAll(() => rmSync(folder, { recursive: true }));

const env = () => ({
  ...PROGRAMS,
  PYTHONUTF8: "1",
  TROUPE_URL: service.url,
  TROUPE_TOKEN: owner.token,
  TROUPE_WEBHOOK_SECRET: SECRET,
});
async function shell(command: string): Promise<string> {
  const child = Bun.spawn(["sh", "-c", command], { cwd: folder, env: env(), stdout: "pipe", stderr: "pipe" });
  const [out, problems] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect({ command, status: await child.exited, problems }).toEqual({ command, status: 0, problems: "" });
  return out;
}
const commandsOf = (language: string): string[] =>
  said.commands.filter((one) => one.language === language).map(({ command }) => command);
const CONVERSATION = "Ada: echo: Hello\n";
const signed = () => {
  const body = JSON.stringify(EVENT);
  const at = Math.floor(Date.now() / 1_000);
  const signature = createHmac("sha256", SECRET).update(`${at}.${body}`).digest("hex");
  return { body, headers: { "service-signature": `t=${at},v1=${signature}` } };
};

test("[DOC-3] the environment has every variable that a command or an example reads", () => {
  const texts = [...said.commands.map(({ command }) => command), ...said.examples.map(({ code }) => code)];
  const read = texts.flatMap((text) =>
    [...text.matchAll(/\$([A-Z_]+)|(?:env\(|environ\[|process\.env\[)["']([A-Z_]+)["']/g)].map(
      ([, variable, name]) => variable ?? name ?? "",
    ),
  );
  expect(said.environment.map(({ name }) => name).toSorted()).toEqual([...new Set(read)].toSorted());
  expect(said.examples.map(({ file }) => file)).toEqual([
    "conversation.ts",
    "webhook.ts",
    "client-tool.ts",
    "http-tool.ts",
    "attachments.ts",
    "conversation.mjs",
    "webhook.mjs",
    "client-tool.mjs",
    "http-tool.mjs",
    "attachments.mjs",
    "conversation.py",
    "webhook.py",
    "client_tool.py",
    "http_tool.py",
    "attachments.py",
  ]);
});

/** The README's lines about the SDKs: shell commands, and a program in Python. */
async function readme(language: string): Promise<string> {
  const text = await Bun.file(new URL("../../README.md", import.meta.url)).text();
  const section = text.split("## From TypeScript and Python")[1] ?? "";
  return new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(section)?.[1] ?? "";
}

test.skipIf(Bun.which("curl") === null || !hasPython)("[DOC-3] what the README shows works", async () => {
  const shown = (await readme("sh")).replace("http://127.0.0.1:3000", service.url);
  expect(shown).toContain("/api/sdk/python");
  await shell(`TOKEN="$TROUPE_TOKEN"\n${shown}`);
  const troupe = new Troupe({ baseUrl: service.url, token: owner.token });
  const agent = await troupe.createAgent({ name: "Ada", system_prompt: "Be brief." });
  const chat = await troupe.createChat({ agent_id: agent.id, workspace_id: owner.workspaceId });
  const { hold, open } = gate();
  const script = service.model.script;
  service.model.script = () => [{ hold }, { say: "live" }];
  await troupe.sendMessage(chat.id, { content: "Hello" });
  const program = (await readme("python")).replace("http://127.0.0.1:3000", service.url);
  writeFileSync(
    join(folder, "readme.py"),
    `token = ${JSON.stringify(owner.token)}\nchat_id = ${JSON.stringify(chat.id)}\n${program}`,
  );
  const printed = shell("python3 readme.py");
  await until("the program reads the stream", () => service.app.streams.count > 0);
  open();
  // Each time the text so far, over the former one.
  expect((await printed).split("\r").at(-1)).toBe("live");
  service.model.script = script;
});

test.skipIf(Bun.which("curl") === null)(
  "[DOC-3] the TypeScript commands get the SDK and have a conversation",
  async () => {
    let out = "";
    for (const command of commandsOf("typescript")) out = await shell(command);
    expect(out).toEndWith(CONVERSATION);
  },
);

test.skipIf(Bun.which("curl") === null || !hasPython)(
  "[DOC-3] the Python commands get the SDK and have a conversation",
  async () => {
    let out = "";
    for (const command of commandsOf("python")) out = await shell(command);
    expect(out).toEndWith(CONVERSATION);
  },
);

const SDK = new URL("../../sdk/", import.meta.url).pathname;
const WITH_FILE = "text/csv – Ada: echo: What does a pen cost?\n";

test("[DOC-3] [FILE-5] the TypeScript example sends a file with a message", async () => {
  expect(await shell(`${process.execPath} ${SDK}typescript/attachments.ts`)).toBe(WITH_FILE);
});

test.skipIf(!hasPython)("[DOC-3] [FILE-5] the Python example sends a file with a message", async () => {
  expect(await shell(`python3 -B ${SDK}python/attachments.py`)).toBe(WITH_FILE);
});

test("[DOC-3] the TypeScript example takes signed webhooks and refuses others", async () => {
  const { body, headers } = signed();
  const ask = (text: string) =>
    receive(new Request("http://localhost/", { method: "POST", headers, body: text }), SECRET);
  expect((await ask(body)).status).toBe(204);
  expect((await ask(`${body} `)).status).toBe(400);
});

test.skipIf(!hasPython)("[DOC-3] the Python example takes signed webhooks and refuses others", async () => {
  writeFileSync(
    join(folder, "troupe.py"),
    await Bun.file(new URL("../../sdk/python/troupe.py", import.meta.url)).text(),
  );
  const child = Bun.spawn(["python3", "-B", "webhook.py"], {
    cwd: folder,
    env: { ...env(), PORT: "0" },
    stdout: "pipe",
    stderr: "ignore",
  });
  try {
    const lines = child.stdout.getReader();
    const first = new TextDecoder().decode((await lines.read()).value);
    const url = `http://127.0.0.1:${/port (\d+)/.exec(first)?.[1]}`;
    const { body, headers } = signed();
    expect((await fetch(url, { method: "POST", headers, body })).status).toBe(204);
    expect(new TextDecoder().decode((await lines.read()).value)).toBe("7 job.completed job_1\n");
    expect((await fetch(url, { method: "POST", headers, body: `${body} ` })).status).toBe(400);
  } finally {
    child.kill();
    await child.exited;
  }
});
