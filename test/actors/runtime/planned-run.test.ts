/** When a queue runs next. */
import { expect, test } from "bun:test";
import { PlannedRun } from "../../../actors/runtime/fairness/slices.ts";

function rig() {
  let next: (() => void)[] = [];
  const timers: { delayMs: number; run: () => void }[] = [];
  let runs = 0;
  const turn = new PlannedRun(
    {
      later: (run) => void next.push(run),
      after(delayMs, run) {
        const timer = { delayMs, run };
        timers.push(timer);
        return () => void timers.splice(timers.indexOf(timer), 1);
      },
    },
    () => void runs++,
  );
  return {
    turn,
    timers,
    get planned() {
      return next.length;
    },
    get runs() {
      return runs;
    },
    pass(): void {
      const now = next;
      next = [];
      for (const run of now) run();
    },
  };
}

test("[FAIR-11] work that may start soon is planned for the next turn of the loop, once", () => {
  const stage = rig();
  stage.turn.plan(0);
  stage.turn.plan(0.9);
  stage.turn.plan(50);
  expect([stage.planned, stage.timers.length]).toEqual([1, 0]);
  stage.pass();
  expect(stage.runs).toBe(1);
});

test("[FAIR-11] work that has to wait is planned by a timer, which earlier work replaces", () => {
  const stage = rig();
  stage.turn.plan(20.2);
  expect(stage.timers.map(({ delayMs }) => delayMs)).toEqual([21]);
  stage.turn.plan(5);
  expect(stage.timers.map(({ delayMs }) => delayMs)).toEqual([5]);
  stage.turn.plan(0);
  expect([stage.planned, stage.timers.length]).toEqual([1, 0]);
  stage.pass();
  expect(stage.runs).toBe(1);
  stage.turn.plan(3);
  stage.timers[0]!.run();
  expect(stage.runs).toBe(2);
  stage.turn.plan(0);
  stage.pass();
  expect(stage.runs).toBe(3);
});
