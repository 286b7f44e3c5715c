import { expect, test } from "bun:test";
import { longestGap } from "./chaos-load.ts";

test("[REP-10] a time without a success counts for the fault in which it was, from its beginning", () => {
  // Silent from 1.0 s to 9.0 s, and a fault begins at 8.0 s.
  const times = [500, 1_000, 9_000, 9_100, 12_000];
  expect(longestGap(times, 8_000, 10_000)).toBe(1_000);
  expect(longestGap(times, 0, 8_000)).toBe(7_000);
  expect(longestGap(times, 9_000, 13_000)).toBe(2_900);
  expect(longestGap([], 1_000, 3_000)).toBe(2_000);
});
