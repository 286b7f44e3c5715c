/** Long bodies are parsed in slices. */
import { expect, test } from "bun:test";
import { AT_ONCE, type Bulk } from "../../../actors/runtime/fairness/bulk-work.ts";
import { newId } from "../../../actors/ids.ts";
import { LONG_BODY_BYTES, LongBodies } from "../../../src/http/body/long-bodies.ts";
import { bulkRig } from "../../support/bulk-rig.ts";
import { startService } from "../../support/service.ts";

const LONG = 3 * LONG_BODY_BYTES;

function rig() {
  const bulk = bulkRig({ isShared: false });
  const bodies = new LongBodies(bulk.bulk);
  return {
    ...bulk,
    parse: (organizationId: string, name: string, bytes = LONG) =>
      bodies.parse(organizationId, bytes, () => {
        bulk.work(name);
        return name;
      }),
  };
}

test("[FAIR-7] a short body is parsed at once, even if long ones wait", async () => {
  const { parse, done, turn } = rig();
  const long = [parse("a", "x0"), parse("a", "x1")];
  expect(parse("a", "short", LONG_BODY_BYTES)).toBe("short");
  expect(done).toEqual(["short"]);
  await turn();
  expect(await Promise.all(long)).toEqual(["x0", "x1"]);
});

test("[FAIR-7] long bodies that arrive together are parsed in slices", async () => {
  const { parse, done, turn } = rig();
  const all = Array.from({ length: 200 }, async (_, i) => await parse("a", `x${i}`));
  expect(done).toEqual([]);
  let most = 0;
  for (let before = done.length; done.length < 200; before = done.length) {
    await turn();
    most = Math.max(most, done.length - before);
  }
  expect(most).toBe(2);
  expect(await Promise.all(all)).toEqual(Array.from({ length: 200 }, (_, i) => `x${i}`));
  const later = parse("a", "later");
  await turn();
  expect(await later).toBe("later");
});

test("[FAIR-7] organizations parse their long bodies in turn", async () => {
  const { parse, done, turn } = rig();
  for (let i = 0; i < 8; i++) void parse("a", `a${i}`);
  for (let i = 0; i < 4; i++) void parse("b", `b${i}`);
  for (let i = 0; i < 24; i++) await turn();
  expect(done.slice(0, 8)).toEqual(["a0", "a1", "b0", "b1", "a2", "a3", "b2", "b3"]);
  expect(done).toHaveLength(12);
});

test("[FAIR-7] an invalid body rejects alone", async () => {
  const { turn, bulk } = bulkRig({ isShared: false });
  const bodies = new LongBodies(bulk);
  const parsing = async (parse: () => string): Promise<string> => await bodies.parse("a", LONG, parse);
  const broken = parsing(() => {
    throw new Error("no JSON");
  }).catch(String);
  const next = parsing(() => "whole");
  await turn();
  expect(await broken).toBe("Error: no JSON");
  expect(await next).toBe("whole");
});

test("[FAIR-7] the long body of a request is parsed in a slice of its organization", async () => {
  const slices: [string, number][] = [];
  const bulk: Bulk = {
    // oxlint-disable-next-line typescript/require-await -- as `AT_ONCE`
    async each(organizationId, items, work) {
      for (const item of items) slices.push([organizationId, work(item)]);
    },
    whole: AT_ONCE.whole,
  };
  const service = await startService({ overrides: { bulk } });
  try {
    const owner = await service.found();
    const message = "Say it again. ".repeat(7_000);
    const made = await service.call(owner, "POST", "/api/v1/tasks", { title: "Short" });
    expect({ status: made.status, slices }).toEqual({ status: 200, slices: [] });
    const refused = await service.call(owner, "POST", `/api/v1/agents/${newId("agt")}/execute`, { message });
    expect(refused.status).toBe(404);
    expect(slices).toContainEqual([owner.organizationId, JSON.stringify({ message }).length]);
  } finally {
    await service.stop();
  }
});
