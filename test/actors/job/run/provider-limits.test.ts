/** One limiter for each provider: a refusal slows all of its calls, and they come back one by one. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  type CallPass,
  FORGET_MS,
  type Limiter,
  OPEN_WINDOW,
  ProviderLimits,
} from "../../../../actors/job/run/provider-limits.ts";
import { FakeClock, settle } from "../../../support/fake-clock.ts";

const NEVER = new AbortController().signal;

/** Calls that have asked for a pass; those that have one, in order. */
function callers(limiter: Limiter, organizationId = "org_a") {
  const passes: CallPass[] = [];
  return {
    passes,
    ask: (count: number, signal = NEVER) => {
      for (let i = 0; i < count; i++)
        void limiter.enter(signal, organizationId).then((pass) => pass !== null && passes.push(pass));
    },
  };
}

test("[RUN-8] without limits every call passes at once", async () => {
  const { ask, passes } = callers(new ProviderLimits(new FakeClock()).of("a"));
  ask(1_000);
  await settle();
  expect(passes.length).toBe(1_000);
});

test("[RUN-29] a limiter with a limit of calls never admits more at once, also after a refusal", async () => {
  const clock = new FakeClock();
  const limits = new ProviderLimits(clock);
  const { ask, passes } = callers(limits.of("a", 2));
  ask(9);
  const atOnce: number[] = [];
  for (const how of ["answered", "limited", "answered", "answered", "answered"] as const) {
    await settle();
    const through = passes.splice(0);
    atOnce.push(through.length);
    for (const pass of through) pass.end({ kind: how, pauseMs: how === "limited" ? 1_000 : null });
    await clock.advance(1_000);
  }
  expect(atOnce).toEqual([2, 2, 1, 2, 2]);
  expect(limits.size).toBe(0);
});

test("[RUN-29] organizations take turns at a provider that takes one call at once", async () => {
  const clock = new FakeClock();
  const limiter = new ProviderLimits(clock).of("a", 1);
  const [many, one] = [callers(limiter, "org_many"), callers(limiter, "org_one")];
  many.ask(100);
  await settle();
  one.ask(1);
  for (let ended = 0; ended < 2; ended++) {
    many.passes[ended]?.end({ kind: "answered", pauseMs: null });
    await settle();
  }
  expect([many.passes.length, one.passes.length]).toEqual([2, 1]);
});

test("[RUN-8] a refusal pauses all calls of its provider, but none of another provider", async () => {
  const clock = new FakeClock();
  const limits = new ProviderLimits(clock);
  const a = callers(limits.of("a"));
  const b = callers(limits.of("b"));
  a.ask(1);
  await settle();
  a.passes[0]!.end({ kind: "limited", pauseMs: 30_000 });
  expect(limits.of("a").pauseMs).toBe(30_000);
  a.ask(3);
  b.ask(3);
  await clock.advance(29_999);
  expect([a.passes.length, b.passes.length]).toEqual([1, 3]);
  await clock.advance(1);
  await settle();
  expect(a.passes.length).toBe(2);
});

test("[RUN-8] after a refusal calls resume one by one: each success admits one more at a time", async () => {
  const clock = new FakeClock();
  const { ask, passes } = callers(new ProviderLimits(clock).of("a"));
  ask(64);
  await settle();
  for (const pass of passes.splice(0)) pass.end({ kind: "limited", pauseMs: 1_000 });
  ask(64);
  await clock.advance(1_000);
  const atOnce: number[] = [];
  for (let round = 0; round < 5; round++) {
    await settle();
    const through = passes.splice(0);
    atOnce.push(through.length);
    for (const pass of through) pass.end({ kind: "answered", pauseMs: null });
  }
  expect(atOnce).toEqual([1, 2, 4, 8, 16]);
});

test("[RUN-8] an answer whose rate headers report no remaining calls pauses the next ones", async () => {
  const clock = new FakeClock();
  const limiter = new ProviderLimits(clock).of("a");
  const { ask, passes } = callers(limiter);
  ask(1);
  await settle();
  passes[0]!.end({ kind: "answered", pauseMs: 6_000 });
  ask(1);
  await clock.advance(5_999);
  expect(passes.length).toBe(1);
  await clock.advance(1);
  await settle();
  expect(passes.length).toBe(2);
});

test("[RUN-8] a call that is aborted while it waits leaves the queue, and delays no other call", async () => {
  const clock = new FakeClock();
  const { ask, passes } = callers(new ProviderLimits(clock).of("a"));
  ask(1);
  await settle();
  passes[0]!.end({ kind: "limited", pauseMs: 1_000 });
  const leaving = new AbortController();
  ask(1, leaving.signal);
  ask(1);
  leaving.abort();
  await clock.advance(1_000);
  await settle();
  expect(passes.length).toBe(2);
});

test("[RUN-8] a limiter without limits is forgotten with its last call, and another one after ten minutes", async () => {
  const clock = new FakeClock();
  const limits = new ProviderLimits(clock);
  const [free, limited] = [callers(limits.of("free")), callers(limits.of("limited"))];
  free.ask(2);
  limited.ask(1);
  await settle();
  expect([limits.size, limits.callsInFlight]).toEqual([2, 3]);
  for (const pass of free.passes) pass.end({ kind: "answered", pauseMs: null });
  limited.passes[0]!.end({ kind: "limited", pauseMs: 1_000 });
  expect([limits.size, limits.callsInFlight]).toEqual([1, 0]);
  await clock.advance(1_000 + FORGET_MS / 2);
  // A call begins the ten minutes anew, also one that is aborted while it waits.
  await callers(limits.of("limited")).ask(1);
  await settle();
  await clock.advance(FORGET_MS);
  expect(limits.of("limited").callsInFlight).toBe(1);
});

test("[RUN-8] an idle limiter is forgotten ten minutes after its window, also if calls left its queue", async () => {
  const clock = new FakeClock();
  const limits = new ProviderLimits(clock);
  const { ask, passes } = callers(limits.of("a"));
  ask(1);
  await settle();
  passes[0]!.end({ kind: "limited", pauseMs: 1_000 });
  const leaving = new AbortController();
  ask(1, leaving.signal);
  leaving.abort();
  await clock.advance(1_000 + FORGET_MS - 1);
  expect(limits.size).toBe(1);
  await clock.advance(1);
  expect(limits.size).toBe(0);
});

test("[RUN-8] in any order of ends, aborts and pauses no call waits forever, and no pass remains when nothing runs", async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("ask" as const), count: fc.integer({ min: 1, max: 8 }) }),
    fc.record({
      kind: fc.constantFrom("limited" as const, "answered" as const, "other" as const),
      pauseMs: fc.option(fc.integer({ min: 0, max: 3_000 })),
    }),
    fc.constantFrom({ kind: "drop" as const }, { kind: "abort" as const }),
    fc.record({ kind: fc.constant("time" as const), ms: fc.integer({ min: 1, max: 2_000 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const clock = new FakeClock();
      const limits = new ProviderLimits(clock);
      let asked = 0;
      let passed = 0;
      const open: CallPass[] = [];
      const aborts: AbortController[] = [];
      for (const next of steps) {
        if (next.kind === "ask") {
          asked += next.count;
          for (let i = 0; i < next.count; i++) {
            const abort = new AbortController();
            aborts.push(abort);
            void limits
              .of("a")
              .enter(abort.signal, `org_${i % 3}`)
              .then((pass) => {
                passed++;
                if (pass !== null) open.push(pass);
              });
          }
        } else if (next.kind === "time") await clock.advance(next.ms);
        else if (next.kind === "abort") aborts.shift()?.abort();
        else if (next.kind === "drop") open.shift()?.[Symbol.dispose]();
        else open.shift()?.end(next.kind === "other" ? { kind: "other" } : { kind: next.kind, pauseMs: next.pauseMs });
        await settle();
      }
      for (let rounds = 0; passed < asked && rounds < OPEN_WINDOW; rounds++) {
        for (const pass of open.splice(0)) pass.end({ kind: "answered", pauseMs: null });
        await clock.advance(3_000);
        await settle();
      }
      expect(passed).toBe(asked);
      for (const pass of open) pass.end({ kind: "other" });
      expect(limits.callsInFlight).toBe(0);
      await clock.advance(3_000 + FORGET_MS);
      expect(limits.size).toBe(0);
    }),
    { numRuns: 60 },
  );
});

test("[RUN-8] a pause that ends while a call looks at it does not keep the call waiting", async () => {
  const clock = new FakeClock();
  const limiter = new ProviderLimits(clock).of("a");
  const { ask, passes } = callers(limiter);
  ask(1);
  await settle();
  passes[0]?.end({ kind: "limited", pauseMs: 1_000 });
  // Between two looks at a real clock time goes on: the first one is just before the end of the pause.
  const end = clock.monotonic() + 1_000;
  let looks = 0;
  clock.monotonic = () => (looks++ < 2 ? end - 0.01 : end);
  ask(1);
  await clock.advance(1);
  expect(passes.length).toBe(2);
});
