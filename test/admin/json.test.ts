/** Every administration command with `--help` and with `--json`, beside a service that runs: what it answers, and what it refuses. */
import { beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { AdminRefused, parseAdmin } from "../../src/admin/arguments.ts";
import { answerAlone, knock, refusedAlone } from "../../src/admin/door.ts";
import type { AdminAnswer } from "../../src/service/admin-door.ts";
import { readService } from "../../src/service/service-note.ts";
import { COMMAND_NAMES, COMMAND_TABLE, isCommand } from "../../src/admin/command-table.ts";
import { LOCAL_COMMANDS } from "../../src/admin/local.ts";
import { commandRefusal, render } from "../../src/admin/command-answer.ts";
import { createLogger } from "../../src/log/log.ts";
import { readConfig } from "../../src/settings/config.ts";
import { firstRunOfFile } from "../support/first-run-copy.ts";
import { admin, startTroupe, type TroupeProcess } from "../support/troupe-process.ts";

let service: TroupeProcess;
/** What later commands name: in braces in their arguments. */
const known: Record<string, string> = {};

const { folder, first } = firstRunOfFile();
beforeAll(async () => {
  service = await startTroupe(folder);
  known["agent"] = first.agentId;
  known["dir"] = folder.path;
  writeFileSync(join(folder.path, "log"), '{"msg":"request","requestId":"req_1"}\n');
});

/** Brings a command to the service, or runs it here, as `bun run admin` does. */
async function ask(text: string, env: Readonly<Record<string, string>> = {}): Promise<AdminAnswer> {
  const argv = text.split(" ").map((word) => word.replaceAll(/\{(\w+)\}/g, (_, name: string) => known[name] ?? name));
  const asked = parseAdmin(argv);
  const alone = answerAlone(asked);
  if (alone !== null) return alone;
  const local = LOCAL_COMMANDS[asked.command];
  if (local === undefined) return (await knock(readService(service.dataDir)!, asked))!;
  const read = readConfig({ DATA_DIR: service.dataDir, MODEL: "demo:echo", ...env });
  if (!read.ok) throw new Error("the settings are wrong");
  const { given } = asked;
  try {
    const log = await createLogger({ level: "silent" });
    return render(await local({ config: read.config, log, given, signal: new AbortController().signal }), given);
  } catch (cause) {
    if (!(cause instanceof AdminRefused)) throw cause;
    return { ok: false, text: commandRefusal(cause.message, given) };
  }
}

interface Row {
  readonly command: string;
  readonly args?: string;
  readonly env?: () => Readonly<Record<string, string>>;
  /** What the JSON has. */
  readonly says: unknown;
  /** What the next commands name of it. */
  readonly keeps?: Readonly<Record<string, RegExp>>;
  /** Arguments that it refuses, and the words; none where it takes any. */
  readonly refuses?: readonly [args: string, words: string];
}

const message = (text: string) => ({ message: expect.stringContaining(text) });
const NO_ORGANIZATION = ["--org org_nobody", "There is no organization org_nobody"] as const;

/** In an order in which they can be run one after the other. */
const TABLE: readonly Row[] = [
  {
    command: "org list",
    says: [{ id: expect.stringMatching(/^org_/), state: "active" }],
    keeps: { org: /org_[\w-]+/ },
  },
  {
    command: "models try",
    args: "demo:echo",
    says: { model: "demo:echo", ok: true, streams: true, images: "accepted" },
  },
  {
    command: "org create",
    args: "--name Second --owner-email second@acme.test",
    says: { id: expect.stringMatching(/^org_/), name: "Second", owner: { email: "second@acme.test" } },
    keeps: { second: /org_[\w-]+/ },
    refuses: ["--name X", "--owner-email is missing"],
  },
  {
    command: "user add",
    args: "--org {org} --email bob@acme.test",
    says: { id: expect.stringMatching(/^usr_/), email: "bob@acme.test", role: "member" },
    refuses: ["--org {org} --email none", "is not an e-mail address"],
  },
  { command: "user list", args: "--org {org}", says: expect.any(Array), refuses: NO_ORGANIZATION },
  {
    command: "user link",
    args: "--email bob@acme.test",
    says: { email: "bob@acme.test", url: expect.stringMatching(/^http/) },
    refuses: ["--email nobody@acme.test", "nobody@acme.test"],
  },
  {
    command: "token create",
    args: "--org {org} --email bob@acme.test",
    says: {
      message: expect.not.stringContaining("pat_"),
      id: expect.stringMatching(/^tok_/),
      kind: "personal",
      email: "bob@acme.test",
      scopes: expect.arrayContaining(["agents:write"]),
      expires_at: expect.any(String),
      token: expect.stringMatching(/^pat_/),
    },
    refuses: ["--org {org} --email bob@acme.test --days 1", "--days must be a whole number"],
  },
  {
    command: "token list",
    args: "--org {org}",
    says: expect.any(Array),
    keeps: { token: /tok_[\w-]+/ },
    refuses: NO_ORGANIZATION,
  },
  {
    command: "token revoke",
    args: "--org {org} --id {token}",
    says: { id: expect.stringMatching(/^tok_/), name: expect.any(String) },
    refuses: ["--org {org} --id tok_unknown", "There is no such token"],
  },
  {
    command: "user remove",
    args: "--org {org} --email bob@acme.test",
    says: { ...message("bob@acme.test"), email: "bob@acme.test" },
    refuses: NO_ORGANIZATION,
  },
  {
    command: "agent disable",
    args: "--org {org} --id {agent}",
    says: { id: expect.stringMatching(/^agt_/), state: "disabled", cancelled_jobs: 0 },
    refuses: NO_ORGANIZATION,
  },
  { command: "agent enable", args: "--org {org} --id {agent}", says: { state: "enabled" }, refuses: NO_ORGANIZATION },
  {
    command: "jobs cancel",
    args: "--org {org}",
    says: { ...message("no job was queued, running or blocked"), cancelled_jobs: 0 },
    refuses: NO_ORGANIZATION,
  },
  {
    command: "org budget",
    args: "--org {org} --tokens 5000",
    says: { ...message("5000"), monthly_tokens: 5000, used_tokens: 0 },
    refuses: NO_ORGANIZATION,
  },
  { command: "org quota", args: "--org {org}", says: expect.any(Array), refuses: NO_ORGANIZATION },
  {
    command: "org suspend",
    args: "--org {second}",
    says: { state: "suspended", cancelled_jobs: 0 },
    refuses: NO_ORGANIZATION,
  },
  {
    command: "org resume",
    args: "--org {second}",
    says: { name: "Second", state: "active" },
    refuses: NO_ORGANIZATION,
  },
  { command: "secrets rotate-key", says: expect.any(Object) },
  { command: "invariants", says: expect.any(Array) },
  { command: "load", says: expect.any(Object) },
  { command: "jobs", says: [], refuses: NO_ORGANIZATION },
  { command: "usage", says: expect.any(Array), refuses: ["--by colour", "--by must be one of"] },
  {
    command: "logs",
    args: "--request-id req_1 --from {dir}/log",
    says: expect.anything(),
    refuses: ["--request-id req_2 --from {dir}/log", "No line of the log names req_2"],
  },
  { command: "doctor", says: expect.any(Array) },
  {
    command: "org export",
    args: "--org {org} --to {dir}/export.tar",
    says: { file: expect.stringContaining("export.tar"), missing_files: [] },
    refuses: ["--org {org} --to {dir}/export.tar", "exists already"],
  },
  {
    command: "org erase",
    args: "--org {second} --yes",
    says: expect.any(Object),
    refuses: ["--org {org}", "--yes"],
  },
  {
    command: "backup",
    args: "--to {dir}/backup.tar --with-key",
    says: { file: expect.stringContaining("backup.tar"), has_key: true },
    refuses: ["--to {dir}/backup.tar", "exists already"],
  },
  {
    command: "restore",
    args: "--from {dir}/backup.tar",
    env: () => ({ DATA_DIR: join(folder.path, "restored") }),
    says: { data_dir: expect.stringContaining("restored") },
    refuses: ["--from {dir}/backup.tar", "has a database already"],
  },
];

test("[OPS-4] the table has every command", () => {
  expect(TABLE.map(({ command }) => command).sort()).toEqual(COMMAND_NAMES.toSorted());
});

test.each(TABLE.map((row) => [row.command, row] as const))(
  "[OPS-4] %s answers and refuses in JSON",
  async (command, row) => {
    const { ok, text } = await ask(`${command} ${row.args ?? ""} --json`.replaceAll(/ +/g, " "), row.env?.());
    // A doctor that finds something answers too.
    if (command !== "doctor") expect([ok, text]).toEqual([true, expect.any(String)]);
    const said: unknown = JSON.parse(text);
    if (Array.isArray(row.says)) expect(said).toMatchObject(row.says);
    else if (row.says !== null) expect({ said }).toMatchObject({ said: row.says });
    for (const [name, pattern] of Object.entries(row.keeps ?? {})) known[name] = pattern.exec(text)?.[0] ?? "";
    if (row.refuses === undefined) return;
    const [args, words] = row.refuses;
    const refused = await ask(`${command} ${args} --json`);
    expect(refused.ok).toBe(false);
    expect(JSON.parse(refused.text)).toEqual({ error: expect.stringContaining(words) });
  },
);

test.each(TABLE.map(({ command }) => [command] as const))(
  "[OPS-4] %s has a help, as text and as JSON",
  async (command) => {
    const plain = await ask(`${command} --help`);
    expect(plain.ok).toBe(true);
    expect(plain.text).toStartWith(`Usage: bun run admin ${command}`);
    expect(plain.text).toEndWith(isCommand(command) ? COMMAND_TABLE[command].about : "?");
    const { ok, text } = await ask(`${command} --help --json`);
    expect([ok, JSON.parse(text)]).toEqual([true, { message: plain.text }]);
  },
);

test("[OPS-4] an invalid command is refused in JSON too, also without a service", async () => {
  const { ok, text } = await ask("org lst --json");
  expect([ok, JSON.parse(text)]).toEqual([false, { error: 'Unknown command "org lst"; did you mean `org list`?' }]);
  expect(refusedAlone(new AdminRefused("no"), ["--json"])).toBe('{"error":"no"}');
  expect(refusedAlone(new AdminRefused("no"), ["--name", "x"])).toBe("no");
  const nowhere = { dataDir: join(folder.path, "nowhere") };
  for (const [args, words] of [
    [["org", "list", "--json", "--nothing-like-it"], "Unknown option --nothing-like-it"],
    [["org", "list", "--json"], "There is no database in"],
  ] as const) {
    const said = await admin(folder, args, nowhere);
    expect([said.code, said.out]).toEqual([1, ""]);
    expect(JSON.parse(said.err)).toEqual({ error: expect.stringContaining(words) });
  }
});
