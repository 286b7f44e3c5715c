/** The turns of idempotency keys by themselves: whatever others do meanwhile, what a key stands for stays. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ok, refuse } from "../../../actors/fault.ts";
import type { Tx } from "../../../actors/runtime/actor.ts";
import { idempotencyHandlers } from "../../../actors/traffic/idempotency.ts";
import { IDEMPOTENCY_KEY_MS, RUNNING_KEY_MS } from "../../../actors/traffic/policy.ts";
import type { KeyClaim } from "../../../actors/traffic/protocol.ts";
import type { IdempotencyKey, KeyEnding } from "../../../actors/traffic/schema.ts";

/** The records of one actor, with the time in the test's hands. */
class Keys {
  now = Date.parse("2026-01-01T00:00:00.000Z");
  private readonly records = new Map<string, IdempotencyKey>();

  private tx(): Tx {
    const put = (_: unknown, record: IdempotencyKey) => {
      this.records.set(record.id, record);
      return record;
    };
    const read = (_: unknown, id: string) => this.records.get(id) ?? null;
    return { now: this.now, read, create: put, update: put } as unknown as Tx;
  }

  find = (claim: KeyClaim) => idempotencyHandlers.find_key(this.tx(), { kind: "find_key", claim });
  keep = (claim: KeyClaim, ending: KeyEnding) =>
    idempotencyHandlers.keep_key(this.tx(), { kind: "keep_key", claim, ending });
  hold = (claim: KeyClaim) =>
    idempotencyHandlers.keep_key(this.tx(), {
      kind: "keep_key",
      claim,
      ending: { kind: "running", holder: claim.holder },
    });
  settle = ({ keyId }: KeyClaim, ending: KeyEnding) =>
    idempotencyHandlers.settle_key(this.tx(), { kind: "settle_key", keyId, ending });
  release = (claim: KeyClaim) => idempotencyHandlers.release_key(this.tx(), { kind: "release_key", claim });
}

const claim = (holder: string, keyId = "k", fingerprint = "f"): KeyClaim => ({ keyId, fingerprint, holder });
const answer = (body: string): KeyEnding => ({
  kind: "answer",
  status: 200,
  contentType: "application/json",
  body,
  isSealed: false,
});
const WORK: KeyEnding = { kind: "work", work: { jobId: "job_1" } };
const CONFLICT = refuse({ kind: "idempotency_conflict" });
const IN_PROGRESS = refuse({ kind: "idempotency_in_progress", retryAfterMs: 1_000 });

/** What other requests may do: with this key or another, with this input or another. */
const meddling = fc.record({
  way: fc.constantFrom("find", "keep", "hold", "settle", "release"),
  by: fc.record({
    keyId: fc.constantFrom("k", "l"),
    fingerprint: fc.constantFrom("f", "g"),
    holder: fc.constantFrom("a", "b", "c"),
  }),
  passMs: fc.integer({ min: 0, max: 60_000 }),
});

function meddle(keys: Keys, { way, by, passMs }: typeof meddling extends fc.Arbitrary<infer M> ? M : never): void {
  keys.now += passMs;
  if (way === "keep" || way === "settle") keys[way](by, answer("another"));
  else keys[way as "find" | "hold" | "release"](by);
}

describe("a key", () => {
  test("[IDEM-2] that has an answer keeps it for 24 hours, whatever others do", () => {
    fc.assert(
      fc.property(fc.array(meddling, { maxLength: 30 }), (others) => {
        const keys = new Keys();
        const from = keys.now;
        expect(keys.keep(claim("a"), answer("first"))).toEqual(ok({ ending: answer("first"), isNew: true }));
        for (const other of others) {
          meddle(keys, other);
          expect(keys.find(claim("z"))).toEqual(ok(answer("first")));
          expect(keys.find(claim("z", "k", "g"))).toEqual(CONFLICT);
        }
        keys.now = from + IDEMPOTENCY_KEY_MS - 1;
        expect(keys.find(claim("z"))).toEqual(ok(answer("first")));
        keys.now++;
        expect(keys.find(claim("z"))).toEqual(ok(null));
      }),
    );
  });

  test("[IDEM-4] that holds work keeps it until its first answer, which stays", () => {
    const keys = new Keys();
    keys.keep(claim("a"), WORK);
    expect(keys.keep(claim("b"), answer("early"))).toEqual(ok({ ending: WORK, isNew: false }));
    expect(keys.find(claim("b"))).toEqual(ok(WORK));
    expect(keys.settle(claim("b"), answer("first"))).toEqual(ok(answer("first")));
    expect(keys.settle(claim("a"), answer("second"))).toEqual(ok(answer("first")));
    expect(keys.find(claim("a"))).toEqual(ok(answer("first")));
  });

  test("[IDEM-5] that is in use belongs to its holder until it is kept, released or too old", () => {
    const keys = new Keys();
    keys.hold(claim("a"));
    expect(keys.find(claim("b"))).toEqual(IN_PROGRESS);
    expect(keys.hold(claim("b"))).toEqual(IN_PROGRESS);
    expect(keys.find(claim("b", "k", "g"))).toEqual(CONFLICT);
    expect(keys.find(claim("a"))).toEqual(ok(null));
    keys.release(claim("b"));
    expect(keys.find(claim("b"))).toEqual(IN_PROGRESS);
    keys.release(claim("a"));
    expect(keys.find(claim("b"))).toEqual(ok(null));
    keys.hold(claim("b"));
    keys.now += RUNNING_KEY_MS - 1;
    expect(keys.find(claim("c"))).toEqual(IN_PROGRESS);
    keys.now++;
    expect(keys.find(claim("c"))).toEqual(ok(null));
    expect(keys.keep(claim("c"), answer("first"))).toEqual(ok({ ending: answer("first"), isNew: true }));
    // Who was taken for dead finds what was done in its place.
    expect(keys.keep(claim("b"), answer("late"))).toEqual(ok({ ending: answer("first"), isNew: false }));
  });

  test("[IDEM-1] past its time counts as a new one, also for another input", () => {
    const keys = new Keys();
    keys.keep(claim("a"), answer("first"));
    keys.now += IDEMPOTENCY_KEY_MS;
    expect(keys.keep(claim("a", "k", "g"), answer("second"))).toEqual(ok({ ending: answer("second"), isNew: true }));
    expect(keys.find(claim("a"))).toEqual(CONFLICT);
    expect(keys.find(claim("a", "k", "g"))).toEqual(ok(answer("second")));
  });
});
