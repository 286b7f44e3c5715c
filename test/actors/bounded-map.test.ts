import { expect, test } from "bun:test";
import { BoundedMap } from "../../actors/bounded-map.ts";

test("[AUTH-1] the memory is limited: all entries up to the limit are kept, one more evicts the oldest unused entry", () => {
  const map = new BoundedMap<number>(3);
  for (const [i, key] of ["a", "b", "c"].entries()) map.set(key, i);
  expect(map.size).toBe(3);
  expect(map.get("a")).toBe(0);
  map.set("d", 3);
  expect([map.size, map.get("a"), map.get("b"), map.get("c"), map.get("d")]).toEqual([3, 0, undefined, 2, 3]);
});
