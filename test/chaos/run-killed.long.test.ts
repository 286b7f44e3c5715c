/** Kill -9 of the service at every point between two commits of a run with tools and an approval. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { RunBench, type Story } from "../support/run-killing.ts";

let bench: RunBench;
let undisturbed: Story;

beforeAll(async () => {
  bench = await RunBench.open();
  undisturbed = (await bench.play(null)).story;
}, 300_000);
afterAll(() => bench.close(), 300_000);

/** The commits of the run: its message, its start, three steps, four calls and their results, the approval, the end. */
const COMMITS_AT_LEAST = 10;

for (const moment of ["sent", "answered"] as const) {
  test(`[JOB-4] [JOB-7] [JOB-8] [RUN-13] killed at any commit, ${moment === "sent" ? "before it is stored" : "stored and not answered"}, a run comes to the same end`, async () => {
    let nth = 1;
    for (; ; nth++) {
      const { killed, attempt, ...played } = await bench.play({ nth, moment });
      expect({ nth, ...played }).toEqual({ nth, story: undisturbed, repeated: [] });
      expect(attempt).toBeLessThanOrEqual(2);
      if (!killed) break;
    }
    console.log(`run killed: ${nth - 1} points, each commit ${moment}`);
    expect(nth - 1).toBeGreaterThanOrEqual(COMMITS_AT_LEAST);
    expect(await bench.invariants()).toMatchObject({ ok: true });
    expect(await bench.undone()).toBe(0);
  }, 300_000);
}

/** Of a compaction: its job, its start, its summary with its end. */
const COMPACTION_COMMITS = 2;

for (const moment of ["sent", "answered"] as const) {
  test(`[CHAT-11] killed at any commit, ${moment === "sent" ? "before it is stored" : "stored and not answered"}, a compaction comes to one summary`, async () => {
    const expected = await bench.playCompaction(null);
    expect(expected.told.at(-1)).toBe("done 3 2 true");
    let nth = 1;
    for (; ; nth++) {
      const { killed, told } = await bench.playCompaction({ nth, moment });
      expect({ nth, told }).toEqual({ nth, told: expected.told });
      if (!killed) break;
    }
    expect(nth - 1).toBeGreaterThanOrEqual(COMPACTION_COMMITS);
    expect(await bench.invariants()).toMatchObject({ ok: true });
  }, 300_000);
}
