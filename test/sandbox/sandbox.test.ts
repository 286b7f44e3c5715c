/** The pool of children, with the real launch chain of this machine, and with children that misbehave. */
import { afterEach, describe, expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { CpuBudget } from "../../src/sandbox/cpu-budget.ts";
import { type ChildNeeds, type Launch, launches } from "../../src/sandbox/launch.ts";
import { MAX_INPUT_BYTES } from "../../src/sandbox/protocol.ts";
import { createSandbox, type Sandbox, type SandboxJob, type SandboxResult } from "../../src/sandbox/sandbox.ts";
import { until } from "../support/condition.ts";
import { impoliteLaunches, LOOK_AROUND } from "../support/sandbox.ts";

const BAD_CHILD = fileURLToPath(new URL("../support/bad-child.ts", import.meta.url));
const PAGE = { contentType: "text/html", url: "https://a.test/", maxChars: 100 };
const NO_BWRAP = Bun.which("bwrap") === null;

const opened: Sandbox[] = [];
afterEach(() => {
  for (const sandbox of opened.splice(0)) sandbox.close();
});

function sandboxOf(found: (needs: ChildNeeds) => Promise<readonly Launch[]> = impoliteLaunches) {
  const said: string[] = [];
  const log = {
    info: (_: object, message: string) => void said.push(message),
    warn: (_: object, message: string) => void said.push(message),
  };
  const sandbox = createSandbox(log, { launches: found });
  opened.push(sandbox);
  return { sandbox, said };
}
const page = (html: string, more: Partial<SandboxJob> = {}): SandboxJob => ({
  job: "page",
  lane: "org_1",
  options: PAGE,
  content: Buffer.from(html),
  ...more,
});
const shown = (text: string): SandboxResult => ({ ok: true, value: { page: { title: "", text, chars: text.length } } });

test("[GUARD-1] a job is done in a child, and the same child does the next one", async () => {
  const { sandbox } = sandboxOf();
  for (const words of ["one", "two", "three"]) expect(await sandbox.run(page(`<p>${words}`))).toEqual(shown(words));
});

test("[GUARD-1] the whole chain of this machine works, and the log says what it gives", async () => {
  const { sandbox, said } = sandboxOf(launches);
  await sandbox.prepare();
  expect(said).toEqual([expect.stringContaining("content from outside is parsed in")]);
  expect(await sandbox.run(page("<p>fine"))).toEqual(shown("fine"));
});

// reason: without bubblewrap there is no isolation to look at.
test.skipIf(NO_BWRAP)("[GUARD-1] with bubblewrap a child sees neither network, files nor environment", async () => {
  // Where a plain user has many threads already, their limit keeps bubblewrap out, and the next way is taken.
  const isFree = ({ command, isIsolated }: Launch): boolean =>
    isIsolated && !command.some((word) => word.startsWith("--nproc"));
  const launch = (await impoliteLaunches()).find(isFree);
  const command = [...(launch?.command.slice(0, -1) ?? []), "-e", LOOK_AROUND];
  const child = Bun.spawn(command, { env: { PATH: "/usr/bin:/bin", TROUPE_TEST_KEY: "secret" }, stderr: "inherit" });
  const seen = JSON.parse(await new Response(child.stdout).text());
  expect(seen.env).not.toContain("TROUPE_TEST_KEY");
  expect(seen.root).not.toContain("home");
  expect(seen.root).not.toContain("root");
  expect(seen.inside.toSorted()).toEqual(["actors", "node_modules", "package.json", "src", "tsconfig.json"]);
  expect(seen).toMatchObject({ etc: false, net: expect.stringMatching(/Refused|Failed|UNREACH/i) });
  expect(seen.pids).toBeLessThanOrEqual(3);
});

test("[GUARD-1] where the first ways do not work the next one is taken, and the log says what is missing", async () => {
  const broken: Launch = { command: ["false"], isIsolated: true, isLimited: true };
  const { sandbox, said } = sandboxOf(async () => [broken, ...(await impoliteLaunches()).slice(-1)]);
  expect(await sandbox.run(page("<p>fine"))).toEqual(shown("fine"));
  expect(said).toEqual([expect.stringContaining("not isolated: install bubblewrap")]);
});

test("[GUARD-1] where no child can be had a job fails, and the service goes on", async () => {
  const { sandbox } = sandboxOf(async () => [{ command: ["false"], isIsolated: false, isLimited: false }]);
  expect(await sandbox.run(page("<p>fine"))).toMatchObject({ ok: false, error: "crashed" });
});

test("[GUARD-1] a job takes 8 MiB, and not a byte more", async () => {
  const { sandbox } = sandboxOf();
  const content = Buffer.alloc(MAX_INPUT_BYTES, "x");
  const plain = { options: { ...PAGE, contentType: "text/plain" } };
  expect(await sandbox.run(page("", { content, ...plain }))).toMatchObject({
    ok: true,
    value: { page: { chars: MAX_INPUT_BYTES } },
  });
  expect(await sandbox.run(page("", { content: Buffer.concat([content, Buffer.from("x")]), ...plain }))).toMatchObject({
    ok: false,
    error: "too_large",
  });
});

describe("a child that", () => {
  for (const [fault, error] of [
    ["unasked", "crashed"],
    ["oversized", "invalid"],
    ["bytes", "invalid"],
    ["short", "invalid"],
    ["twice", "invalid"],
    ["no-json", "invalid"],
    ["deep", "invalid"],
    ["exits", "crashed"],
    ["spins", "deadline"],
    ["eats", "crashed"],
  ] as const) {
    // reason: elsewhere nothing limits the memory of a child.
    test.skipIf(fault === "eats" && Bun.which("prlimit") === null)(
      `[GUARD-1] ${fault} is killed, and its job fails`,
      async () => {
        const limits = ["prlimit", "--data=536870912"];
        const command = [...(fault === "eats" ? limits : []), process.execPath, BAD_CHILD, fault];
        const pids: number[] = [];
        const { sandbox } = sandboxOf(async () => [{ command, isIsolated: false, isLimited: false }]);
        await sandbox.prepare();
        pids.push(...childrenOf(BAD_CHILD));
        // One that speaks unasked is dead before it has a job: the next one gets it.
        if (fault === "unasked") await until("it is killed", () => childrenOf(BAD_CHILD).length === 0);
        const result = await sandbox.run(page("<p>x"));
        if (fault !== "unasked") expect(result).toMatchObject({ ok: false, error });
        await until("it is gone", () => pids.every((pid) => !childrenOf(BAD_CHILD).includes(pid)));
      },
    );
  }
});

test("[GUARD-1] a job that is called off kills its child, and the next job has another", async () => {
  const { sandbox } = sandboxOf();
  await sandbox.prepare();
  const stop = new AbortController();
  const stopped = sandbox.run(page("<p>".repeat(2_000_000), { signal: stop.signal }));
  stop.abort();
  expect(await stopped).toMatchObject({ ok: false, error: "aborted" });
  expect(await sandbox.run(page("<p>next"))).toEqual(shown("next"));
});

test("[GUARD-2] once a budget is spent no job begins that shares it, and others do", async () => {
  const { sandbox } = sandboxOf();
  const budget = new CpuBudget(1);
  const heavy = "<b>x</b>".repeat(50_000);
  expect(await sandbox.run(page(heavy, { budget }))).toMatchObject({ ok: true });
  expect(await sandbox.run(page("<p>x", { budget }))).toMatchObject({ ok: false, error: "over_budget" });
  expect(await sandbox.run(page("<p>x", { budget: new CpuBudget() }))).toEqual(shown("x"));
});

/** Pids of processes with this word in their command line. */
function childrenOf(word: string): number[] {
  const listed = Bun.spawnSync(["pgrep", "-P", String(process.pid), "-f", word]).stdout.toString();
  return listed.split("\n").filter(Boolean).map(Number);
}
