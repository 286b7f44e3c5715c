import { expect, test } from "bun:test";
import { CLOCK_SKEW_MS } from "../../actors/runtime/ports.ts";
import type { Taken } from "../../db/sweeps.ts";
import { BATCH_ROWS, LEAST_SWEEP_REST_MS, SMALL_BATCH_ROWS, startSweeper } from "../../src/service/sweeper.ts";
import { until } from "../support/condition.ts";
import { HandClock } from "../support/hand-clock.ts";

const INTERVAL_MS = 60_000;

/** A sweeper over sweeps of these names, each batch of which takes what `answer` says. */
function sweeping(
  names: readonly string[],
  answer: (name: string, limit: number) => Promise<Taken>,
  databaseNow?: (now: number) => Promise<number>,
) {
  const clock = new HandClock();
  const batches: string[] = [];
  const told: string[] = [];
  const tell = (level: string) => (fields: object, message: string) =>
    void told.push(`${level} ${(fields as { sweep?: string }).sweep}: ${message}`);
  const sweeper = startSweeper({
    sweeps: names.map((name) => ({ name })),
    take: ({ name }, { now, limit }) => {
      batches.push(limit === BATCH_ROWS ? `${name} at ${now}` : `${name} in small batches`);
      return answer(name, limit);
    },
    databaseNow: () => databaseNow?.(clock.now()) ?? Promise.resolve(clock.now()),
    intervalMs: INTERVAL_MS,
    clock,
    chance: { fraction: () => 0.5 },
    log: { info: tell("info"), error: tell("error") } as never,
  });
  return { clock, batches, told, sweeper };
}
const turns = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) await new Promise<void>((resolve) => setImmediate(resolve));
};

test("[SSE-10] the first round starts within an interval, the next one after another; an empty round is not logged", async () => {
  const { clock, batches, told, sweeper } = sweeping(["a", "b"], () => Promise.resolve({ deleted: 0, isDone: true }));
  clock.advance(INTERVAL_MS / 2 - 1);
  await turns();
  expect(batches).toEqual([]);
  clock.advance(1);
  await until("the first round", () => batches.length === 2);
  expect(batches).toEqual(["a at 30000", "b at 30000"]);
  await turns();
  clock.advance(INTERVAL_MS);
  await until("the second round", () => batches.length === 4);
  expect(told).toEqual([]);
  await sweeper.stop();
});

test("[SSE-10] a clock that differs from the database's by more than ten minutes deletes nothing, either way, and says so", async () => {
  let aheadMs = 0;
  let isAway = false;
  const { clock, batches, told, sweeper } = sweeping(
    ["a"],
    () => Promise.resolve({ deleted: 0, isDone: true }),
    (now) => (isAway ? Promise.reject(new Error("away")) : Promise.resolve(now - aheadMs)),
  );
  const round = async (): Promise<void> => {
    clock.advance(INTERVAL_MS);
    await turns();
  };
  const differ = "error undefined: this machine's clock and the database's differ: no expired data is deleted";
  for (const wrong of [400 * 86_400_000, CLOCK_SKEW_MS + 1, -CLOCK_SKEW_MS - 1]) {
    aheadMs = wrong;
    await round();
    expect([batches, told.splice(0)]).toEqual([[], [differ]]);
  }
  isAway = true;
  await round();
  expect(told.splice(0)[0]).toStartWith("error undefined: the database's clock could not be read");
  isAway = false;
  for (const right of [CLOCK_SKEW_MS, -CLOCK_SKEW_MS]) {
    aheadMs = right;
    await round();
    expect([batches.splice(0).length, told]).toEqual([1, []]);
  }
  await sweeper.stop();
});

test("[SSE-10] a clock that is set during a round changes nothing in it", async () => {
  const { clock, batches, sweeper } = sweeping(["a"], () => Promise.resolve({ deleted: BATCH_ROWS, isDone: false }));
  clock.advance(INTERVAL_MS / 2);
  await until("the first batch", () => batches.length === 1);
  clock.now = () => clock.at + 400 * 86_400_000;
  await turns();
  clock.advance(LEAST_SWEEP_REST_MS);
  await until("the second batch", () => batches.length === 2);
  expect(batches).toEqual(["a at 30000", `a at ${30_000 + LEAST_SWEEP_REST_MS}`]);
  await sweeper.stop();
});

test("[SSE-10] it pauses between batches, until nothing is left", async () => {
  const left = [BATCH_ROWS, BATCH_ROWS, 7];
  const { clock, batches, told, sweeper } = sweeping(["a"], () =>
    Promise.resolve({ deleted: left.shift()!, isDone: left.length === 0 }),
  );
  clock.advance(INTERVAL_MS / 2);
  for (const [n, rest] of [
    [1, LEAST_SWEEP_REST_MS],
    [2, LEAST_SWEEP_REST_MS],
    [3, 0],
  ] as const) {
    await until(`batch ${n}`, () => batches.length === n);
    await turns();
    expect(batches).toHaveLength(n);
    clock.advance(rest);
  }
  await until("it is told", () => told.length === 1);
  expect(told).toEqual(["info a: deleted expired data"]);
  await sweeper.stop();
});

test("[SSE-10] after a batch that was too large it continues in small ones", async () => {
  const left = [SMALL_BATCH_ROWS, 3];
  const { clock, batches, told, sweeper } = sweeping(["a"], (_name, limit) =>
    limit > SMALL_BATCH_ROWS
      ? Promise.reject(new Error("too slow"))
      : Promise.resolve({ deleted: left.shift()!, isDone: left.length === 0 }),
  );
  clock.advance(INTERVAL_MS / 2);
  for (let n = 1; n <= 3; n++) {
    await until(`batch ${n}`, () => batches.length === n);
    await turns();
    clock.advance(LEAST_SWEEP_REST_MS);
  }
  await until("it is told", () => told.length === 1);
  expect(batches.slice(1)).toEqual(["a in small batches", "a in small batches"]);
  expect(told).toEqual(["info a: deleted expired data"]);
  await sweeper.stop();
});

test("[SSE-10] a failing sweep is logged once, does not block the others, and is retried", async () => {
  const { clock, batches, told, sweeper } = sweeping(["a", "b"], (name) =>
    name === "a" ? Promise.reject(new Error("no database")) : Promise.resolve({ deleted: 1, isDone: true }),
  );
  for (const round of [1, 2]) {
    await turns();
    clock.advance(round === 1 ? INTERVAL_MS / 2 : INTERVAL_MS);
    await until("the first try", () => batches.length === 3 * round - 2);
    await turns();
    clock.advance(LEAST_SWEEP_REST_MS);
    await until("all of the round", () => told.length === 2 * round);
  }
  expect(batches.map((batch) => batch.replace(/ at .*/, ""))).toEqual([
    "a",
    "a in small batches",
    "b",
    "a",
    "a in small batches",
    "b",
  ]);
  expect(told.map((line) => line.split(":")[0])).toEqual(["error a", "info b", "error a", "info b"]);
  await sweeper.stop();
});

test("[SSE-10] it stops at once while waiting, and after its batch while working", async () => {
  const idle = sweeping(["a"], () => Promise.reject(new Error("never asked")));
  await idle.sweeper.stop();
  idle.clock.advance(INTERVAL_MS * 2);
  await turns();
  expect(idle.batches).toEqual([]);

  const batch = Promise.withResolvers<Taken>();
  const busy = sweeping(["a", "b"], () => batch.promise);
  busy.clock.advance(INTERVAL_MS / 2);
  await until("it works", () => busy.batches.length === 1);
  let hasStopped = false;
  const stopped = busy.sweeper.stop().then(() => (hasStopped = true));
  await turns();
  expect(hasStopped).toBe(false);
  batch.resolve({ deleted: BATCH_ROWS, isDone: false });
  await stopped;
  expect(busy.batches).toHaveLength(1);
});
