/** The first run of the whole service, from its sources: what it makes, tells and writes, with a terminal and without one. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../support/free-port.ts";
import { type GuardedFolder, guardedFolder } from "../support/guarded-folder.ts";
import {
  ADMIN,
  eventually,
  admin,
  type FirstRunText,
  firstRunIn,
  MAIN,
  processesIn,
  startTroupe,
  type TroupeProcess,
} from "../support/troupe-process.ts";

const hasCurl = Bun.which("curl") !== null;

let folder: GuardedFolder;
let service: TroupeProcess;
let first: FirstRunText;

beforeAll(async () => {
  folder = guardedFolder();
  service = await startTroupe(folder, { cmd: MAIN });
  first = service.firstRun();
});
afterAll(() => folder.remove());

/** Runs what a person would paste, in a shell. */
async function paste(command: string): Promise<string> {
  const shell = Bun.spawn({
    cmd: ["/bin/sh", "-c", command.replace("curl -N", "curl -sS -N")],
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err] = await Promise.all([shell.stdout.text(), shell.stderr.text()]);
  expect([await shell.exited, err]).toEqual([0, ""]);
  return out;
}

function expectStreamedAnswer(out: string): void {
  const frames = out
    .split("\n\n")
    .map((frame) => /^event: (\w+)$/m.exec(frame)?.[1])
    .filter((name) => name !== undefined);
  expect(frames[0]).toBe("meta");
  expect(frames.at(-1)).toBe("result");
  const text = [...out.matchAll(/^data: (.*"text_delta".*)$/gm)].map(
    (line) => (JSON.parse(line[1]!) as { delta: { text: string } }).delta.text,
  );
  expect(text.length).toBeGreaterThan(1);
  expect(text.join("")).toContain("You wrote: Hello, what can you do?");
}

const call = (path: string, token: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${service.url}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  });

test("[START-26] the first run makes an organization, its owner, both tokens and an agent to try", async () => {
  expect(first).toEqual({
    personal: expect.stringMatching(/^pat_[\w-]{49}$/),
    service: expect.stringMatching(/^svc_[\w-]{49}$/),
    agentId: expect.stringMatching(/^agt_[\w-]{21}$/),
    curl: expect.stringContaining(first.personal),
  });
  expect((await admin(folder, ["org", "list"], { cmd: ADMIN })).out.split("\n")).toHaveLength(2);
  expect((await admin(folder, ["user", "list"])).out).toMatch(/usr_\S+ +owner@localhost +Owner +owner$/m);
  const tokens = (await admin(folder, ["token", "list"])).out;
  for (const token of [first.personal, first.service]) expect(tokens).toContain(`…${token.slice(-4)}`);
});

test("[START-26] both tokens are the owner's, for everything, in the default workspace", async () => {
  for (const token of [first.personal, first.service]) {
    const agent = await call(`/api/v1/agents/${first.agentId}`, token);
    expect([agent.status, await agent.json()]).toMatchObject([
      200,
      { agent: { id: first.agentId, name: "Assistant" } },
    ]);
    const task = await call("/api/v1/tasks", token, { method: "POST", body: '{"title": "Write"}' });
    expect(task.status).toBe(200);
  }
});

test("[START-27] without a terminal tokens, address, model and command are in a file of mode 0600", () => {
  const file = join(service.dataDir, "first-run.txt");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const text = readFileSync(file, "utf8");
  expect(text).toContain(`serves ${service.url}\n`);
  expect(text).toMatch(/Model +demo:echo, a built-in demo, not a language model/);
  expect(text).toContain("set ANTHROPIC_API_KEY or");
  expect(text).toMatch(/Both are shown only this once and expire on \d{4}-\d\d-\d\d/);
  expect(service.log.find((line) => line["file"] === file)?.msg).toContain("they are in this file");
});

test.skipIf(!hasCurl)(
  "[START-28] the command that the first run prints streams an answer when it is pasted",
  async () => {
    expectStreamedAnswer(await paste(first.curl));
  },
);

test("[START-31] the port opens after the first run: a client that gets a 200 finds its file", async () => {
  const dataDir = join(folder.path, "early");
  const port = String(freePort());
  const early = startTroupe(folder, { dataDir, env: { PORT: port } });
  await eventually(
    "it answers",
    async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.status === 200,
  );
  expect(firstRunIn(readFileSync(join(dataDir, "first-run.txt"), "utf8")).personal).toStartWith("pat_");
  expect(await (await early).end()).toBe(0);
});

test("[START-29] a second start creates nothing new and prints no token", async () => {
  await service.end();
  const before = readFileSync(join(service.dataDir, "first-run.txt"), "utf8");
  const second = await startTroupe(folder, { cmd: MAIN });
  expect(readFileSync(join(service.dataDir, "first-run.txt"), "utf8")).toBe(before);
  expect(second.output + second.complaint).not.toMatch(/pat_|svc_/);
  expect((await admin(folder, ["org", "list"])).out.split("\n")).toHaveLength(2);
  expect(await second.end()).toBe(0);
});

test("[START-30] on a terminal the tokens are printed once and are in no file", async () => {
  const dataDir = join(folder.path, "terminal");
  const shown = await startTroupe(folder, { cmd: MAIN, dataDir, hasTerminal: true });
  await shown.says(/"stream": true}'/);
  const run = firstRunIn(shown.output);
  const text = shown.output;
  expect(text).toContain(`serves ${shown.url}\n`);
  expect(text).toMatch(/Model +demo:echo.*OPENAI_API_KEY/s);
  expect(text.split(run.service)).toHaveLength(2);
  // Once by itself, once in the command.
  expect(text.split(run.personal)).toHaveLength(3);
  if (hasCurl) expectStreamedAnswer(await paste(run.curl));
  shown.child.terminal?.write("\x03");
  expect(await shown.ended()).toBe(0);
  await eventually("nothing is left", () => processesIn(dataDir).length === 0);

  const again = await startTroupe(folder, { dataDir, hasTerminal: true });
  expect(again.output).toMatch(/Troupe [\d.]+ serves http/);
  expect(again.output).not.toMatch(/pat_|svc_/);
  expect(await again.end()).toBe(0);
  const files = readdirSync(dataDir, { withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { name } of files) {
    expect(readFileSync(join(dataDir, name), "latin1")).not.toMatch(/pat_[\w-]{20}|svc_[\w-]{20}/);
  }
  const found = Bun.spawnSync({ cmd: ["grep", "-rlaE", `${run.personal}|${run.service}`, dataDir] });
  expect(found.stdout.toString()).toBe("");
});
