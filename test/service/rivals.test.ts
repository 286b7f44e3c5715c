import { expect, test } from "bun:test";
import type { Rival } from "../../db/placement.ts";
import { Interrupted } from "../../src/service/undo.ts";
import { DatabaseInUse, LEASE_GRACE_MS, waitForRivals } from "../../src/service/rivals.ts";
import { FakeClock } from "../support/fake-clock.ts";

/** Waits for what `leases` says at each moment: what is left of the one lease, or null without one. */
function wait(leases: (at: number) => number | null) {
  const clock = new FakeClock();
  const start = clock.monotonic();
  const said: object[] = [];
  const interruption = new AbortController();
  const rivals = (): Promise<readonly Rival[]> => {
    const waitMs = leases(clock.monotonic() - start);
    return Promise.resolve(waitMs === null ? [] : [{ address: "http://other:3000", waitMs }]);
  };
  const log = { info: (fields: object | string) => void said.push(fields as object) };
  let state = "waiting";
  const outcome = waitForRivals({ placement: { rivals }, clock, log, signal: interruption.signal });
  outcome.then(
    () => (state = "free"),
    (cause: Error) => (state = cause.name),
  );
  return { clock, said, interruption, outcome, state: () => state };
}

test("[START-39] without a rival there is no wait and no message", async () => {
  const { clock, said, state } = wait(() => null);
  await clock.advance(0);
  expect([state(), said, clock.pending]).toEqual(["free", [], 0]);
});

test("[START-39] the start waits for a silent rival's lease to expire, not longer", async () => {
  const { clock, said, state } = wait((at) => (at < 1_700 ? 1_700 - at : null));
  await clock.advance(1_699);
  expect(state()).toBe("waiting");
  await clock.advance(100);
  expect([state(), said, clock.pending]).toEqual(["free", [{ waitMs: 1_700 }], 0]);
});

test("[START-39] the start does not wait for a rival that has released its shards", async () => {
  const { clock, state } = wait((at) => (at < 600 ? 10_000 - at : null));
  await clock.advance(1_100);
  expect(state()).toBe("free");
});

test("[START-39] a rival that renews its lease keeps the database", async () => {
  const { clock, outcome, state } = wait(() => 2_000);
  await clock.advance(2_000 + LEASE_GRACE_MS - 1);
  expect(state()).toBe("waiting");
  await clock.advance(1_000);
  await expect(outcome).rejects.toThrow(
    new DatabaseInUse("The database is in use by the instance at http://other:3000. Stop it first."),
  );
  expect(clock.pending).toBe(0);
});

test("[START-38] the wait can be cancelled, even before it begins, and leaves no timer", async () => {
  const { clock, interruption, state } = wait(() => 2_000);
  await clock.advance(700);
  interruption.abort(new Interrupted("SIGINT"));
  await clock.advance(0);
  expect([state(), clock.pending]).toEqual(["Interrupted", 0]);
  const late = wait(() => 2_000);
  late.interruption.abort(new Interrupted("SIGINT"));
  await late.clock.advance(0);
  expect([late.state(), late.clock.pending]).toEqual(["Interrupted", 0]);
});
