/**
 * A mutation under an idempotency key (IDEM-1 to IDEM-4).
 *
 *   find ─ there ──────────────────────────────────────────────▶ replayed
 *     │  ─ absent ─▶ run ─ commits: find, its steps, keep ─────▶ created, or replayed after all
 *     │                 └─ refused: keep, when it would be again ▶ created
 *     └─ other input, still running ▶ 409
 *
 * The door wraps the operation's steps: they are left out when the key turns out to be taken in the
 * same turn, and the answer is kept in the same commit. So whenever the service or the connection
 * ends, either all of it has happened or nothing has. A body with a secret that is shown once is kept
 * encrypted, under the idempotency key too, which is stored nowhere.
 */
import { assert } from "../../actors/assert.ts";
import { type Fault, ok, type Outcome } from "../../actors/fault.ts";
import type { ActorRef } from "../../actors/runtime/actor.ts";
import type { MemberStep } from "../../actors/runtime/turns.ts";
import type { Sealing } from "../../actors/sealing.ts";
import type { KeyClaim } from "../../actors/traffic/protocol.ts";
import { type KeyEnding, type RunningKey, trafficRef } from "../../actors/traffic/schema.ts";
import { ask, type TroupeSystem } from "../../actors/troupe.ts";
import { type Answered, answerEnding, Committed, type Door, MutatingCall, type Mutation } from "./commit.ts";
import type { Refusal } from "./dialect.ts";
import type { Emission } from "./emission.ts";
import { claimOf, type KeyedInput, parseIdempotencyKey } from "./idempotency-key.ts";
import { RequestBody } from "./json-body.ts";
import type { Call } from "./surface.ts";

export interface KeyedParts {
  readonly system: TroupeSystem;
  readonly sealing: Sealing;
  /** A refusal as it is sent and kept: in the surface's words, with this request's id. */
  readonly refusal: (fault: Fault) => Refusal;
  readonly emission: Emission | null;
}

/** The answer and whether it is a new one; or why the work of the key has none. */
export interface Keyed {
  readonly status: "created" | "replayed";
  readonly answer: Outcome<Answered | Response>;
}

/** Runs the mutation once for its key; refuses what is never kept. */
export async function performKeyed(
  parts: KeyedParts,
  mutation: Mutation,
  call: Call,
  header: string,
): Promise<Outcome<Keyed>> {
  const key = parseIdempotencyKey(header);
  if (!key.ok) return key;
  const body = new RequestBody(call.request);
  const text = await body.text();
  if (!text.ok) return text;
  const door = new KeyedDoor(parts, mutation, call, { key: key.value, body: text.value });
  const committed = await once(parts, mutation, new MutatingCall(call, body, { door, emission: parts.emission }), door);
  if (!committed.ok) return committed;
  const { ending, isReplay } = committed.value;
  const status = isReplay ? "replayed" : "created";
  if (ending.kind === "answer") return ok({ status, answer: ok(ending) });
  assert(mutation.join !== undefined, "work that goes on can be joined");
  const joined = await mutation.join(call, ending.work);
  if (!joined.ok) return ok({ status, answer: joined });
  if (joined.value instanceof Response) return ok({ status, answer: ok(joined.value) });
  const { isFinal, ...answer } = joined.value;
  return ok({ status, answer: isFinal ? await door.settle(answerEnding(answer)) : ok(answerEnding(answer)) });
}

async function once(
  { refusal }: KeyedParts,
  mutation: Mutation,
  call: MutatingCall,
  door: KeyedDoor,
): Promise<Outcome<Committed>> {
  const found = mutation.holdsKey === true ? await door.hold() : await door.find();
  if (!found.ok) return found;
  if (found.value !== null) return ok(found.value);
  const committed = await mutation.run(call);
  if (committed.ok) return committed;
  const words = refusal(committed.fault);
  if (isKept(committed.fault, words.status)) return door.keep(refusalEnding(words));
  if (mutation.holdsKey === true) await door.release();
  return committed;
}

const PASSING_STATUS: ReadonlySet<number> = new Set([401, 403, 429]);
const OF_KEYS: ReadonlySet<string> = new Set<Fault["kind"]>([
  "invalid_idempotency_key",
  "idempotency_conflict",
  "idempotency_in_progress",
]);

/** Whether the refusal is the operation's own and would come again (IDEM-3). */
const isKept = ({ kind }: Fault, status: number): boolean =>
  status >= 400 && status < 500 && !PASSING_STATUS.has(status) && !OF_KEYS.has(kind);

const refusalEnding = ({ status, body }: Refusal): KeyEnding => ({
  kind: "answer",
  status,
  contentType: "application/json",
  body: typeof body === "string" ? body : JSON.stringify(body),
  isSealed: false,
});

/** The door of one request with a key. */
class KeyedDoor implements Door {
  private readonly system: TroupeSystem;
  private readonly ref: ActorRef<"traffic">;
  private readonly claim: KeyClaim;
  private readonly sealed: SealedBody | null;

  constructor({ system, sealing }: KeyedParts, mutation: Mutation, call: Call, input: KeyedInput) {
    this.system = system;
    this.ref = trafficRef(call.principal.organizationId);
    this.claim = claimOf(call, input, sealing.key("replay"));
    this.sealed = mutation.hasOneTimeSecret === true ? new SealedBody(sealing, this.claim.keyId, input.key) : null;
  }

  /** What an earlier request came to, or null. */
  async find(): Promise<Outcome<Committed | null>> {
    const found = await this.system.dispatch(this.ref, { kind: "find_key", claim: this.claim });
    if (!found.ok) return found;
    return ok(found.value === null ? null : this.committed(found.value, true));
  }

  /** The same, and holds the key for this request where it is free. */
  async hold(): Promise<Outcome<Committed | null>> {
    const held = await this.kept({ kind: "running", holder: this.claim.holder });
    if (!held.ok) return held;
    const { ending } = held.value;
    return ok(ending.kind === "running" ? null : this.committed(ending, true));
  }

  async release(): Promise<void> {
    await this.system.dispatch(this.ref, { kind: "release_key", claim: this.claim });
  }

  /** Keeps the ending in a commit of its own; another one that is there already stands. */
  async keep(ending: KeyEnding): Promise<Outcome<Committed>> {
    const kept = await this.kept(ending);
    if (!kept.ok) return kept;
    assert(kept.value.ending.kind !== "running", "a request that runs is not found");
    return ok(this.committed(kept.value.ending, !kept.value.isNew));
  }

  async commit(
    steps: readonly MemberStep[],
    ending: (replies: readonly unknown[]) => KeyEnding,
  ): Promise<Outcome<Committed>> {
    const { ref, claim } = this;
    const isTaken = ([found]: readonly unknown[]): boolean => found !== null;
    const outcome = await this.system.dispatchGroup([
      ask(ref, { kind: "find_key", claim }),
      ...steps.map((step): MemberStep => (replies) => {
        if (isTaken(replies)) return null;
        return typeof step === "function" ? step(replies.slice(1)) : step;
      }),
      (replies) => {
        if (isTaken(replies)) return null;
        const fresh = ending(replies.slice(1));
        // A group that runs again seals again: another text that says the same.
        return ask(ref, { kind: "keep_key", claim, ending: this.sealed?.seal(fresh) ?? fresh });
      },
    ]);
    if (!outcome.ok) return outcome;
    const found = outcome.value[0] as KeyEnding | null;
    if (found !== null) return ok(this.committed(found, true));
    const { ending: kept } = outcome.value.at(-1) as { readonly ending: KeyEnding };
    return ok(this.committed(kept, false));
  }

  /** The answer of work that has ended; the first one stands. */
  async settle(answer: Answered): Promise<Outcome<Answered>> {
    const command = { kind: "settle_key", keyId: this.claim.keyId, ending: answer } as const;
    const settled = await this.system.dispatch(this.ref, command);
    if (!settled.ok) return settled;
    return ok(settled.value.kind === "answer" ? settled.value : answer);
  }

  private committed(ending: KeyEnding, isReplay: boolean): Committed {
    return new Committed(this.sealed?.open(ending) ?? ending, isReplay);
  }

  private kept(ending: KeyEnding | RunningKey) {
    return this.system.dispatch(this.ref, { kind: "keep_key", claim: this.claim, ending });
  }
}

/** Bodies with a secret that is shown once, as they are kept. */
class SealedBody {
  private readonly sealing: Sealing;
  private readonly keyId: string;
  private readonly key: string;

  constructor(sealing: Sealing, keyId: string, key: string) {
    this.sealing = sealing;
    this.keyId = keyId;
    this.key = key;
  }

  seal(ending: KeyEnding): KeyEnding {
    assert(ending.kind === "answer", "a secret is shown at the commit");
    const body = this.sealing.seal("replay", ending.body, [this.keyId], this.key);
    return { ...ending, body, isSealed: true };
  }

  open(ending: KeyEnding): KeyEnding {
    if (ending.kind !== "answer" || !ending.isSealed) return ending;
    const body = this.sealing.open("replay", ending.body, [this.keyId], this.key);
    assert(body !== null, "what was kept under this key opens under it");
    return { ...ending, body, isSealed: false };
  }
}
