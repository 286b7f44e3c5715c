/** A start that hangs says in which step. */
import { expect, test } from "bun:test";
import { SLOW_STEP_MS, StartSteps } from "../../src/service/start-steps.ts";
import { HandClock } from "../support/hand-clock.ts";

function started() {
  const clock = new HandClock();
  const said: unknown[] = [];
  const log = { warn: (fields: object, text: string) => void said.push([text, fields]) };
  return { clock, said, steps: new StartSteps({ clock, log: log as never }) };
}

test("[START-67] a step of the start that takes long is logged, and again while it goes on", () => {
  const { clock, said, steps } = started();
  steps.begin("choosing the models");
  clock.advance(SLOW_STEP_MS - 1);
  steps.begin("migrating the database");
  clock.advance(SLOW_STEP_MS - 1);
  expect(said).toEqual([]);
  clock.advance(1);
  clock.advance(SLOW_STEP_MS);
  const line = (seconds: number) => ["the start takes long", { step: "migrating the database", seconds }];
  expect(said).toEqual([line(10), line(20)]);
  steps.begin("opening the ports");
  steps.end();
  clock.advance(10 * SLOW_STEP_MS);
  expect(said).toHaveLength(2);
});
