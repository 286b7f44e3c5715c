/** The pool of children, with the real launch chain of this machine, and with children that misbehave. */
import type { FileSink } from "bun";
import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CHILD_ENVIRONMENT } from "../../src/sandbox/bubble.ts";
import { PIPE_PIECE_BYTES } from "../../src/sandbox/child-process.ts";
import type { SandboxFile } from "../../src/sandbox/child-folder.ts";
import {
  CpuBudget,
  createSandbox,
  filePool,
  type Sandbox,
  type SandboxJob,
  type SandboxResult,
} from "../../src/sandbox/sandbox.ts";
import { type ChildNeeds, type Launch, launches, CHILD_THREADS } from "../../src/sandbox/launch.ts";
import { FAIR_NICE, SESSION_NICE } from "../../src/sandbox/low-priority.ts";
import { MAX_INPUT_BYTES } from "../../src/sandbox/protocol.ts";
import { until } from "../support/condition.ts";
import { impoliteLaunches, LOOK_AROUND, printedBy } from "../support/sandbox.ts";

const BAD_CHILD = fileURLToPath(new URL("../support/bad-child.ts", import.meta.url));
const PAGE = { contentType: "text/html", url: "https://a.test/", maxChars: 100 };
const NO_BWRAP = Bun.which("bwrap") === null;
const HAS_SESSIONS = existsSync("/proc/self/autogroup");
/** Of `sched(7)`. */
const SCHED_OTHER = 0;
const SCHED_IDLE = 5;

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

test("[GUARD-1] the whole chain of this machine works, and the log reports its protection", async () => {
  const { sandbox, said } = sandboxOf(launches);
  await sandbox.prepare();
  expect(said).toEqual([expect.stringContaining("content from outside is parsed in")]);
  expect(await sandbox.run(page("<p>fine"))).toEqual(shown("fine"));
});

/** The largest nice value; the kernel cuts off what is more. */
const MOST_NICE = 19;

describe("the class of a child", () => {
  for (const [what, kind, nice, policy] of [
    ["what parses bulk", null, SESSION_NICE, SCHED_IDLE],
    ["what requests wait for", filePool, FAIR_NICE, SCHED_OTHER],
  ] as const)
    // reason: elsewhere sessions have no weight.
    test.skipIf(!HAS_SESSIONS)(
      `[FAIR-8] ${what} has a lower priority than the service, and so has its session`,
      async () => {
        const others = childrenOf("sandbox/child.ts");
        const root = mkdtempSync(join(tmpdir(), "troupe-children-"));
        const sandbox = createSandbox(undefined, { launches, ...(kind === null ? {} : { kind: kind(root) }) });
        opened.push(sandbox);
        await sandbox.prepare();
        const [leader = 0] = childrenOf("sandbox/child.ts").filter((pid) => !others.includes(pid));
        const group = (): string => readFileSync(`/proc/${leader}/autogroup`, "utf8");
        // Of users but root the kernel takes one change in a tenth of a second.
        await until("its session has a low weight", () => group().includes(`nice ${nice}`));
        expect(group()).not.toBe(readFileSync("/proc/self/autogroup", "utf8"));
        // What is inside is in the same session.
        const inside = descendantsOf(leader).at(-1) ?? leader;
        const stat = statOf(inside);
        expect(stat.session).toBe(leader);
        if (Bun.which("chrt") !== null) expect(stat.policy).toBe(policy);
        // One that runs in idle moments has no use for a nice value.
        if (policy === SCHED_OTHER) expect(stat.nice).toBe(Math.min(MOST_NICE, FAIR_NICE + statOf(process.pid).nice));
        sandbox.close();
        rmSync(root, { recursive: true, force: true });
      },
    );
});

/** All that the root may have: neither a home, which Bun itself may lie in, nor a data folder. */
const SEEN_INSIDE = new Set(["troupe", "bun", "usr", "lib", "lib64", "etc", "dev", "proc", "tmp"]);

// reason: without bubblewrap there is no isolation to look at.
test.skipIf(NO_BWRAP)("[GUARD-1] with bubblewrap a child sees neither network, files nor environment", async () => {
  const [launch] = await impoliteLaunches();
  const seen = JSON.parse(await printedBy(launch, LOOK_AROUND));
  expect(seen.env).not.toContain("TROUPE_TEST_KEY");
  expect(seen.root.filter((name: string) => !SEEN_INSIDE.has(name))).toEqual([]);
  expect(seen.inside.toSorted()).toEqual(["actors", "node_modules", "package.json", "src", "tsconfig.json"]);
  expect(seen).toMatchObject({ etc: false, net: expect.stringMatching(/Refused|Failed|UNREACH/i) });
  expect(seen.pids).toBeLessThanOrEqual(3);
});

test("[GUARD-1] if the first ways do not work the next one is used, and the log says what is missing", async () => {
  const broken: Launch = { command: ["false"], isIsolated: true, isLimited: true };
  const { sandbox, said } = sandboxOf(async () => [broken, ...(await impoliteLaunches()).slice(-1)]);
  expect(await sandbox.run(page("<p>fine"))).toEqual(shown("fine"));
  expect(said).toEqual([expect.stringContaining("not isolated: ")]);
});

test("[GUARD-1] if no child can be started a job fails, and the service continues", async () => {
  const { sandbox } = sandboxOf(async () => [{ command: ["false"], isIsolated: false, isLimited: false }]);
  expect(await sandbox.run(page("<p>fine"))).toMatchObject({ ok: false, error: "crashed" });
});

test("[GUARD-1] a job accepts 8 MiB, and not a byte more", async () => {
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

test("[FAIR-9] content that came in pieces is read as one text, and all of its pieces count for its limit", async () => {
  const { sandbox } = sandboxOf();
  const text = "<title>In pieces</title><p>The rest of it";
  const content = Array.from(Buffer.from(text), (byte) => Buffer.from([byte]));
  expect(await sandbox.run(page("", { content }))).toEqual(await sandbox.run(page(text)));
  const half = Buffer.alloc(MAX_INPUT_BYTES / 2, "x");
  expect(await sandbox.run(page("", { content: [half, half, Buffer.from("x")] }))).toMatchObject({
    ok: false,
    error: "too_large",
  });
});

test("[FAIR-8] a large page is sent to its child in pieces, and arrives completely", async () => {
  const spawned = spyOn(Bun, "spawn");
  const { sandbox } = sandboxOf();
  await sandbox.prepare();
  const children = spawned.mock.results.map(({ value }) => value as { readonly stdin: FileSink });
  spawned.mockRestore();
  const written = spyOn(children.at(-1)!.stdin, "write");
  const content = Buffer.alloc(2 * 1024 * 1024 + 1, "x");
  const read = await sandbox.run(page("", { content, options: { ...PAGE, contentType: "text/plain" } }));
  expect(read).toMatchObject({ ok: true, value: { page: { chars: content.length } } });
  const sizes = written.mock.calls.map(([bytes]) => (bytes as Uint8Array).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(content.length);
  expect(Math.max(...sizes)).toBe(PIPE_PIECE_BYTES);
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
        const { sandbox } = sandboxOf(async () => [
          { command, isIsolated: false, isLimited: false, sessionNice: null },
        ]);
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

describe("a job that its child did not do for another reason than the job", () => {
  const ways = async (...command: string[]) => [{ command, isIsolated: false, isLimited: false, sessionNice: null }];

  test("[GUARD-1] runs once more where the system has killed the child; the second time no child is available", async () => {
    const { sandbox } = sandboxOf(() => ways(process.execPath, BAD_CHILD, "spins"));
    await sandbox.prepare();
    const before = childrenOf(BAD_CHILD);
    const job = sandbox.run(page("<p>x"));
    const kill = (pids: readonly number[]): void => pids.forEach((pid) => void process.kill(pid, "SIGKILL"));
    kill(before);
    await until("another one has the job", () => childrenOf(BAD_CHILD).some((pid) => !before.includes(pid)));
    kill(childrenOf(BAD_CHILD));
    expect(await job).toMatchObject({ ok: false, error: "unavailable" });
  });

  test("[GUARD-1] runs once more where the child had done others before", async () => {
    const once = join(mkdtempSync(join(tmpdir(), "troupe-once-")), "once");
    const good = fileURLToPath(new URL("../../src/sandbox/child.ts", import.meta.url));
    const script = `mkdir '${once}' 2>/dev/null && exec '${process.execPath}' '${BAD_CHILD}' exits; exec '${process.execPath}' '${good}'`;
    const { sandbox } = sandboxOf(() => ways("sh", "-c", script));
    await sandbox.prepare();
    expect(await sandbox.run(page("<p>fine"))).toEqual(shown("fine"));
    rmSync(join(once, ".."), { recursive: true });
  });
});

// reason: elsewhere the system does not report the memory of a child.
test.skipIf(!existsSync("/proc/self/status"))(
  "[GUARD-1] a child that keeps the memory of a job is replaced at once, and others stay",
  async () => {
    const root = mkdtempSync(join(tmpdir(), "troupe-children-"));
    const sandbox = createSandbox(undefined, { kind: filePool(root), launches: impoliteLaunches });
    opened.push(sandbox);
    const rows = async (query: string, isSuspect?: () => boolean): Promise<string> => {
      const options = { lane: "org_1", format: "json", limit: 10_000, maxBytes: 8 * 1024 * 1024 };
      const content = Buffer.from(JSON.stringify({ query, params: [] }));
      const job = { job: "query", lane: "org_1", options, content } as const;
      const result = await sandbox.run(isSuspect === undefined ? job : { ...job, isSuspect });
      expect(result).toMatchObject({ ok: true, value: { kind: "done" } });
      return readdirSync(root).join();
    };
    const child = await rows("SELECT 1");
    expect(child).not.toBe("");
    expect(await rows("SELECT 1 UNION ALL SELECT 2")).toBe(child);
    const next = await rows("SELECT repeat('x', 1000000) FROM range(20)");
    expect([next === "", next === child]).toEqual([false, false]);
    expect(await rows("SELECT 1")).toBe(next);
    // A job that is tried again in another child has two that grow, and one takes their place.
    for (let times = 0; times < 3; times++) {
      await rows("SELECT repeat('x', 1000000) FROM range(20)", () => true);
      await until("one child is left", () => readdirSync(root).length === 1);
    }
    rmSync(root, { recursive: true });
  },
);

// reason: elsewhere nothing limits the memory of a child.
test.skipIf(Bun.which("prlimit") === null)(
  "[GUARD-1] within the limit of its memory a child compiles its code",
  async () => {
    // A million is its answer where nothing is compiled at all.
    const program =
      "import { numberOfDFGCompiles as compiled } from 'bun:jsc'; const sum = (n) => { let s = 0; for (let i = 0; i < n; i++) s += i % 7; return s; };" +
      "for (let i = 0; compiled(sum) === 0 && i < 2_000; i++) sum(10_000); console.log(compiled(sum) > 0 && compiled(sum) < 1_000_000)";
    const said = async (env: Readonly<Record<string, string>>): Promise<string> => {
      const command = ["prlimit", "--data=536870912", process.execPath, "-e", program];
      return new Response(Bun.spawn({ cmd: command, env, stderr: "ignore" }).stdout).text();
    };
    expect(await said(CHILD_ENVIRONMENT)).toBe("true\n");
    expect(await said({})).toBe("false\n");
  },
);

test("[GUARD-1] a cancelled job kills its child, and the next job gets another one", async () => {
  const { sandbox } = sandboxOf();
  await sandbox.prepare();
  const stop = new AbortController();
  const stopped = sandbox.run(page("<p>".repeat(2_000_000), { signal: stop.signal }));
  stop.abort();
  expect(await stopped).toMatchObject({ ok: false, error: "aborted" });
  expect(await sandbox.run(page("<p>next"))).toEqual(shown("next"));
});

describe("a child that is gone before it has the job", () => {
  let root: string;
  let sandbox: Sandbox;
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), "troupe-children-"));
    sandbox = createSandbox(undefined, {
      kind: filePool(root),
      launches: async (needs) => (await impoliteLaunches(needs)).slice(-1),
    });
    opened.push(sandbox);
    await sandbox.prepare();
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  /** As the machine does it when its memory runs out. */
  async function killChild(): Promise<void> {
    expect(readdirSync(root)).toHaveLength(1);
    for (const pid of childrenOf("sandbox/child.ts")) process.kill(pid, "SIGKILL");
    // With a child its folder goes.
    await until("its end is noticed", () => readdirSync(root).length === 0);
  }
  const pong = { ok: true, value: "pong" } as const;
  const ping = (place?: SandboxFile["place"]): SandboxJob => ({
    job: "ping",
    lane: "org_1",
    options: {},
    content: new Uint8Array(),
    ...(place === undefined ? {} : { files: [{ name: "a.csv", place }] }),
  });
  const placed = async (path: string): Promise<boolean> => {
    await writeFile(path, "a");
    return true;
  };

  test("[GUARD-1] costs no job: another one has it, with files or without", async () => {
    await killChild();
    expect(await sandbox.run(ping())).toEqual(pong);
    await killChild();
    expect(await sandbox.run(ping(placed))).toEqual(pong);
    // And it is as useful as any.
    expect(await sandbox.run(ping(placed))).toEqual(pong);
    expect(readdirSync(root)).toHaveLength(1);
  });

  test("[GUARD-1] costs no job, even while the job's files are copied to it", async () => {
    let times = 0;
    const place = async (path: string): Promise<boolean> => {
      if (times++ === 0) await killChild();
      return placed(path);
    };
    expect(await sandbox.run(ping(place))).toEqual(pong);
    expect(times).toBe(2);
    expect(readdirSync(root)).toHaveLength(1);
  });
});

// reason: only bubblewrap gives a child processes of its own.
test.skipIf(NO_BWRAP)(
  "[GUARD-1] the processes of a user do not count for its children, which have a limit of their own",
  async () => {
    const [launch] = await impoliteLaunches();
    const sleepers = Array.from({ length: CHILD_THREADS }, () => Bun.spawn(["sleep", "60"]));
    try {
      const { sandbox } = sandboxOf(async () => (launch === undefined ? [] : [launch]));
      expect(await sandbox.run(page("<p>fine"))).toEqual(shown("fine"));
      const forks = `
        let n = 0;
        try { for (; n < 2_000; n++) Bun.spawn([process.execPath, "-e", "await Bun.sleep(60_000)"]); } catch {}
        console.log(n); process.exit(0)`;
      const count = Number(await printedBy(launch, forks));
      // Where system calls can be filtered, it starts none at all.
      if (launch?.style?.hasFilter === true) expect(count).toBe(0);
      else expect(count).toBeLessThan(CHILD_THREADS);
    } finally {
      for (const sleeper of sleepers) sleeper.kill();
    }
  },
);

test("[GUARD-2] once a budget is spent no job begins that shares it, and others do", async () => {
  const { sandbox } = sandboxOf();
  const budget = new CpuBudget(1);
  const heavy = "<b>x</b>".repeat(50_000);
  expect(await sandbox.run(page(heavy, { budget }))).toMatchObject({ ok: true });
  expect(await sandbox.run(page("<p>x", { budget }))).toMatchObject({ ok: false, error: "over_budget" });
  expect(await sandbox.run(page("<p>x", { budget: new CpuBudget() }))).toEqual(shown("x"));
});

/** What the kernel says of a process: its session, its nice value, and its scheduling policy. */
function statOf(pid: number): { readonly session: number; readonly nice: number; readonly policy: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { session: Number(fields[3]), nice: Number(fields[16]), policy: Number(fields[38]) };
}

/** Pids below a process, parents before children. */
function descendantsOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

/** Pids of processes with this word in their command line. */
function childrenOf(word: string): number[] {
  const listed = Bun.spawnSync(["pgrep", "-P", String(process.pid), "-f", word]).stdout.toString();
  return listed.split("\n").filter(Boolean).map(Number);
}
