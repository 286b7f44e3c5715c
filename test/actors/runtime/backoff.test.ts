/** Pauses between tries: what they grow to, and what ends them. */
import { expect, test } from "bun:test";
import { Backoff, pauseMs } from "../../../actors/runtime/backoff.ts";
import { FakeClock, settle } from "../../support/fake-clock.ts";

test("[RT-10] [RT-11] pauses double up to their bound, start over after a reset, and jitter only shortens them", async () => {
  const clock = new FakeClock();
  let fraction = 1;
  const parts = { clock, chance: { fraction: () => fraction } };
  const backoff = new Backoff(parts, { firstMs: 50, lastMs: 300 });
  expect([1, 2, 3, 4, 5].map(() => backoff.next())).toEqual([50, 100, 200, 300, 300]);
  backoff.reset();
  expect(backoff.next()).toBe(50);
  const jittered = new Backoff(parts, { firstMs: 100, lastMs: 1_000 });
  fraction = 0;
  expect([1, 2].map(() => jittered.next())).toEqual([80, 160]);
  fraction = 0.5;
  expect(jittered.next()).toBe(360);
  // A pause that the other side asks for is kept, and does not change the ones after it.
  expect(jittered.next(5_000)).toBe(5_000);
  expect(jittered.next(10)).toBe(900);
  expect(pauseMs({ firstMs: 1_000, lastMs: 60_000, jitter: 0.5 }, 1, parts.chance)).toBe(1_500);
  expect(pauseMs({ firstMs: 1_000, lastMs: 60_000 }, 5_000, { fraction: () => 1 })).toBe(60_000);
  fraction = 1;
  let isOver = false;
  const pause = new Backoff(parts, { firstMs: 50, lastMs: 50 }).pause().then(() => (isOver = true));
  await clock.advance(49);
  expect(isOver).toBe(false);
  await clock.advance(1);
  await pause;
  const abort = new AbortController();
  const aborted = new Backoff(parts, { firstMs: 1_000, lastMs: 1_000 }).pause(abort.signal);
  abort.abort();
  await aborted;
  await new Backoff(parts, { firstMs: 1_000, lastMs: 1_000 }).pause(abort.signal);
  await settle();
  expect(clock.pending).toBe(0);
});
