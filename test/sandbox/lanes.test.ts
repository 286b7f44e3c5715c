/** Who is next: organizations take turns, and what waits is bounded. */
import { expect, test } from "bun:test";
import { settle } from "../support/fake-clock.ts";
import { Pass } from "../../actors/fair-slots.ts";
import { Lanes, MAX_WAITING_BYTES, MAX_WAITING_JOBS } from "../../src/sandbox/lanes.ts";

/** Enters, and notes it; the answer ends the job. */
function bench(lanes: Lanes) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const enter = (lane: string, name: string): void => {
    void lanes.enter(lane, 1).then((place) => {
      if (typeof place === "string") return;
      begun.push(name);
      ends.set(name, () => place.end());
    });
  };
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await settle();
  };
  return { begun, enter, end };
}

test("[GUARD-2] a lane has one job at a time, and the lanes take turns", async () => {
  const { begun, enter, end } = bench(new Lanes(2));
  for (const name of ["a1", "a2", "a3", "a4", "b1", "b2", "c1"]) enter(name.charAt(0), name);
  await end("");
  expect(begun).toEqual(["a1", "b1"]);
  await end("a1");
  await end("b1");
  expect(begun.slice(2)).toEqual(["a2", "b2"]);
  await end("a2");
  expect(begun.slice(4)).toEqual(["c1"]);
  await end("b2");
  await end("c1");
  // Only one lane is left, and it has its one place.
  expect(begun.slice(5)).toEqual(["a3"]);
  await end("a3");
  expect(begun.slice(6)).toEqual(["a4"]);
});

test("[GUARD-2] a lane may be allowed more than one job at a time", async () => {
  const { begun, enter, end } = bench(new Lanes(4, 2));
  for (const name of ["a1", "a2", "a3", "b1"]) enter(name.charAt(0), name);
  await end("");
  expect(begun).toEqual(["a1", "a2", "b1"]);
});

test("[FAIR-4] a lane that has used more than its share of the loop waits behind the others", async () => {
  const { begun, enter, end } = bench(new Lanes(1, 1, (name) => name === "a"));
  for (const name of ["a1", "a2", "b1", "b2"]) enter(name.charAt(0), name);
  for (const name of ["", "a1", "b1", "b2", "a2"]) await end(name);
  expect(begun).toEqual(["a1", "b1", "b2", "a2"]);
});

test("[GUARD-2] the waiting jobs and bytes of a lane are limited, and others are not affected", async () => {
  const jobs = new Lanes(1);
  await jobs.enter("a", 0);
  for (let i = 0; i < MAX_WAITING_JOBS; i++) void jobs.enter("a", 0);
  expect(await jobs.enter("a", 0)).toBe("busy");
  const bytes = new Lanes(1);
  await bytes.enter("a", 1);
  void bytes.enter("a", MAX_WAITING_BYTES);
  expect(await bytes.enter("a", 1)).toBe("busy");
  const other = bytes.enter("b", MAX_WAITING_BYTES);
  expect(await Promise.race([other, Promise.resolve("waits")])).toBe("waits");
});

test("[GUARD-2] a job that is cancelled while it waits leaves its place to the next", async () => {
  const lanes = new Lanes(1);
  const first = await lanes.enter("a", 1);
  const stop = new AbortController();
  const left = lanes.enter("a", 1, stop.signal);
  const next = lanes.enter("a", 1);
  stop.abort();
  expect(await left).toBe("aborted");
  if (typeof first !== "string") first.end();
  expect(await next).toBeInstanceOf(Pass);
});
