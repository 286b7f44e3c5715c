/** What the README shows of the current surface is run line by line, as a reader would paste it after the first run. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../support/condition.ts";
import { type GuardedFolder, guardedFolder } from "../support/guarded-folder.ts";
import { hasPython, python } from "../support/python.ts";
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
  const [, section = ""] = readFileSync(join(CLONE, "README.md"), "utf8").split(`### ${heading}\n`);
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

test.skipIf(!hasPython || Bun.which("curl") === null)(
  "[DOC-3] the Python sample of the README shows an answer",
  async () => {
    const { personal } = service.firstRun();
    const [, sample = ""] = /```python\n([^]*?)```/.exec(readFileSync(join(CLONE, "README.md"), "utf8")) ?? [];
    const head = `
import os
from troupe import Troupe
token, url = os.environ["TOKEN"], os.environ["URL"]
troupe = Troupe(url, token)
agent, workspace = troupe.list_agents()["agents"][0], troupe.list_workspaces()["workspaces"][0]
chat_id = troupe.create_chat({"agent_id": agent["id"], "workspace_id": workspace["id"]})["id"]
troupe.send_message(chat_id, {"content": "/say Hello"})
`;
    const program = `${head}\n${sample.replace("http://127.0.0.1:3000", service.url)}`;
    expect(await python(program, { env: { TOKEN: personal, URL: service.url } })).toEndWith("\rHello");
  },
);

test.skipIf(Bun.which("curl") === null)(
  "[MIS-2] the missions of the README can be made by pasting them, and fire",
  async () => {
    const { personal } = service.firstRun();
    const [token = "", api = ""] = commandsUnder("A chat with an agent");
    const commands = commandsUnder("Missions");
    expect(commands).toHaveLength(5);
    const head = `${token.replace("pat_…", personal)}\n${api.replace("http://127.0.0.1:3000", service.url)}\n`;
    const agent = ID.exec(await shell(`${head}api agents`))?.[1] ?? "";
    const paste = async (command: string, mission: string): Promise<Record<string, unknown>> => {
      const [shown = ""] = command.split(" # ");
      return JSON.parse(await shell(head + shown.replaceAll("agt_…", agent).replaceAll("mis_…", mission))) as never;
    };
    const made: { readonly id: string; readonly schedule: { readonly description: string } }[] = [];
    for (const command of commands.slice(0, 3)) made.push((await paste(command, "")) as never);
    expect(made.map(({ schedule }) => schedule.description)).toEqual([
      "Weekdays at 09:00, Europe/London",
      "Once at 2099-12-31 18:00, Asia/Kathmandu",
      "Continuously, 15 minutes after each run",
    ]);
    const [report, , watcher] = made;
    expect(await paste(commands[3]!, report!.id)).toMatchObject({
      run: { trigger: "manual" },
      job: { mission_id: report!.id },
    });
    const ledger = async (id: string): Promise<string> => JSON.stringify(await paste(commands[4]!, id));
    await until("both have run", async () =>
      (await Promise.all([ledger(report!.id), ledger(watcher!.id)])).every((text) =>
        text.includes('"outcome":"succeeded"'),
      ),
    );
  },
);
