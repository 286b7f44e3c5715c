/** Who pays for a request, and who of them is an organization. */
import { expect, test } from "bun:test";
import { newId } from "../../../actors/ids.ts";
import { addressPayer, isAddress, isStranger } from "../../../src/http/admission/fair-turns.ts";
import { slicePace, newLoopTime } from "../../../src/service/loop-time.ts";

test("[FAIR-11] everything except organizations counts as unknown callers: addresses, their accounts, and accounts of people", () => {
  expect(isStranger(newId("org"))).toBe(false);
  for (const payer of [addressPayer("10.0.0.1"), "adr_12ca17b4", newId("usr"), ""])
    expect(isStranger(payer)).toBe(true);
  expect([isAddress(addressPayer("::1")), isAddress(newId("org")), isAddress("adr_12ca17b4")]).toEqual([
    true,
    false,
    false,
  ]);
});

test("[FAIR-11] the service reads the CPU time of its loop, and throttles the organization that uses most", () => {
  const time = newLoopTime(null, 0.05);
  const pace = slicePace(time);
  const [heavy, light] = [newId("org"), newId("org")];
  time.charge(light, "requests", 0.1);
  for (let i = 0; i < 30; i++) time.charge(heavy, "runs", 5);
  expect(pace.waitMs(heavy)).toBeGreaterThan(1);
  expect(pace.waitMs(light)).toBe(0);
  expect(newLoopTime(null).waitMs(heavy)).toBe(0);
});
