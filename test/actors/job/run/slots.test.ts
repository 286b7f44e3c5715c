import { expect, test } from "bun:test";
import fc from "fast-check";
import { CallsUnderWay, JobSlot } from "../../../../actors/job/run/job-slot.ts";
import {
  DEFAULT_SLOTS,
  type LoopShares,
  SHARE_LOOK_MS,
  type SlotRequest,
  Slots,
} from "../../../../actors/job/run/slots.ts";
import type { JobPriority } from "../../../../actors/job/terms.ts";
import { FakeClock, settle } from "../../../support/fake-clock.ts";

const never = new AbortController().signal;

/** Who asks in the name of this organization. */
const of = (organizationId: string, priority: JobPriority = "medium", since = 0): SlotRequest => ({
  organizationId,
  priority,
  since,
});

const overShare = (over: ReadonlySet<string>, clock = new FakeClock()): LoopShares => ({
  isOver: (organizationId) => over.has(organizationId),
  clock,
});

/** Asks for a place; `order` gets the name when it is given. */
function asker(slots: Slots, order: string[] = []) {
  return (who: string | SlotRequest, name = String(who), signal = never): Promise<(() => void) | null> =>
    slots
      .acquire(typeof who === "string" ? of(who) : who, signal)
      .then((pass) => (order.push(pass === null ? `${name} left` : name), pass && (() => pass.end())));
}

test("[JOB-10] 64 jobs run in a process; one more waits until one ends", async () => {
  const order: string[] = [];
  const ask = asker(new Slots(), order);
  const places = [];
  for (let i = 0; i < DEFAULT_SLOTS.inProcess; i++) places.push(await ask(`org${i}`));
  expect(order.length).toBe(DEFAULT_SLOTS.inProcess);
  void ask("other");
  await settle();
  expect(order.length).toBe(DEFAULT_SLOTS.inProcess);
  places[0]!();
  await settle();
  expect(order.at(-1)).toBe("other");
});

test("[JOB-10] an organization at its limit waits, and does not block others", async () => {
  const order: string[] = [];
  const ask = asker(new Slots({ inProcess: 3, ofOrganization: 2 }), order);
  const [first] = [await ask("a", "a1"), await ask("a", "a2")];
  void ask("a", "a3");
  void ask("a", "a4");
  void ask("b", "b1");
  await settle();
  expect(order).toEqual(["a1", "a2", "b1"]);
  first!();
  await settle();
  expect(order).toEqual(["a1", "a2", "b1", "a3"]);
});

test("[JOB-10] an organization that is alone has 48 of 64 slots, and each further one gets three quarters of the rest", async () => {
  const order: string[] = [];
  const ask = asker(new Slots(), order);
  const places: (() => void)[] = [];
  for (let i = 0; i < 48; i++) void ask("a").then((end) => places.push(end!));
  void ask("a", "one more of a");
  for (const [name, count] of [
    ["b", 12],
    ["c", 3],
    ["d", 1],
  ] as const) {
    for (let i = 0; i < count; i++) void ask(name);
    void ask(name, `one more of ${name}`);
  }
  void ask("e");
  await settle();
  const counts = Map.groupBy(order, String);
  expect([...counts].map(([name, taken]) => [name, taken.length])).toEqual([
    ["a", 48],
    ["b", 12],
    ["c", 3],
    ["d", 1],
  ]);
  // What ends of the largest goes to the smallest.
  for (const end of places.slice(0, 4)) end();
  await settle();
  expect(order.slice(64)).toEqual(["one more of d", "e", "one more of c"]);
});

test("[JOB-10] whatever organizations ask for, one that comes later finds a slot once jobs have ended", async () => {
  const slots = new Slots();
  const held = new Map<string, (() => void)[]>();
  const names = Array.from({ length: 20 }, (_, i) => `org${i}`);
  for (const name of names) {
    held.set(name, []);
    for (let i = 0; i < 100; i++) void asker(slots)(name).then((end) => held.get(name)!.push(end!));
  }
  await settle();
  expect([slots.inUse, slots.acquireNow(of("newcomer"))]).toEqual([64, null]);
  for (let round = 0; round < 60; round++) {
    for (const name of names) held.get(name)!.shift()?.();
    await settle();
  }
  expect(slots.inUse).toBeWithin(60, 64);
  expect(slots.acquireNow(of("newcomer"))).not.toBeNull();
});

test("[JOB-10] an organization that is alone has three quarters of the slots, or its configured number if that is more", () => {
  const taken = (inProcess: number, ofOrganization: number): number => {
    const slots = new Slots({ inProcess, ofOrganization });
    while (slots.acquireNow(of("a")) !== null);
    return slots.inUse;
  };
  expect([taken(1, 1), taken(1, 16), taken(2, 1), taken(4, 2), taken(64, 4)]).toEqual([1, 1, 1, 3, 48]);
  expect([taken(64, 60), taken(64, 64), taken(4, 16)]).toEqual([60, 64, 4]);
});

test("[FAIR-4] [JOB-10] an organization that uses more than its share of the loop has 16 slots, also where more are free", async () => {
  const order: string[] = [];
  const over = new Set(["a"]);
  const slots = new Slots(undefined, overShare(over));
  const ask = asker(slots, order);
  const places = [];
  for (let i = 0; i < 16; i++) places.push(await ask("a"));
  void ask("a", "a17");
  void ask("a", "a18");
  await ask("b");
  expect(slots.inUse).toBe(17);
  over.clear();
  places[0]!();
  await settle();
  expect(order.slice(16)).toEqual(["b", "a17", "a18"]);
});

test("[FAIR-4] [JOB-10] an organization that is within its share again starts the jobs that waited before new ones", async () => {
  const order: string[] = [];
  const over = new Set(["a"]);
  const slots = new Slots({ inProcess: 6, ofOrganization: 2 }, overShare(over));
  const ask = asker(slots, order);
  for (const name of ["a1", "a2"]) await ask("a", name);
  void ask(of("a", "urgent", 1), "urgent");
  void ask(of("a", "low", 2), "low");
  await settle();
  over.clear();
  void ask(of("a", "low", 3), "new");
  expect(slots.acquireNow(of("a"))).toBeNull();
  await settle();
  expect(order).toEqual(["a1", "a2", "urgent", "low"]);
});

test("[FAIR-4] [JOB-10] an organization that is within its share again starts the jobs that waited, although nothing else happens", async () => {
  const order: string[] = [];
  const over = new Set(["a"]);
  const clock = new FakeClock();
  const slots = new Slots({ inProcess: 6, ofOrganization: 2 }, overShare(over, clock));
  const ask = asker(slots, order);
  const leaving = new AbortController();
  for (let i = 0; i < 5; i++) void ask("a", "a", leaving.signal);
  await clock.advance(10 * SHARE_LOOK_MS);
  expect([order.length, clock.pending]).toEqual([2, 1]);
  over.clear();
  await clock.advance(SHARE_LOOK_MS);
  // All slots that an organization has that is alone; the last entry waits for the end of a job, and for no timer.
  expect([order.length, clock.pending]).toEqual([4, 0]);
  leaving.abort();
});

test("[FAIR-4] [JOB-10] an organization that has used more than its share of the loop waits behind those that have not", async () => {
  const order: string[] = [];
  const over = new Set(["a"]);
  const ask = asker(new Slots({ inProcess: 1, ofOrganization: 1 }, overShare(over)), order);
  const first = await ask("a", "a1");
  for (const name of ["a2", "a3"]) void ask("a", name);
  const [b1, b2] = [ask("b", "b1"), ask("b", "b2")];
  first!();
  await settle();
  (await b1)!();
  await settle();
  expect(order).toEqual(["a1", "b1", "b2"]);
  // Nobody else waits: it has its turn all the same.
  (await b2)!();
  await settle();
  expect(order).toEqual(["a1", "b1", "b2", "a2"]);
});

test("[JOB-10] within an organization the highest priority is next, and within a priority the oldest job", async () => {
  const order: string[] = [];
  const ask = asker(new Slots({ inProcess: 1, ofOrganization: 1 }), order);
  let release = await ask("a", "first");
  const asked = [
    ask(of("a", "low", 1), "low"),
    ask(of("a", "medium", 3), "younger"),
    ask(of("a", "medium", 2), "older"),
    ask(of("a", "urgent", 9), "urgent"),
    ask(of("a", "high", 8), "high"),
  ];
  for (let count = 2; count <= 6; count++) {
    release!();
    await settle();
    expect(order.length).toBe(count);
    const next = asked[["low", "younger", "older", "urgent", "high"].indexOf(order.at(-1)!)]!;
    release = await next;
  }
  expect(order).toEqual(["first", "urgent", "high", "older", "younger", "low"]);
});

test("[JOB-10] organizations take turns: however much and however urgently one requests, another waits for one slot of each", async () => {
  const order: string[] = [];
  const slots = new Slots({ inProcess: 1, ofOrganization: 1 });
  const ask = asker(slots, order);
  const held: (() => void)[] = [];
  const asking = (who: SlotRequest, name: string): void => {
    void ask(who, name).then((release) => release !== null && held.push(release));
  };
  asking(of("flood"), "flood");
  await settle();
  for (let i = 0; i < 50; i++) asking(of("flood", "urgent", i), "flood");
  asking(of("b", "low", 1_000), "b");
  asking(of("c", "low", 1_000), "c");
  asking(of("b", "low", 2_000), "b");
  for (let i = 0; i < 6; i++) {
    held.shift()!();
    await settle();
  }
  expect(order).toEqual(["flood", "flood", "b", "c", "flood", "b", "flood"]);
});

test("[JOB-10] the oldest job that may run is next", async () => {
  const order: string[] = [];
  const ask = asker(new Slots({ inProcess: 1, ofOrganization: 1 }), order);
  const first = await ask("a", "a1");
  for (const [organization, name] of [
    ["b", "b1"],
    ["a", "a2"],
    ["c", "c1"],
  ] as const)
    void ask(organization, name);
  first!();
  await settle();
  expect(order).toEqual(["a1", "b1"]);
});

test("[JOB-10] a waiter that is aborted leaves the queue; one that was aborted before gets nothing", async () => {
  const order: string[] = [];
  const slots = new Slots({ inProcess: 1, ofOrganization: 1 });
  const ask = asker(slots, order);
  const release = await ask("a", "a1");
  const abort = new AbortController();
  void ask("b", "b1", abort.signal);
  void ask("c", "c1");
  abort.abort();
  await settle();
  expect(await slots.acquire(of("d"), abort.signal)).toBeNull();
  release!();
  await settle();
  expect(order).toEqual(["a1", "b1 left", "c1"]);
});

test("[JOB-10] a slot that is released twice counts once", async () => {
  const order: string[] = [];
  const ask = asker(new Slots({ inProcess: 1, ofOrganization: 1 }), order);
  const release = await ask("a", "a1");
  void ask("b", "b1");
  void ask("c", "c1");
  release!();
  release!();
  await settle();
  expect(order).toEqual(["a1", "b1"]);
});

test("[JOB-10] an abort after the slot was granted does not release it, and leaves no listener", async () => {
  const slots = new Slots({ inProcess: 1, ofOrganization: 1 });
  const abort = new AbortController();
  const first = await slots.acquire(of("a"), never);
  const waiting = slots.acquire(of("b"), abort.signal);
  first!.end();
  const second = await waiting;
  abort.abort();
  const order: string[] = [];
  void asker(slots, order)("c", "c1");
  await settle();
  expect(order).toEqual([]);
  second!.end();
  await settle();
  expect(order).toEqual(["c1"]);
});

test("[JOB-10] in any order of starts, ends and aborts no limit is exceeded, no slot is lost, and no job that may run waits", async () => {
  const step = fc.record({
    kind: fc.constantFrom("acquire", "release", "abort", "share"),
    organization: fc.constantFrom("a", "b", "c"),
    pick: fc.nat(50),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (script) => {
      const over = new Set<string>();
      const slots = new Slots({ inProcess: 6, ofOrganization: 2 }, overShare(over));
      const held: { organization: string; release: () => void }[] = [];
      const waiting: { organization: string; abort: AbortController }[] = [];
      for (const { kind, organization, pick } of script) {
        if (kind === "acquire") {
          const entry = { organization, abort: new AbortController() };
          waiting.push(entry);
          void slots.acquire(of(organization), entry.abort.signal).then((pass) => {
            waiting.splice(waiting.indexOf(entry), 1);
            if (pass !== null) held.push({ organization, release: () => pass.end() });
          });
        } else if (kind === "share") {
          if (!over.delete(organization)) over.add(organization);
        } else if (kind === "release") held.splice(pick % Math.max(1, held.length), 1)[0]?.release();
        else waiting[pick % Math.max(1, waiting.length)]?.abort.abort();
        await settle();
        const holds = (name: string): number => held.filter((h) => h.organization === name).length;
        expect(held.length).toBeLessThanOrEqual(6);
        for (const name of ["a", "b", "c"]) expect(holds(name)).toBeLessThanOrEqual(4);
        const free = 6 - held.length;
        for (const w of waiting) {
          const own = holds(w.organization);
          if (own < 2) expect(own).toBeGreaterThanOrEqual(2 * free);
          if ((kind === "release" || kind === "acquire") && !over.has(w.organization))
            expect(own).toBeGreaterThanOrEqual(2 * free);
        }
        expect(slots.inUse).toBe(held.length);
      }
      for (const { abort } of waiting) abort.abort();
      for (const { release } of held) release();
      expect(slots.inUse).toBe(0);
    }),
    { numRuns: 60 },
  );
});

test("[JOB-10] a slot is released while no call of a step works and some wait, and kept otherwise", async () => {
  const slots = new Slots({ inProcess: 1, ofOrganization: 1 });
  const place = new JobSlot(slots, of("a"));
  const isFree = async (): Promise<boolean> => {
    const abort = new AbortController();
    const asked = slots.acquire(of("a"), abort.signal);
    abort.abort();
    const release = await asked;
    release?.end();
    return release !== null;
  };
  expect(await place.take(never)).toBe(true);
  const calls = new CallsUnderWay(place, 3);
  const [first, second, third] = [calls.call(), calls.call(), calls.call()];
  first.waits();
  second.ends();
  second.ends();
  expect(await isFree()).toBe(false);
  third.ends();
  expect(await isFree()).toBe(true);
  first.ends();
  expect(await place.take(never)).toBe(true);
  expect(await isFree()).toBe(false);
  const over = new CallsUnderWay(place, 1).call();
  over.ends();
  expect(await isFree()).toBe(false);
  place.release();
  place.release();
  expect(await isFree()).toBe(true);
});
