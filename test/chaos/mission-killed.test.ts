/** Kill -9 of the service around the fire of a mission; at every commit of a run: `mission-killed.long.test.ts`. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type FireKill, MissionBench, type MissionStory } from "../support/mission-killing.ts";

const ONCE: MissionStory = {
  status: "completed",
  runCount: 1,
  openRuns: 0,
  ledger: ["succeeded"],
  jobs: ["completed"],
  chats: 1,
  answers: ["It is time."],
};

let bench: MissionBench;
beforeAll(async () => void (bench = await MissionBench.open()));
afterAll(() => bench.close());

const POINTS: readonly (readonly [name: string, point: FireKill])[] = [
  ["after the commit of the fire, before its job begins", { nth: 1, moment: "answered" }],
  ["before the commit of the job", { nth: 2, moment: "sent" }],
  ["after the commit of the job, before it runs", { nth: 2, moment: "answered" }],
];

test.each(POINTS)("[MIS-4] kill -9 %s leaves exactly one job for the mission and its time", async (_, point) => {
  expect(await bench.play(point)).toEqual({ story: ONCE, killed: true });
  expect(await bench.undone()).toBe(0);
});
