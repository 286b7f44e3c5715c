/**
 * An MCP server that answered with 20,000 requests of its own held the loop for seconds and was sent
 * 20,000 answers; 64 such calls of one step kept other organizations waiting for minutes. A schema
 * that was nested 100,000 deep cost each run a second.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { MAX_MESSAGES, MAX_SERVER_REQUESTS } from "../../src/sandbox/jobs/mcp-answer.ts";
import { costsOf, type HostileServer, LONGEST_GAP_MS, startHostileServer } from "../support/hostile.ts";
import { type HostileTools, openHostileTools } from "../support/hostile-tools.ts";

const MIB = 1024 * 1024;

let server: HostileServer;
const opened: HostileTools[] = [];
const open = async (attack: string, options = {}): Promise<HostileTools> => {
  const tools = await openHostileTools(server, attack, options);
  opened.push(tools);
  return tools;
};
const posts = async (): Promise<number> => (await server.counts()).requests["POST mcp"] ?? 0;

beforeAll(async () => {
  server = await startHostileServer();
  // Loads the client, and starts a child.
  await (await open("none")).call("bad__go");
});
afterEach(() => {
  for (const tools of opened.splice(0)) tools.end();
});
afterAll(() => server.stop());

describe("a call whose answer", () => {
  for (const [attack, words] of [
    ["elicitations", `it sends more than ${MAX_SERVER_REQUESTS} requests of its own`],
    ["elicitation-batch", `it sends more than ${MAX_SERVER_REQUESTS} requests of its own`],
    ["notifications", `more than ${MAX_MESSAGES} messages`],
    ["other-answers", `more than ${MAX_MESSAGES} messages`],
    ["deep-result", "not valid MCP"],
    ["wide-result", "\n\n"],
    ["long-result", "[Cut: the "],
    ["endless", "too large"],
    ["blank-lines", "too large"],
    ["not-json", "not valid MCP"],
    ["other-id", "its answer belongs to another request"],
  ] as const) {
    test(`[GUARD-5] is ${attack} costs a few requests, little memory, and holds nobody up`, async () => {
      const { call } = await open(attack);
      const [before, { bytes }] = [await posts(), await server.counts()];
      const { value, gapMs, grownBytes } = await costsOf(() => call("bad__go"));
      expect(value.content).toContain(words);
      // The call, what the server asked for and was refused, and a notification.
      expect((await posts()) - before).toBeLessThanOrEqual(MAX_SERVER_REQUESTS + 2);
      expect((await server.counts()).bytes - bytes).toBeLessThan(32 * MIB);
      expect(gapMs).toBeLessThan(LONGEST_GAP_MS);
      expect(grownBytes).toBeLessThan(200 * MIB);
    });
  }
});

test("[GUARD-2] [GUARD-5] 64 such calls of one step hold nobody up, share their budget, and other organizations are served", async () => {
  const { call } = await open("elicitation-batch", { stepCpuMs: 500 });
  const other = await open("none", { organizationId: "org_2" });
  const before = await posts();
  const { value, gapMs, grownBytes } = await costsOf(async () => {
    const flood = Promise.all(Array.from({ length: 64 }, () => call("bad__go")));
    let served = 0;
    let isOver = false;
    void flood.then(() => (isOver = true));
    while (!isOver) {
      expect(await other.call("bad__go")).toEqual({ content: "done", isError: false });
      served++;
    }
    return { results: await flood, served };
  });
  expect(value.results.every(({ isError }) => isError)).toBe(true);
  expect(value.results.some(({ content }) => content.includes("used up"))).toBe(true);
  expect(value.served).toBeGreaterThan(0);
  expect((await posts()) - before).toBeLessThanOrEqual(64 * (MAX_SERVER_REQUESTS + 2) + value.served);
  expect(gapMs).toBeLessThan(LONGEST_GAP_MS);
  expect(grownBytes).toBeLessThan(400 * MIB);
});

describe("a list of tools", () => {
  for (const [attack, names, note] of [
    ["deep-schema", ["bad__fine"], "1 of the tools of the MCP server bad are left out"],
    ["many-tools", null, "of the tools of the MCP server bad are left out"],
    ["long-names", ["bad__fine"], null],
  ] as const) {
    test(`[GUARD-5] with ${attack} costs those tools only, and holds nobody up`, async () => {
      const { value, gapMs } = await costsOf(() => open(attack));
      const offered = value.box.tools.map(({ name }) => name).filter((name) => name !== "web_fetch");
      if (names === null) expect(offered).toHaveLength(64);
      else expect(offered).toEqual([...names]);
      expect(value.box.notes.join("\n")).toContain(note ?? "");
      expect(gapMs).toBeLessThan(LONGEST_GAP_MS);
    });
  }
});

test("[GUARD-7] control and bidi characters of an answer are marked", async () => {
  const { call } = await open("controls");
  expect(await call("bad__go")).toEqual({ content: "a␛[31mb⟨U+202E⟩c", isError: false });
});
