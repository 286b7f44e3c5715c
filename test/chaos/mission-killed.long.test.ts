/** Kill -9 of the service at every commit of a mission's run, before it is stored and before its answer arrives. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { MissionBench, type MissionStory } from "../support/mission-killing.ts";

let bench: MissionBench;
let undisturbed: MissionStory;

beforeAll(async () => {
  bench = await MissionBench.open();
  undisturbed = (await bench.play(null)).story;
}, 300_000);
afterAll(() => bench.close(), 300_000);

/** The fire, the job with its chat, its start, its end, and what the mission is told of it. */
const COMMITS_AT_LEAST = 4;

for (const moment of ["sent", "answered"] as const) {
  test(`[MIS-4] killed at any commit of its run, ${moment === "sent" ? "before it is stored" : "stored and not answered"}, a mission has run once`, async () => {
    let nth = 1;
    for (; ; nth++) {
      const { killed, story } = await bench.play({ nth, moment });
      expect({ nth, story }).toEqual({ nth, story: undisturbed });
      if (!killed) break;
    }
    console.log(`mission killed: ${nth - 1} points, each commit ${moment}`);
    expect(nth - 1).toBeGreaterThanOrEqual(COMMITS_AT_LEAST);
    expect(await bench.undone()).toBe(0);
  }, 300_000);
}
