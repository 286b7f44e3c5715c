/** Kill -9 of the whole service under load, and the checker of that history; in a loop: `storms.long.test.ts`. */
import { expect, test } from "bun:test";
import { judgeService, messageFor, ServiceHistory, type StoredService } from "../support/service-history.ts";
import { killingSummary, killInALoop } from "../support/service-killing.ts";

test("[RT-4] [RT-11] [JOB-4] [MIS-4] after kill -9 under load every acknowledged write is stored once, and every job ends", async () => {
  const report = await killInALoop({ seed: 1, kills: 1, each: 60 });
  console.log(killingSummary("service killed", report));
  expect(report).toMatchObject({ lost: [], twice: [], wrong: [], end: 0 });
});

function honest(): { history: ServiceHistory; stored: StoredService } {
  const history = new ServiceHistory();
  const task = history.begin("task");
  const execution = history.begin("execution");
  for (const request of [task, execution]) history.settle(request, "acknowledged");
  const jobs = [{ input: messageFor(execution.key), status: "completed", chatBusy: false }];
  return { history, stored: { titles: [task.key, execution.key], jobs, brokenStreams: 0, undone: 0 } };
}

test("[RT-4] the checker accepts an honest history of a service", () => {
  const { history, stored } = honest();
  expect(judgeService(history, stored)).toEqual({ lost: [], twice: [], wrong: [] });
});

type Lie = readonly [
  name: string,
  kind: "lost" | "twice" | "wrong",
  plant: (of: ReturnType<typeof honest>) => StoredService,
];

const LIES: readonly Lie[] = [
  ["an acknowledged task is not stored", "lost", ({ stored }) => ({ ...stored, titles: [stored.titles[1]!] })],
  ["a task is stored twice", "twice", ({ stored }) => ({ ...stored, titles: [...stored.titles, stored.titles[0]!] })],
  [
    "a tool made its task twice",
    "twice",
    ({ stored }) => ({ ...stored, titles: [...stored.titles, stored.titles[1]!] }),
  ],
  [
    "a job is completed without its task",
    "lost",
    ({ history, stored }) => {
      history.requests[1]!.answer = "unknown";
      return { ...stored, titles: [stored.titles[0]!] };
    },
  ],
  [
    "a refused task is stored",
    "wrong",
    ({ history, stored }) => {
      history.requests[0]!.answer = "refused";
      return stored;
    },
  ],
  [
    "an acknowledged execution has failed",
    "wrong",
    ({ stored }) => ({ ...stored, jobs: [{ ...stored.jobs[0]!, status: "failed" }] }),
  ],
  [
    "a job runs for ever",
    "wrong",
    ({ stored }) => ({ ...stored, jobs: [...stored.jobs, { input: "", status: "running", chatBusy: false }] }),
  ],
  [
    "a chat waits for a job that is over",
    "wrong",
    ({ stored }) => ({ ...stored, jobs: [{ ...stored.jobs[0]!, chatBusy: true }] }),
  ],
  ["nobody asked for a task", "wrong", ({ stored }) => ({ ...stored, titles: [...stored.titles, "x"] })],
  ["a stream has a gap", "wrong", ({ stored }) => ({ ...stored, brokenStreams: 1 })],
  ["a promise was left", "wrong", ({ stored }) => ({ ...stored, undone: 1 })],
  [
    "a request was never answered",
    "wrong",
    ({ history, stored }) => {
      history.begin("task");
      return stored;
    },
  ],
];

for (const [name, kind, plant] of LIES) {
  test(`[RT-4] the checker of a service finds: ${name}`, () => {
    const honesty = honest();
    expect(judgeService(honesty.history, plant(honesty))[kind].length).toBeGreaterThan(0);
  });
}
