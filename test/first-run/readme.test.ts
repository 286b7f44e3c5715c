/** What the README shows of the current surface is run line by line, as a reader would paste it after the first run. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type GuardedFolder, guardedFolder } from "../support/guarded-folder.ts";
import { CLONE } from "../support/service-process.ts";
import { startTroupe, type TroupeProcess } from "../support/troupe-process.ts";

const ID = /"id":"((?:wsp|agt|cht)_[\w-]{21})"/;

let folder: GuardedFolder;
let service: TroupeProcess;

beforeAll(async () => {
  folder = guardedFolder();
  service = await startTroupe(folder);
});
afterAll(() => folder.remove());

/** The lines of the commands under this heading. */
function commandsUnder(heading: string): readonly string[] {
  const [, section = ""] = readFileSync(join(CLONE, "README.md"), "utf8").split(`## ${heading}\n`);
  const [, block = ""] = /```sh\n([^]*?)```/.exec(section) ?? [];
  return block.split("\n").filter((line) => line !== "");
}

async function shell(script: string): Promise<string> {
  const run = Bun.spawn({ cmd: ["/bin/sh", "-c", script], stdio: ["ignore", "pipe", "pipe"] });
  const [out, err] = await Promise.all([run.stdout.text(), run.stderr.text()]);
  expect([await run.exited, err]).toEqual([0, ""]);
  return out;
}

test.skipIf(Bun.which("curl") === null)("[START-59] the chat of the README can be had by pasting it", async () => {
  const { personal } = service.firstRun();
  const [token = "", api = "", ...commands] = commandsUnder("A chat with an agent");
  expect(commands).toHaveLength(5);
  const head = `${token.replace("pat_…", personal)}\n${api.replace("http://127.0.0.1:3000", service.url)}\n`;
  /** What takes the place of `wsp_…`: the ids that the answers have told. */
  const ids = new Map<string, string>();
  const outs: string[] = [];
  for (const command of commands) {
    const [shown = ""] = command.split(" # ");
    const out = await shell(head + shown.replaceAll(/\b(wsp|agt|cht)_…/g, (_, prefix: string) => ids.get(prefix)!));
    const id = ID.exec(out)?.[1];
    if (id !== undefined && !ids.has(id.slice(0, 3))) ids.set(id.slice(0, 3), id);
    outs.push(out);
  }
  const keys = outs.slice(0, 4).map((out) => Object.keys(JSON.parse(out) as object));
  expect(keys[0]).toContain("workspaces");
  expect(keys[1]).toContain("agents");
  expect(keys[2]).toEqual(expect.arrayContaining(["id", "agent_id", "workspace_id"]));
  expect(keys[3]).toEqual(expect.arrayContaining(["message", "job", "chat"]));
  const events = [...outs[4]!.matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
  expect(events).toContain("message.completed");
  expect(events.at(-1)).toBe("stream.end");
  expect(outs[4]).toContain("Hello, what can you do?");
});
