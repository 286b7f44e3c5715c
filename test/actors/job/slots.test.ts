import { expect, test } from "bun:test";
import fc from "fast-check";
import { RUNNING_JOBS, RUNNING_JOBS_OF_ORGANIZATION, Slots } from "../../../actors/job/slots.ts";
import { settle } from "../../support/fake-clock.ts";

const never = new AbortController().signal;

/** Asks for a place; `order` gets the name when it is given. */
function asker(slots: Slots, order: string[] = []) {
  return (organization: string, name = organization, signal = never): Promise<(() => void) | null> =>
    slots
      .acquire(organization, signal)
      .then((release) => (order.push(release === null ? `${name} left` : name), release));
}

test("[JOB-10] 64 jobs run in a process and 16 of one organization; one more of either waits for an end", async () => {
  const order: string[] = [];
  const ask = asker(new Slots(), order);
  const places = [];
  for (let i = 0; i < RUNNING_JOBS; i++) places.push(await ask(`org${Math.floor(i / RUNNING_JOBS_OF_ORGANIZATION)}`));
  expect(order.length).toBe(RUNNING_JOBS);
  void ask("other");
  await settle();
  expect(order.length).toBe(RUNNING_JOBS);
  places[0]!();
  await settle();
  expect(order.at(-1)).toBe("other");
});

test("[JOB-10] an organization at its bound waits, and lets others pass", async () => {
  const order: string[] = [];
  const ask = asker(new Slots(4, 2), order);
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

test("[JOB-10] the oldest that may run is next", async () => {
  const order: string[] = [];
  const ask = asker(new Slots(1, 1), order);
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

test("[JOB-10] who is aborted while it waits leaves the queue; one aborted before gets nothing", async () => {
  const order: string[] = [];
  const slots = new Slots(1, 1);
  const ask = asker(slots, order);
  const release = await ask("a", "a1");
  const abort = new AbortController();
  void ask("b", "b1", abort.signal);
  void ask("c", "c1");
  abort.abort();
  await settle();
  expect(await slots.acquire("d", abort.signal)).toBeNull();
  release!();
  await settle();
  expect(order).toEqual(["a1", "b1 left", "c1"]);
});

test("[JOB-10] a place that is given back twice is given back once", async () => {
  const order: string[] = [];
  const ask = asker(new Slots(1, 1), order);
  const release = await ask("a", "a1");
  void ask("b", "b1");
  void ask("c", "c1");
  release!();
  release!();
  await settle();
  expect(order).toEqual(["a1", "b1"]);
});

test("[JOB-10] an abort after the place was given does not give it back, and leaves no listener", async () => {
  const slots = new Slots(1, 1);
  const abort = new AbortController();
  const first = await slots.acquire("a", never);
  const waiting = slots.acquire("b", abort.signal);
  first!();
  const second = await waiting;
  abort.abort();
  const order: string[] = [];
  void asker(slots, order)("c", "c1");
  await settle();
  expect(order).toEqual([]);
  second!();
  await settle();
  expect(order).toEqual(["c1"]);
});

test("[JOB-10] in any order of starts, ends and aborts no bound is passed, no place is lost and nobody who may run waits", async () => {
  const step = fc.record({
    kind: fc.constantFrom("acquire", "release", "abort"),
    organization: fc.constantFrom("a", "b", "c"),
    pick: fc.nat(50),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (script) => {
      const slots = new Slots(3, 2);
      const held: { organization: string; release: () => void }[] = [];
      const waiting: { organization: string; abort: AbortController }[] = [];
      for (const { kind, organization, pick } of script) {
        if (kind === "acquire") {
          const entry = { organization, abort: new AbortController() };
          waiting.push(entry);
          void slots.acquire(organization, entry.abort.signal).then((release) => {
            waiting.splice(waiting.indexOf(entry), 1);
            if (release !== null) held.push({ organization, release });
          });
        } else if (kind === "release") held.splice(pick % Math.max(1, held.length), 1)[0]?.release();
        else waiting[pick % Math.max(1, waiting.length)]?.abort.abort();
        await settle();
        const of = (name: string): number => held.filter((h) => h.organization === name).length;
        expect(held.length).toBeLessThanOrEqual(3);
        for (const name of ["a", "b", "c"]) expect(of(name)).toBeLessThanOrEqual(2);
        if (held.length < 3) for (const w of waiting) expect(of(w.organization)).toBe(2);
      }
    }),
    { numRuns: 60 },
  );
});
