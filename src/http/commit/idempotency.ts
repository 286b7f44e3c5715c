/**
 * A change under an idempotency key (IDEM-1 to IDEM-4).
 *
 *   find ─ there ──────────────────────────────────────────────▶ replayed
 *     │  ─ absent ─▶ run ─ commits: find, its steps, keep ─────▶ created, or replayed after all
 *     │                 └─ refused: keep, if a retry would be too ▶ created
 *     └─ other input, still running ▶ 409
 *
 * The door wraps the operation's steps: the turn skips them if the key is already taken, and the same commit stores
 * the answer. So whenever the service or the connection ends, either everything has happened or nothing. A body with
 * a one-time secret is stored encrypted; the encryption also needs the idempotency key, which is stored nowhere.
 *
 * The fingerprint of a key needs the whole body. For a stream it is known only after the handler has read it: so the
 * key is first looked for by the commit, or when the handler refuses. A refusal before the end of the stream is not
 * stored.
 */
import { assert } from "../../../actors/assert.ts";
import { type Fault, ok, type Outcome } from "../../../actors/fault.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { ActorRef } from "../../../actors/runtime/actor.ts";
import type { MemberStep } from "../../../actors/runtime/turns/members.ts";
import type { Sealing } from "../../../actors/sealing.ts";
import type { KeyClaim } from "../../../actors/traffic/protocol.ts";
import { type KeyEnding, type RunningKey, trafficRef } from "../../../actors/traffic/schema.ts";
import { ask, type TroupeSystem } from "../../../actors/troupe.ts";
import { Commit, type CommitDoor, type StoredAnswer } from "./commit.ts";
import type { Refusal } from "../answer/dialect.ts";
import { claimOf, type KeyedInput } from "./idempotency-key.ts";

export interface KeyedParts {
  readonly system: TroupeSystem;
  readonly sealing: Sealing;
  /** The owner of the key. */
  readonly principal: Principal;
  readonly input: KeyedInput;
  /** The digest of the body; null until a stream has been read to its end. */
  readonly digest: () => string | null;
  readonly hasOneTimeSecret: boolean;
}

/** How an operation runs with its key. */
export interface KeyedRun {
  readonly holdsKey: boolean;
  readonly keepsRefusals: boolean;
  /** A refusal as it is sent and stored: in the surface's words, with this request's id. */
  readonly refusal: (fault: Fault) => Refusal;
  readonly run: () => Promise<Outcome<Commit>>;
}

/** Runs the operation once per key. */
export async function runOnce(
  door: KeyedDoor,
  { holdsKey, keepsRefusals, refusal, run }: KeyedRun,
): Promise<Outcome<Commit>> {
  const knewInput = door.knowsInput;
  if (knewInput) {
    const found = holdsKey ? await door.hold() : await door.find();
    if (!found.ok) return found;
    if (found.value !== null) return ok(found.value);
  }
  const committed = await run();
  if (committed.ok) return committed;
  if (!knewInput && door.knowsInput) {
    const found = await door.find();
    if (!found.ok) return found;
    if (found.value !== null) return ok(found.value);
  }
  const words = refusal(committed.fault);
  if (keepsRefusals && door.knowsInput && isKept(committed.fault, words.status)) return door.keep(refusalEnding(words));
  if (holdsKey) await door.release();
  return committed;
}

const PASSING_STATUS: ReadonlySet<number> = new Set([401, 403, 429]);
/** Refusals of keys themselves, and of an upload part that arrived out of order. */
const PASSING_FAULT: ReadonlySet<string> = new Set<Fault["kind"]>([
  "invalid_idempotency_key",
  "idempotency_conflict",
  "idempotency_in_progress",
  "upload_offset_mismatch",
]);

/** Whether the refusal is the operation's own and would recur (IDEM-3). */
const isKept = ({ kind }: Fault, status: number): boolean =>
  status >= 400 && status < 500 && !PASSING_STATUS.has(status) && !PASSING_FAULT.has(kind);

const refusalEnding = ({ status, body }: Refusal): KeyEnding => ({
  kind: "answer",
  status,
  contentType: "application/json",
  body: typeof body === "string" ? body : JSON.stringify(body),
  isSealed: false,
});

/** The door of one request with a key. */
export class KeyedDoor implements CommitDoor {
  private readonly parts: KeyedParts;
  private readonly ref: ActorRef<"traffic">;
  private made: KeyClaim | null = null;

  constructor(parts: KeyedParts) {
    this.parts = parts;
    this.ref = trafficRef(parts.principal.organizationId);
  }

  /** Whether the complete input of the request is known, to distinguish it from another one with the same key. */
  get knowsInput(): boolean {
    return this.parts.digest() !== null;
  }

  private get claim(): KeyClaim {
    if (this.made !== null) return this.made;
    const { principal, input, sealing } = this.parts;
    const digest = this.parts.digest();
    assert(digest !== null, "an operation reads its body before it commits under a key");
    return (this.made = claimOf(principal, input, { digest, secrets: sealing.keys("replay") }));
  }

  private get sealed(): SealedBody | null {
    const { sealing, input, hasOneTimeSecret } = this.parts;
    return hasOneTimeSecret ? new SealedBody(sealing, this.claim, input.key) : null;
  }

  /** The outcome of an earlier request, or null. */
  async find(): Promise<Outcome<Commit | null>> {
    const found = await this.parts.system.dispatch(this.ref, { kind: "find_key", claim: this.claim });
    if (!found.ok) return found;
    return ok(found.value === null ? null : this.committed(found.value, true));
  }

  /** The same; also holds the key for this request if it is free. */
  async hold(): Promise<Outcome<Commit | null>> {
    const held = await this.kept({ kind: "running", holder: this.claim.holder });
    if (!held.ok) return held;
    const { ending } = held.value;
    return ok(ending.kind === "running" ? null : this.committed(ending, true));
  }

  async release(): Promise<void> {
    await this.parts.system.dispatch(this.ref, { kind: "release_key", claim: this.claim });
  }

  /** Stores the ending in a separate commit; an existing ending takes precedence. */
  async keep(ending: KeyEnding): Promise<Outcome<Commit>> {
    const kept = await this.kept(ending);
    if (!kept.ok) return kept;
    assert(kept.value.ending.kind !== "running", "a request that runs is not found");
    return ok(this.committed(kept.value.ending, !kept.value.isNew));
  }

  async commit(
    steps: readonly MemberStep[],
    ending: (replies: readonly unknown[]) => KeyEnding,
  ): Promise<Outcome<Commit>> {
    const { ref, claim, sealed } = this;
    const isTaken = ([found]: readonly unknown[]): boolean => found !== null;
    const outcome = await this.parts.system.dispatchGroup([
      ask(ref, { kind: "find_key", claim }),
      ...steps.map((step): MemberStep => (replies) => {
        if (isTaken(replies)) return null;
        return typeof step === "function" ? step(replies.slice(1)) : step;
      }),
      (replies) => {
        if (isTaken(replies)) return null;
        const fresh = ending(replies.slice(1));
        // If the group runs again, it seals again: a different text with the same content.
        return ask(ref, { kind: "keep_key", claim, ending: sealed?.seal(fresh) ?? fresh });
      },
    ]);
    if (!outcome.ok) return outcome;
    const found = outcome.value[0];
    if (found !== null) return ok(this.committed(found, true));
    const { ending: kept } = outcome.value.at(-1) as { readonly ending: KeyEnding };
    return ok(this.committed(kept, false));
  }

  /** Stores the final answer of work; the first one takes precedence. */
  async settle(answer: StoredAnswer): Promise<Outcome<StoredAnswer>> {
    const command = { kind: "settle_key", keyId: this.claim.keyId, ending: answer } as const;
    const settled = await this.parts.system.dispatch(this.ref, command);
    if (!settled.ok) return settled;
    return ok(settled.value.kind === "answer" ? settled.value : answer);
  }

  private committed(ending: KeyEnding, isReplay: boolean): Commit {
    return new Commit(this.sealed?.open(ending) ?? ending, isReplay);
  }

  private kept(ending: KeyEnding | RunningKey) {
    return this.parts.system.dispatch(this.ref, { kind: "keep_key", claim: this.claim, ending });
  }
}

/** Bodies with a one-time secret, in their stored form. */
class SealedBody {
  private readonly sealing: Sealing;
  private readonly claim: KeyClaim;
  private readonly key: string;

  constructor(sealing: Sealing, claim: KeyClaim, key: string) {
    this.sealing = sealing;
    this.claim = claim;
    this.key = key;
  }

  seal(ending: KeyEnding): KeyEnding {
    assert(ending.kind === "answer", "a secret is shown at the commit");
    const body = this.sealing.seal("replay", ending.body, [this.claim.keyId], this.key);
    return { ...ending, body, isSealed: true };
  }

  open(ending: KeyEnding): KeyEnding {
    if (ending.kind !== "answer" || !ending.isSealed) return ending;
    for (const { keyId } of [this.claim, ...(this.claim.others ?? [])]) {
      const body = this.sealing.open("replay", ending.body, [keyId], this.key);
      if (body !== null) return { ...ending, body, isSealed: false };
    }
    throw new Error("what was kept under this key opens under it");
  }
}
