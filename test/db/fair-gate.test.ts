/** The gate before reads, alone. */
import { expect, test } from "bun:test";
import { FairGate, GATE_WAIT_MS, GateTimeout } from "../../db/fair-gate.ts";
import { settle } from "../support/fake-clock.ts";

/** Work of a gate that a test ends by hand. */
function rig(slots: number, each: number) {
  let now = 0;
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const over = new Set<string>();
  const gate = new FairGate(
    { slots, each },
    { now: () => now, isOverShare: (organizationId) => over.has(organizationId) },
  );
  return {
    gate,
    begun,
    over,
    pass: (ms: number) => void (now += ms),
    ask: (organization: string, name: string): Promise<void> =>
      gate.run(organization, () => {
        begun.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      }),
    end: async (name: string): Promise<void> => {
      ends.get(name)!();
      await settle();
    },
  };
}

test("[RT-16] a gate is idle when nothing runs or waits", async () => {
  const { ask, end, gate } = rig(1, 1);
  await gate.rest();
  for (const name of ["a1", "a2"]) void ask("a", name);
  let isAtRest = false;
  void gate.rest().then(() => (isAtRest = true));
  await settle();
  await end("a1");
  expect(isAtRest).toBe(false);
  await end("a2");
  expect(isAtRest).toBe(true);
  await gate.rest();
});

test("[RT-16] a gate limits concurrent work in total and of one organization", async () => {
  const { begun, ask, end } = rig(3, 2);
  for (const name of ["a1", "a2", "a3"]) void ask("a", name);
  void ask("b", "b1");
  await settle();
  expect(begun).toEqual(["a1", "a2", "b1"]);
  void ask("c", "c1");
  await end("b1");
  expect(begun).toEqual(["a1", "a2", "b1", "c1"]);
  await end("a1");
  expect(begun.at(-1)).toBe("a3");
});

test("[RT-16] waiting work is served one organization after the other, each in its own order", async () => {
  const { begun, ask, end } = rig(1, 1);
  void ask("a", "a0");
  for (const name of ["a1", "a2", "a3"]) void ask("a", name);
  for (const name of ["b1", "b2"]) void ask("b", name);
  void ask("c", "c1");
  for (const name of ["a0", "a1", "b1", "c1", "a2", "b2"]) await end(name);
  expect(begun).toEqual(["a0", "a1", "b1", "c1", "a2", "b2", "a3"]);
});

test("[FAIR-4] organizations over their share of the loop wait behind the others", async () => {
  const { begun, ask, end, over } = rig(1, 1);
  over.add("a");
  void ask("a", "a0");
  for (const name of ["a1", "a2", "b1", "b2"]) void ask(name.charAt(0), name);
  for (const name of ["a0", "b1", "b2", "a1"]) await end(name);
  expect(begun).toEqual(["a0", "b1", "b2", "a1", "a2"]);
});

test("[RT-16] failed work frees its slot, and work that has waited too long is refused", async () => {
  const { begun, ask, end, pass } = rig(1, 1);
  const gate = new FairGate({ slots: 1, each: 1 });
  await expect(gate.run("a", () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(await gate.run("a", () => Promise.resolve("next"))).toBe("next");
  void ask("a", "first");
  const late = ask("a", "late").catch((cause: unknown) => cause);
  pass(GATE_WAIT_MS);
  const inTime = ask("a", "in time");
  pass(1);
  await end("first");
  expect(await late).toBeInstanceOf(GateTimeout);
  expect(begun).toEqual(["first", "in time"]);
  await end("in time");
  await inTime;
});
