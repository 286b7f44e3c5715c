/** The commands of the operator that look: help and JSON of all, the doctor, jobs, usage and the log. */
import { beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { parseAdmin } from "../../src/admin/arguments.ts";
import { ADMIN_COMMANDS } from "../../src/admin/commands.ts";
import { type DatabaseFacts, type DoctorFacts, type Finding, findingsOf } from "../../src/admin/doctor.ts";
import { answerAlone } from "../../src/admin/door.ts";
import { COMMAND_NAMES, COMMAND_TABLE } from "../../src/admin/command-table.ts";
import { LOCAL_COMMANDS } from "../../src/admin/local.ts";
import { linesOf } from "../../src/admin/log-lines.ts";
import { render } from "../../src/admin/command-answer.ts";
import { createLogger } from "../../src/log/log.ts";
import { readConfig } from "../../src/settings/config.ts";
import type { Config } from "../../src/settings/settings.ts";
import { firstRunOfFile } from "../support/first-run-copy.ts";
import { admin, startTroupe, type TroupeProcess } from "../support/troupe-process.ts";

let service: TroupeProcess;

const { folder, first } = firstRunOfFile();
beforeAll(async () => {
  service = await startTroupe(folder);
  const executed = await fetch(`${service.url}/api/v1/agents/${first.agentId}/execute`, {
    method: "POST",
    headers: { authorization: `Bearer ${first.personal}`, "content-type": "application/json" },
    body: JSON.stringify({ message: "Hello" }),
  });
  expect(executed.status).toBe(200);
  await executed.text();
});

function configOf(env: Record<string, string> = {}): Config {
  const read = readConfig({ DATA_DIR: service.dataDir, MODEL: "demo:echo", ...env });
  if (!read.ok) throw new Error("the settings are wrong");
  return read.config;
}

/** Runs a command that needs no actors in this process, as its own process does. */
async function ask(args: string, env: Record<string, string> = {}) {
  const { command, given } = parseAdmin(args.split(" "));
  const log = await createLogger({ level: "silent" });
  const errand = { config: configOf(env), log, given, signal: new AbortController().signal };
  return render(await LOCAL_COMMANDS[command]!(errand), given);
}

test("[OPS-4] every command has its own help", () => {
  const commands = [...new Set([...Object.keys(ADMIN_COMMANDS), ...Object.keys(LOCAL_COMMANDS)])].sort();
  expect(COMMAND_NAMES.toSorted()).toEqual(commands as never);
  for (const command of COMMAND_NAMES) {
    const alone = answerAlone(parseAdmin([...command.split(" "), "--help"]));
    expect(alone?.ok).toBe(true);
    expect(alone?.text).toMatch(new RegExp(`^Usage: bun run admin ${command}( |\\n)`));
    expect(alone?.text).toEndWith(COMMAND_TABLE[command].about);
  }
});

test("[OPS-4] answers and refusals of the service are JSON where that is requested", async () => {
  const listed = await admin(folder, ["org", "list", "--json"]);
  expect([listed.code, listed.err]).toEqual([0, ""]);
  expect(JSON.parse(listed.out)).toEqual([
    { id: expect.stringMatching(/^org_/), name: expect.any(String), state: "active", created: expect.any(String) },
  ]);
  const refused = await admin(folder, ["user", "list", "--org", "org_nobody", "--json"]);
  expect([refused.code, refused.out]).toEqual([1, ""]);
  expect(JSON.parse(refused.err)).toEqual({ error: "There is no organization org_nobody" });
});

test("[RUN-31] a running service tries its own models", async () => {
  const tried = await admin(folder, ["models", "try", "demo:echo"]);
  expect([tried.code, tried.err]).toEqual([0, ""]);
  expect(tried.out).toMatch(/^demo:echo +FINDING\n/);
  const failed = await admin(folder, ["models", "try", "openai:nothing", "--json"]);
  expect(failed.code).toBe(1);
  expect(JSON.parse(failed.out)).toMatchObject({ model: "openai:nothing", ok: false });
});

test("[OPS-4] the doctor checks a running service, or a folder that does not exist yet, without creating it", async () => {
  const { ok, text } = await ask("doctor --json");
  const found = JSON.parse(text) as readonly { check: string; state: string; finding: string }[];
  const states = new Map(found.map(({ check, state }) => [check, state]));
  expect(["version", "database", "durability", "schema", "clock", "key", "model"].map((it) => states.get(it))).toEqual(
    Array.from({ length: 7 }, () => "ok"),
  );
  expect(ok).toBe(!found.some(({ state }) => state === "problem"));
  const nowhere = await ask("doctor", { DATA_DIR: join(folder.path, "nowhere") });
  expect(nowhere.text).toContain("there is none yet: the first start makes it");
});

test("[OPS-4] the doctor checks the settings of the running service, and says whose settings it shows", async () => {
  // The service has the demo model; the command's own environment would have another one.
  const env = { MODEL: "openai:other", OPENAI_BASE_URL: "http://127.0.0.1:1/v1" };
  const running = await admin(folder, ["doctor", "--json"], { env });
  const found = JSON.parse(running.out) as readonly Finding[];
  expect(found[0]).toEqual({
    check: "settings",
    state: "ok",
    finding: `those of the service that runs (process ${service.pid})`,
    advice: "",
  });
  expect(found.find(({ check }) => check === "model")?.finding).toContain("demo:echo");
  const alone = await admin(folder, ["doctor", "--json"], { env, dataDir: join(folder.path, "nowhere") });
  const own = JSON.parse(alone.out) as readonly Finding[];
  expect(own[0]?.finding).toStartWith("those of this command");
  expect(own.find(({ check }) => check === "model")?.finding).toBe("openai:other");
});

const HEALTHY: DatabaseFacts = {
  version: "18.4",
  fsync: "on",
  synchronousCommit: "on",
  fullPageWrites: "on",
  synchronousStandbys: "",
  standbys: 0,
  pending: 0,
  skewMs: 3,
  isOfKey: true,
};
const factsOf = (given: Partial<DoctorFacts>, env: Record<string, string> = {}): DoctorFacts => ({
  config: configOf(env),
  bun: { version: "1.4.5", wanted: manifest.engines.bun },
  database: HEALTHY,
  disk: { path: "/data", freeMib: 100_000, isWritable: true },
  model: { name: "anthropic:claude", isDemo: false },
  unpriced: null,
  providers: [],
  findsNames: null,
  git: null,
  shell: null,
  ...given,
});
const PRODUCTION = { NODE_ENV: "production", ADMIN_PORT: "9464" };

test("[OPS-4] the doctor has nothing to say of a healthy service in production", () => {
  expect(findingsOf(factsOf({}, PRODUCTION)).filter(({ state }) => state !== "ok")).toEqual([]);
});

test.each<[check: string, state: string, given: Partial<DoctorFacts>, env?: Record<string, string>]>([
  ["version", "problem", { bun: { version: "1.3.0", wanted: ">=1.4.5" } }],
  ["database", "problem", { database: "connect ECONNREFUSED" }],
  ["durability", "problem", { database: { ...HEALTHY, fsync: "off" } }],
  ["durability", "problem", { database: { ...HEALTHY, fullPageWrites: "off" } }],
  ["durability", "warning", { database: { ...HEALTHY, standbys: 1 } }],
  ["durability", "problem", { database: { ...HEALTHY, synchronousCommit: "off" } }],
  ["schema", "problem", { database: { ...HEALTHY, pending: null } }],
  ["schema", "warning", { database: { ...HEALTHY, pending: 2 } }],
  ["clock", "problem", { database: { ...HEALTHY, skewMs: -2_001 } }],
  ["key", "problem", { database: { ...HEALTHY, isOfKey: false } }],
  ["disk", "problem", { disk: { path: "/data", freeMib: 511, isWritable: true } }],
  ["disk", "warning", { disk: { path: "/data", freeMib: 2_047, isWritable: true } }],
  ["disk", "problem", { disk: { path: "/data", freeMib: 100_000, isWritable: false } }],
  ["model", "problem", { model: "no key" }],
  ["model", "warning", { model: { name: "demo:echo", isDemo: true } }],
  ["prices", "problem", { unpriced: "MODEL_PRICES names x, which is not JSON" }],
  [
    "provider",
    "problem",
    { providers: [{ name: "acme", address: "https://x.test/v1", why: "it answered 401", lists: false }] },
  ],
  ["egress", "problem", { findsNames: false }],
  ["git", "warning", { git: "git is not installed" }],
  ["shell", "warning", { shell: "bubblewrap is not installed" }],
  ["configuration", "warning", {}, { NODE_ENV: "development" }],
  ["configuration", "warning", {}, { HOST: "0.0.0.0" }],
  ["configuration", "warning", {}, { APP_URL: "https://troupe.test" }],
  ["configuration", "warning", {}, { ADMIN_PORT: "" }],
  ["egress", "warning", {}, { EGRESS_ALLOW: "10.0.0.0/8" }],
])("[OPS-4] the doctor finds by %s a %s in %j %j, and says what to do", (check, state, given, env = {}) => {
  const found = findingsOf(factsOf(given, { ...PRODUCTION, ...env })).filter((finding) => finding.state !== "ok");
  expect(found.map((finding) => [finding.check, finding.state])).toEqual([[check, state]]);
  expect(found[0]?.advice).not.toBe("");
});

test("[OPS-4] the doctor accepts a provider without a list of models, and says so", async () => {
  using provider = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => new Response("", { status: Number(new URL(url).pathname.split("/")[1]) }),
  });
  const findingsAt = async (status: number) => {
    const env = {
      MODEL: "openai:deployed",
      OPENAI_BASE_URL: `http://127.0.0.1:${provider.port}/${status}/v1?code=hush`,
    };
    const all = JSON.parse((await ask("doctor --json", env)).text) as readonly Finding[];
    return all
      .filter(({ check }) => check === "provider")
      .map(({ state, finding }) => [state, finding.replace(/http\S+/, "ADDRESS"), finding.includes("hush")]);
  };
  for (const status of [404, 405])
    expect(await findingsAt(status)).toEqual([
      [
        "ok",
        "openai, openai-compatible at ADDRESS answers, and lists no models: `bun run admin models try` shows whether the address is right",
        false,
      ],
    ]);
  expect(await findingsAt(500)).toEqual([["problem", expect.stringContaining("it answered 500"), false]]);
});

test("[OPS-4] [OPS-8] the doctor names the models without a price, and where no work can start with them", async () => {
  const file = join(folder.path, "prices.json");
  const prices = [{ model: "openai:dear", from: "2020-01-01", input: "1", output: "2" }];
  writeFileSync(file, JSON.stringify({ currency: "EUR", prices }));
  const found = async (MODEL: string, MODELS: string, more: Record<string, string> = {}) => {
    const env = { MODEL, MODELS, OPENAI_BASE_URL: "http://127.0.0.1:1/v1", MODEL_PRICES: file, ...more };
    const findings = JSON.parse((await ask("doctor --json", env)).text) as readonly Finding[];
    return findings.filter(({ check }) => check === "prices");
  };
  const limited = { MONTHLY_COST_BUDGET: "5" };
  expect(await found("openai:dear", "demo:echo")).toMatchObject([{ state: "ok" }]);
  expect(await found("openai:dear", "openai:free")).toEqual([
    {
      check: "prices",
      state: "warning",
      finding: "without a price, so their tokens are not in any cost: openai:free",
      advice: expect.stringContaining("MODEL_PRICES"),
    },
  ]);
  expect(await found("openai:dear", "openai:free", limited)).toMatchObject([
    {
      state: "warning",
      finding: expect.stringContaining("no work starts with these models, which have no price: openai:free"),
    },
  ]);
  expect(await found("openai:free", "openai:dear", limited)).toMatchObject([{ state: "problem" }]);
  writeFileSync(file, "{");
  const broken = expect.stringContaining("which is not JSON");
  expect(await found("openai:dear", "demo:echo")).toMatchObject([{ state: "problem", finding: broken }]);
});

test("[OPS-4] usage shows what was used this month, and jobs the unfinished ones", async () => {
  const usage = JSON.parse((await ask("usage --json")).text) as readonly Record<string, string>[];
  expect(usage).toHaveLength(1);
  expect(usage[0]).toMatchObject({ model: "demo:echo", jobs: "1", tool_calls: "0" });
  expect(usage[0]).toMatchObject({ cached_input_tokens: "0", cache_write_tokens: "0" });
  expect(Number(usage[0]?.["output_tokens"])).toBeGreaterThan(0);
  expect((await ask("usage --by agent")).text).toContain(first.agentId);
  await expect(ask("usage --by colour")).rejects.toThrow("--by must be one of agent, model, day");
  expect(JSON.parse((await ask("jobs --json")).text)).toEqual([]);
});

test("[OPS-4] the lines of a request are found in a log, wherever they name it, also across pieces", async () => {
  const lines = [
    '{"msg":"request","requestId":"req_1"}',
    "no JSON with req_1",
    '{"msg":"other","requestId":"req_12"}',
    '{"msg":"job","origin":{"requestId":"req_1"}}',
  ];
  const bytes = new TextEncoder().encode(lines.join("\n"));
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += 7) yield await Promise.resolve(bytes.subarray(at, at + 7));
  }
  expect(await Array.fromAsync(linesOf("req_1", pieces()))).toEqual([lines[0]!, lines[3]!]);
  const file = join(folder.path, "log");
  writeFileSync(file, `${lines.join("\n")}\n`);
  expect((await ask(`logs --request-id req_12 --from ${file}`)).text).toBe(lines[2]!);
  await expect(ask(`logs --request-id req_2 --from ${file}`)).rejects.toThrow("No line of the log names req_2");
  await expect(ask(`logs --request-id req_2 --from ${file}-not`)).rejects.toThrow("There is no file");
});
