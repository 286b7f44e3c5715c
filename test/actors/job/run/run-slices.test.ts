/** The calls of a large step on the event loop. */
import { expect, test } from "bun:test";
import { RUN_SLICE, STEP_UNITS, UNIT_CHARACTERS } from "../../../../actors/job/run/run-slices.ts";
import { jobExecution } from "../../../../actors/job/run/execution.ts";
import { Slices } from "../../../../actors/runtime/fairness/slices.ts";
import { startJobs } from "../../../support/job-replica.ts";
import { World } from "../../../support/replica.ts";

const CALLS = 64;
const RUNS = 16;

test("[FAIR-9] only a few calls of a step start or report per turn of the event loop, and all are in progress together", async () => {
  const slices = new Slices(RUN_SLICE, { later: setImmediate });
  const replica = await startJobs(new World(), {
    execution: (services) => jobExecution({ ...services, runSlices: slices }),
  });
  const perTurn = new Map<number, number>();
  const note = (): void => void perTurn.set(slices.turns, (perTurn.get(slices.turns) ?? 0) + 1);
  const { promise: allBegun, resolve } = Promise.withResolvers<void>();
  replica.tools.script = async () => {
    note();
    if (replica.tools.calls.length === CALLS) resolve();
    // None ends before the last one has begun.
    await allBegun;
    return { content: "done", isError: false };
  };
  const calls = Array.from({ length: CALLS }, (_, i) => ({
    use: { type: "tool_use" as const, id: `c${i}`, name: "look", input: {} },
  }));
  replica.model.script = () => (replica.model.calls.length === 1 ? calls : [{ say: "fine" }]);
  const before = slices.turns;
  const job = await replica.ended(await replica.send("look"));
  expect(job.status).toBe("completed");
  expect([...perTurn.values()].reduce((sum, begun) => sum + begun)).toBe(CALLS);
  expect(Math.max(...perTurn.values())).toBeLessThanOrEqual(RUN_SLICE);
  // Their results too.
  expect(slices.turns - before).toBeGreaterThanOrEqual((2 * CALLS) / RUN_SLICE - 1);
});

/** The most models that are asked in one turn of the event loop, and how often it turned. */
async function askedTogether(
  message: string,
  answer: string,
): Promise<{ readonly most: number; readonly turns: number }> {
  const slices = new Slices(RUN_SLICE, { later: setImmediate });
  const replica = await startJobs(new World(), {
    execution: (services) => jobExecution({ ...services, runSlices: slices }),
  });
  const perTurn = new Map<number, number>();
  replica.model.script = () => {
    perTurn.set(slices.turns, (perTurn.get(slices.turns) ?? 0) + 1);
    return [{ say: answer }];
  };
  const jobs = await Promise.all(Array.from({ length: RUNS }, (_, i) => replica.send(message, `cht_${i}`)));
  for (const id of jobs) expect((await replica.ended(id)).status).toBe("completed");
  expect([...perTurn.values()].reduce((sum, begun) => sum + begun)).toBe(RUNS);
  return { most: Math.max(...perTurn.values()), turns: slices.turns };
}

test("[FAIR-9] of many runs that continue together two call their model per turn of the event loop", async () => {
  expect((await askedTogether("look", "fine")).most).toBeLessThanOrEqual(RUN_SLICE / STEP_UNITS);
});

test("[FAIR-9] with long conversations one run calls its model per turn of the event loop, and long answers are reported one by one", async () => {
  const long = "x".repeat((RUN_SLICE - 1) * UNIT_CHARACTERS);
  const short = await askedTogether("look", "fine");
  const asked = await askedTogether(long, "fine");
  expect(asked.most).toBe(1);
  const answered = await askedTogether("look", long);
  expect(answered.turns).toBeGreaterThanOrEqual(short.turns + RUNS / 2);
});
