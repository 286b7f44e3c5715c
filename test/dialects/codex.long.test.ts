/** OpenAI's Codex, unmodified, with an agent of the service as its model: over Responses, with its own tools. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fetchCodex } from "../support/codex.ts";
import { answered, Client, type Json } from "../support/current.ts";
import { type Founded, type Service, startService } from "../support/service.ts";
import { CLONE } from "../support/service-process.ts";

const CODEX = fetchCodex();
/** A start of it, with a request or two. */
const CODEX_MS = 120_000;

let home = "";
let service: Service;
let owner: Founded;
beforeAll(async () => {
  if (CODEX === null) return;
  home = join(CLONE, ".tmp", `codex-home-${process.pid}`);
  mkdirSync(home, { recursive: true });
  service = await startService();
  owner = await service.found();
  const made = new Client(service, owner).call("POST", "/api/agents", { name: "Clerk", system_prompt: "Be brief." });
  await answered(made, 201);
  const guide = readFileSync(join(CLONE, "docs/guides/openai-clients.md"), "utf8");
  const [, settings = ""] = /^Codex, in [^]*?```toml\n([^]*?)```/m.exec(guide) ?? [];
  const ours = settings.replace("https://troupe.example", service.url).replace('"Librarian"', '"Clerk"');
  writeFileSync(join(home, "config.toml"), ours);
});
afterAll(async () => {
  await service?.stop();
  if (home !== "") rmSync(home, { recursive: true, force: true });
});

/** The items of one `codex exec`. */
async function codex(...args: string[]): Promise<readonly Json[]> {
  const child = Bun.spawn({
    cmd: [CODEX!, "exec", ...args, "--skip-git-repo-check", "--json", "--dangerously-bypass-approvals-and-sandbox"],
    cwd: home,
    env: { HOME: home, CODEX_HOME: home, PATH: "/usr/local/bin:/usr/bin:/bin", TROUPE_TOKEN: owner.token },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: CODEX_MS,
    killSignal: "SIGKILL",
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  expect([code, code === 0 ? "" : err]).toEqual([0, ""]);
  const events = out.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Json]));
  return events.flatMap(({ type, item }) => (type === "item.completed" ? [item as Json] : []));
}
const textsOf = (items: readonly Json[]): unknown[] =>
  items.flatMap(({ type, text }) => (type === "agent_message" ? [text] : []));

test.skipIf(CODEX === null)(
  "[DIA-10] Codex asks an agent, runs the command that it calls, and continues the conversation",
  async () => {
    service.model.script = ({ entries }) => {
      const text = JSON.stringify(entries);
      if (text.includes("And twice that?")) return [{ say: "84." }];
      if (text.includes("sum-is-42")) return [{ say: "The command " }, { say: "says 42." }];
      // A tool of the service runs there, then Codex's own runs here.
      if (!text.includes("current_time"))
        return [{ use: { type: "tool_use", id: "t1", name: "current_time", input: {} } }];
      const input = { cmd: "echo sum-is-$((40+2))" };
      return [{ say: "I look. " }, { use: { type: "tool_use", id: "c1", name: "exec_command", input } }];
    };
    const items = await codex("What is 40+2?");
    expect(items.find(({ type }) => type === "command_execution")).toMatchObject({
      aggregated_output: "sum-is-42\n",
      exit_code: 0,
    });
    expect(textsOf(items).at(-1)).toBe("The command says 42.");
    expect(textsOf(await codex("resume", "--last", "And twice that?"))).toEqual(["84."]);
    expect(JSON.stringify(service.model.calls.at(-1)?.entries)).toContain("sum-is-42");
  },
);
