/** Turns of organizations on the event loop, whose turns the test makes. */
import { expect, test } from "bun:test";
import {
  FairTurns,
  MAX_STRANGERS_WAITING,
  MAX_WAIT_MS,
  MAX_WAITING,
  QUANTUM_MS,
} from "../../../src/http/admission/fair-turns.ts";
import { settle } from "../../support/fake-clock.ts";

/** `light`: those that have used no more than their share. */
function rig({ isShared = true, light = [] }: { isShared?: boolean; light?: readonly string[] } = {}) {
  let now = 0;
  let due: (() => void)[] = [];
  const time = {
    isShared,
    scale: 1,
    isOverShare: (organizationId: string) => !light.includes(organizationId),
    /** Until when an organization has to wait, in ms. */
    throttled: {} as Record<string, number>,
    waitMs: (organizationId: string): number => Math.max(0, (time.throttled[organizationId] ?? 0) - now),
  };
  const timers: { at: number; run: () => void }[] = [];
  const turns = new FairTurns({
    time,
    clock: {
      monotonic: () => now,
      after(delayMs, run) {
        const timer = { at: now + delayMs, run };
        timers.push(timer);
        return () => void timers.splice(timers.indexOf(timer), 1);
      },
    },
    later: (run) => void due.push(run),
  });
  const order: string[] = [];
  const cost = (organizationId: string, ms: number): void => turns.cost(organizationId, ms);
  return {
    time,
    turns,
    order,
    /** Time passes, and timers that are due run. */
    pass(ms: number): void {
      now += ms;
      for (const timer of timers.filter(({ at }) => at <= now)) {
        timers.splice(timers.indexOf(timer), 1);
        timer.run();
      }
    },
    /** Asks for a turn; what it costs is known as soon as it has it. */
    ask(organizationId: string, ms: number, name = organizationId): void {
      const begun = (isTurn: boolean): void => {
        order.push(isTurn ? name : `${name} refused`);
        if (isTurn) cost(organizationId, ms);
      };
      const turn = turns.enter(organizationId);
      if (turn === null) begun(true);
      else void turn.then(begun);
    },
    /** The loop turns. */
    async turn(): Promise<void> {
      const now = due;
      due = [];
      for (const run of now) run();
      await settle();
    },
    get isIdle(): boolean {
      return due.length === 0;
    },
  };
}

test("[FAIR-2] while only one organization is active nothing waits, whatever it costs", () => {
  const { ask, order, isIdle } = rig({ isShared: false });
  for (let i = 0; i < 2_000; i++) ask("a", 10);
  expect(order).toHaveLength(2_000);
  expect(isIdle).toBe(true);
});

test("[FAIR-2] an organization starts a quantum in each turn of the loop; one with few requests continues at once", async () => {
  const { ask, order, turn } = rig();
  // Five of these are a quantum.
  for (let i = 1; i <= 12; i++) ask("a", QUANTUM_MS / 5, `a${i}`);
  const first = order.length;
  expect(first).toBeGreaterThanOrEqual(5);
  expect(first).toBeLessThan(12);
  ask("b", QUANTUM_MS / 5);
  expect(order.at(-1)).toBe("b");
  await turn();
  expect(order.length).toBeGreaterThan(first + 1);
  for (let i = 0; i < 5; i++) await turn();
  expect(order.filter((name) => name !== "b")).toEqual(Array.from({ length: 12 }, (_, i) => `a${i + 1}`));
});

test("[FAIR-2] the cost of a request beyond its quantum is paid by the next ones, and two equally active organizations get equal shares", async () => {
  const { ask, order, turn } = rig();
  for (let i = 0; i < 40; i++) {
    ask("heavy", 4 * QUANTUM_MS);
    ask("light", QUANTUM_MS);
  }
  for (let i = 0; i < 20; i++) await turn();
  const count = (name: string): number => order.filter((each) => each === name).length;
  expect(count("light") / count("heavy")).toBeGreaterThan(2.5);
  expect(count("heavy")).toBeGreaterThan(3);
});

test("[FAIR-2] an organization within its share has no deficit, however long one of its requests took", async () => {
  const { ask, order, turn } = rig({ light: ["light"] });
  for (let i = 0; i < 100; i++) ask("heavy", QUANTUM_MS / 5);
  ask("light", 100 * QUANTUM_MS);
  for (let i = 0; i < 8; i++) ask("light", QUANTUM_MS / 5);
  await turn();
  await turn();
  expect(order.filter((name) => name === "light")).toHaveLength(9);
  expect(order.filter((name) => name === "heavy").length).toBeLessThan(50);
});

test("[FAIR-2] an organization within its share comes first, with two quanta, and the others get one after it", async () => {
  const { ask, order, turn } = rig({ light: ["light"] });
  for (let i = 0; i < 100; i++) ask("heavy", QUANTUM_MS / 5);
  // Ten of these are two quanta; the estimate of the first ones is less.
  for (let i = 0; i < 80; i++) ask("light", QUANTUM_MS / 5);
  for (let i = 0; i < 4; i++) {
    const before = order.length;
    await turn();
    const begun = order.slice(before);
    expect(begun.slice(0, 9)).toEqual(begun.slice(0, 9).map(() => "light"));
    const heavy = begun.filter((name) => name === "heavy").length;
    expect(heavy).toBeGreaterThan(0);
    expect(heavy).toBeLessThanOrEqual(8);
  }
});

test("[FAIR-2] a loop with work never pauses: deficits are paid at once if all waiting organizations have one", async () => {
  const { ask, order, turn } = rig();
  for (let i = 0; i < 10; i++) ask("a", 40);
  const before = order.length;
  await turn();
  await turn();
  expect(order.length).toBe(before + 2);
});

test("[FAIR-2] 10,000 requests of an organization wait and one more is refused; those of another organization are not", () => {
  const { ask, order, turns } = rig();
  while (turns.waiting === 0) ask("a", QUANTUM_MS);
  while (turns.waiting < MAX_WAITING) ask("a", 1);
  const full = turns.enter("a");
  expect(full).resolves.toBe(false);
  expect(turns.waiting).toBe(MAX_WAITING);
  ask("b", 1);
  expect(order.at(-1)).toBe("b");
});

test("[FAIR-2] a request that has waited for 5 s gets its turn, and one that has waited longer is refused", async () => {
  const { ask, order, turn, turns, pass } = rig();
  while (turns.waiting === 0) ask("a", QUANTUM_MS);
  pass(MAX_WAIT_MS);
  await turn();
  expect(order.at(-1)).toBe("a");
  while (turns.waiting === 0) ask("a", QUANTUM_MS);
  pass(MAX_WAIT_MS + 1);
  for (let i = 0; i < 3; i++) await turn();
  expect(order.at(-1)).toBe("a refused");
  expect(turns.waiting).toBe(0);
});

test("[FAIR-2] an organization without a deficit leaves no record", async () => {
  const { ask, turn, time } = rig();
  const world = rig();
  world.ask("a", 3 * QUANTUM_MS);
  world.time.isShared = false;
  for (let i = 0; i < 5; i++) await world.turn();
  expect(world.isIdle).toBe(true);
  ask("a", 1);
  await turn();
  expect(time.isShared).toBe(true);
});

test("[FAIR-11] requests of an organization that has to wait because of its use start later, and others meanwhile", async () => {
  const { ask, order, turn, pass, time, isIdle } = rig();
  time.throttled["a"] = 30;
  for (let i = 0; i < 3; i++) ask("a", QUANTUM_MS / 10);
  ask("b", QUANTUM_MS / 10);
  expect(order).toEqual(["b"]);
  await turn();
  await turn();
  expect(order).toEqual(["b"]);
  // The loop rests meanwhile: a timer wakes it.
  expect(isIdle).toBe(true);
  ask("b", QUANTUM_MS / 10);
  pass(29);
  await turn();
  expect(order).toEqual(["b", "b"]);
  pass(1);
  await settle();
  expect(order).toEqual(["b", "b", "a", "a", "a"]);
});

test("[FAIR-11] a request that has waited for 5 s is refused, even while its organization may start nothing", async () => {
  const { ask, order, pass, turn, time } = rig();
  time.throttled["a"] = 3 * MAX_WAIT_MS;
  ask("a", QUANTUM_MS / 10);
  pass(MAX_WAIT_MS + 1);
  // Whatever makes the queue look again: here another request.
  ask("b", QUANTUM_MS / 10);
  await turn();
  expect(order).toEqual(["b", "a refused"]);
});

test("[FAIR-2] while a thousand requests wait, callers without a valid token are refused at once", async () => {
  const { ask, turns, time } = rig();
  time.throttled["address 10.0.0.1"] = 50;
  for (let i = 0; i < MAX_STRANGERS_WAITING; i++) ask("address 10.0.0.1", 0.01);
  expect(turns.waiting).toBe(MAX_STRANGERS_WAITING);
  expect(await turns.enter("address 10.0.0.1")).toBe(false);
  expect(turns.waiting).toBe(MAX_STRANGERS_WAITING);
});

test("[FAIR-2] work that starts in a turn of the loop is counted with the CPU time of the loop's thread", async () => {
  const { ask, order, turn, time } = rig();
  time.scale = 5;
  for (let i = 0; i < 100; i++) ask("a", QUANTUM_MS / 10);
  const before = order.length;
  await turn();
  // Two of these take the loop a quantum.
  expect(order.length - before).toBeLessThanOrEqual(8);
  expect(order.length - before).toBeGreaterThan(0);
});
