/** Kill -9 of the service at some points of a run with tools and an approval; at every point: `run-killed.long.test.ts`. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type KillPoint, RunBench, type Story } from "../support/run-killing.ts";

let bench: RunBench;
let undisturbed: Story;

beforeAll(async () => {
  bench = await RunBench.open();
  undisturbed = (await bench.play(null)).story;
});
afterAll(() => bench.close());

const POINTS: readonly KillPoint[] = [
  { nth: 4, moment: "answered" },
  { nth: 6, moment: "sent" },
];

test("[JOB-4] [JOB-7] [JOB-8] [RUN-13] a run that is killed and taken up ends exactly like one that was not", async () => {
  expect(undisturbed).toMatchObject({ status: "completed", steps: 3, toolCalls: 4, tasks: 1 });
  expect(JSON.stringify(undisturbed.events)).toContain("This is c.");
  for (const point of POINTS) {
    const played = await bench.play(point);
    expect({ point, ...played }).toEqual({
      point,
      story: undisturbed,
      killed: true,
      repeated: [],
      attempt: played.attempt,
    });
  }
  expect(await bench.invariants()).toMatchObject({ ok: true });
  expect(await bench.undone()).toBe(0);
});
