/** A model provider, an MCP server and web pages answer badly at once, for minutes; the loop turns and the memory stays. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { heapStats } from "bun:jsc";
import { createModels } from "../../src/runner/models.ts";
import { costsOf, type HostileServer, startHostileServer } from "../support/hostile.ts";
import { chanceOf } from "../support/hostile-fuzz.ts";
import { MCP_ATTACKS } from "../support/hostile-mcp.ts";
import { PAGE_ATTACKS } from "../support/hostile-pages.ts";
import { PROVIDER_ATTACKS } from "../support/hostile-provider.ts";
import { openHostileTools } from "../support/hostile-tools.ts";
import { longScale } from "../support/long.ts";
import { modelCall, NO_MODELS, run } from "../support/model-calls.ts";

const MIB = 1024 * 1024;
/** Of one turn of the loop, of work of its thread. A collection of garbage is in it. */
const LONGEST_GAP_MS = 1_000;
const { fuzzSeconds } = longScale();
/** Of what attacks it, in how many loops at once. */
const LOOPS = 3;
/** Good answers of each kind whose times are compared, before and after. */
const GOOD_ANSWERS = 100;
/** By how much the process may be larger when it is over than it was when everything was loaded. */
const KEPT_BYTES = 64 * MIB;

let server: HostileServer;
beforeAll(async () => void (server = await startHostileServer()));
afterAll(() => server.stop());

/** A known attack, or a good answer that is damaged. */
function attackOf(chance: () => number, known: readonly string[]): string {
  // These take seconds each, and are held by tests of their own.
  const quick = known.filter((name) => name !== "endless-frames");
  if (chance() < 0.3) return quick[Math.floor(chance() * quick.length)] ?? "none";
  return `fuzz-${Math.floor(chance() * 2 ** 31)}`;
}

async function provider(model: string, _organizationId = ""): Promise<string> {
  const settings = { ...NO_MODELS, model: `openai-compatible:${model}`, openaiBaseUrl: `${server.address}/v1` };
  return (await run(createModels(settings), modelCall("hi"))).outcome.kind;
}

async function mcp(attack: string, organizationId: string): Promise<string> {
  const tools = await openHostileTools(server, attack, { organizationId });
  for (const { name } of tools.box.tools.slice(0, 2))
    if (name !== "web_fetch") expect((await tools.call(name)).content).toBeString();
  tools.end();
  return tools.box.notes.length === 0 ? "listed" : "noted";
}

async function page(attack: string, organizationId: string): Promise<string> {
  const tools = await openHostileTools(server, null, { organizationId });
  const { content } = await tools.call("web_fetch", { url: `${server.address}/page/${attack}` });
  tools.end();
  return content.startsWith("status") ? "shown" : "refused";
}

/** The 99th percentile of good answers in ms, asked for one after the other. */
async function goodP99(): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < GOOD_ANSWERS; i++) {
    for (const ask of [provider, mcp, page]) {
      const from = performance.now();
      await ask("none", "org_0");
      times.push(performance.now() - from);
    }
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
}

/** What the process has when garbage is collected and what waits for that has been let go. */
async function keptBytes(): Promise<{ readonly rss: number; readonly heap: number }> {
  for (let i = 0; i < 3; i++) {
    Bun.gc(true);
    await Bun.sleep(200);
  }
  return { rss: process.memoryUsage.rss(), heap: heapStats().heapSize };
}

test("[GUARD-1] [GUARD-3] [GUARD-5] hostile servers that answer for minutes neither block the loop nor fill the memory", async () => {
  const seed = Date.now() % 1_000_000;
  const outcomes: Record<string, number> = {};
  const note = (outcome: string): void => void (outcomes[outcome] = (outcomes[outcome] ?? 0) + 1);
  const attack = async (number: number, seconds: number): Promise<void> => {
    const chance = chanceOf(seed + number);
    const organizationId = `org_${number % 3}`;
    for (const until = performance.now() + seconds * 1_000; performance.now() < until;) {
      if (number % LOOPS === 0) note(await provider(attackOf(chance, PROVIDER_ATTACKS)));
      else if (number % LOOPS === 1) note(await mcp(attackOf(chance, MCP_ATTACKS), organizationId));
      else note(await page(attackOf(chance, PAGE_ATTACKS), organizationId));
    }
  };
  const all = (seconds: number): Promise<unknown> =>
    Promise.all(Array.from({ length: 2 * LOOPS }, (_, number) => attack(number, seconds)));
  // What is loaded, compiled and kept by the first of them is no growth.
  await all(Math.min(15, fuzzSeconds));
  const [p99Before, before] = [await goodP99(), await keptBytes()];
  const { gapMs, grownBytes } = await costsOf(() => all(fuzzSeconds));
  const [p99After, after] = [await goodP99(), await keptBytes()];
  const mib = (bytes: number): number => Math.round(bytes / MIB);
  const figures = {
    seed,
    gapMs: Math.round(gapMs),
    grownMib: mib(grownBytes),
    rssMib: [mib(before.rss), mib(after.rss)],
    heapMib: [mib(before.heap), mib(after.heap)],
    p99Ms: [Math.round(p99Before), Math.round(p99After)],
    outcomes,
  };
  console.log(JSON.stringify(figures));
  expect(gapMs).toBeLessThan(LONGEST_GAP_MS);
  expect(grownBytes).toBeLessThan(400 * MIB);
  // It ends where it was; the times of this machine differ twofold by themselves.
  expect(after.heap - before.heap).toBeLessThan(KEPT_BYTES / 4);
  expect(after.rss - before.rss).toBeLessThan(KEPT_BYTES);
  expect(p99After).toBeLessThan(3 * p99Before + 20);
  // What is good is still read.
  expect(await provider("none")).toBe("finished");
  expect(await mcp("none", "org_0")).toBe("listed");
  expect(await page("none", "org_0")).toBe("shown");
  for (const outcome of ["finished", "failed", "listed", "noted", "shown"])
    expect(outcomes[outcome]).toBeGreaterThan(0);
});
