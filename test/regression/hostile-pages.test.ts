/** 64 pages of two megabytes of `<` in one message kept another organization waiting for 22 s. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { costsOf, type HostileServer, LONGEST_GAP_MS, startHostileServer } from "../support/hostile.ts";
import { type HostileTools, openHostileTools } from "../support/hostile-tools.ts";

const MIB = 1024 * 1024;

let server: HostileServer;
let tools: HostileTools;
beforeAll(async () => {
  server = await startHostileServer();
  tools = await openHostileTools(server, null);
  await tools.call("web_fetch", { url: `${server.address}/page/fine` });
});
afterAll(async () => {
  tools.end();
  await server.stop();
});

const PAGES = [
  ["less", "only the first 2097152 bytes were read"],
  ["nested", "status: 200"],
  ["spaces", "status: 200"],
  ["entities", "status: 200"],
  ["links", "status: 200"],
  ["attributes", "status: 200"],
  ["endless", ""],
  ["packed", "the content is compressed (gzip) and is not shown"],
  ["encoding", "\n\nx"],
  ["controls", "title: a␛[31mb\n\nc⟨U+202E⟩d␇"],
] as const;
for (const [step, [attack, words]] of PAGES.entries()) {
  test(`[GUARD-1] a page that is ${attack} is shown as far as it goes, and holds nobody up`, async () => {
    const { bytes } = await server.counts();
    const { value, gapMs } = await costsOf(() =>
      tools.call("web_fetch", { url: `${server.address}/page/${attack}` }, step + 2),
    );
    expect(value.content).toContain(words);
    expect((await server.counts()).bytes - bytes).toBeLessThan(32 * MIB);
    expect(gapMs).toBeLessThan(LONGEST_GAP_MS);
  });
}

test("[GUARD-2] 64 pages of `<` in one step hold nobody up, and another organization reads its pages meanwhile", async () => {
  const many = await openHostileTools(server, null, { stepCpuMs: 500 });
  const other = await openHostileTools(server, null, { organizationId: "org_2" });
  const fine = { url: `${server.address}/page/fine` };
  const { value, gapMs, grownBytes } = await costsOf(async () => {
    const flood = Promise.all(
      Array.from({ length: 64 }, () => many.call("web_fetch", { url: `${server.address}/page/less` }, 2)),
    );
    let served = 0;
    let isOver = false;
    void flood.then(() => (isOver = true));
    while (!isOver) {
      expect((await other.call("web_fetch", fine)).content).toEndWith("\n\nfine");
      served++;
    }
    return { results: await flood, served };
  });
  for (const { content } of value.results) expect(content).toMatch(/only the first|used up their computing time/);
  expect(value.results.some(({ content }) => content.includes("used up"))).toBe(true);
  expect(value.served).toBeGreaterThan(0);
  expect(gapMs).toBeLessThan(LONGEST_GAP_MS);
  expect(grownBytes).toBeLessThan(400 * MIB);
  many.end();
  other.end();
});
