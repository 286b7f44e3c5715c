/**
 * Idempotency keys (IDEM-1 to IDEM-4). A key's row is written in the commit of the request and contains its result, so
 * a repeated request is answered from the row and nothing happens twice. Requests with one key meet in this actor: its
 * turns run one after another, and a turn replies only after the commit of an earlier turn whose row it has read.
 *
 *   (absent) ──keep──▶ answer
 *      │  ──keep──▶ work ──settle──▶ answer
 *      └──keep──▶ running ──keep──▶ answer, work
 *
 * An expired row counts as absent. `running` is for requests that commit more than once: no other request begins
 * meanwhile, and the row's short lifetime frees the key if its holder has crashed.
 */
import { ok, type Outcome, refuse } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { IDEMPOTENCY_KEY_MS, RUNNING_KEY_MS } from "./policy.ts";
import type { KeyClaim, TrafficProtocol } from "./protocol.ts";
import { type IdempotencyKey, idempotencyKeyTable, type KeyEnding } from "./schema.ts";

/** How long a caller waits before it asks again whether the first request has finished. */
const RUNNING_RETRY_MS = 1_000;

export const idempotencyHandlers = {
  find_key: (tx, { claim }) => findKey(tx, claim),

  keep_key(tx, { claim, ending }) {
    const found = findKey(tx, claim);
    if (!found.ok) return found;
    if (found.value !== null) return ok({ ending: found.value, isNew: false });
    const record = tx.read(idempotencyKeyTable, claim.keyId);
    const lifeMs = ending.kind === "running" ? RUNNING_KEY_MS : IDEMPOTENCY_KEY_MS;
    const fields = { fingerprint: claim.fingerprint, ending, expiresAt: isoTime(tx.now + lifeMs) };
    if (record === null) tx.create(idempotencyKeyTable, { id: claim.keyId, ...fields });
    else tx.update(idempotencyKeyTable, { ...record, ...fields });
    return ok({ ending, isNew: true });
  },

  settle_key(tx, { keyId, ending }) {
    const key = live(tx, keyId);
    if (key?.ending.kind === "answer") return ok(key.ending);
    if (key?.ending.kind === "work") tx.update(idempotencyKeyTable, { ...key, ending });
    return ok(ending);
  },

  release_key(tx, { claim: { keyId, holder } }) {
    const key = live(tx, keyId);
    if (key?.ending.kind === "running" && key.ending.holder === holder)
      tx.update(idempotencyKeyTable, { ...key, expiresAt: isoTime(tx.now) });
    return ok(null);
  },
} satisfies Partial<Handlers<TrafficProtocol>>;

/** The result of the same request, or null if it may begin. */
function findKey(tx: Tx, claim: KeyClaim): Outcome<KeyEnding | null> {
  const { holder } = claim;
  let key: IdempotencyKey | null = null;
  let fingerprint = "";
  for (const known of [claim, ...(claim.others ?? [])]) {
    key = live(tx, known.keyId);
    ({ fingerprint } = known);
    if (key !== null) break;
  }
  if (key === null) return ok(null);
  if (key.fingerprint !== fingerprint) return refuse({ kind: "idempotency_conflict" });
  if (key.ending.kind !== "running") return ok(key.ending);
  return key.ending.holder === holder
    ? ok(null)
    : refuse({ kind: "idempotency_in_progress", retryAfterMs: RUNNING_RETRY_MS });
}

function live(tx: Tx, keyId: string): IdempotencyKey | null {
  const key = tx.read(idempotencyKeyTable, keyId);
  return key === null || Date.parse(key.expiresAt) <= tx.now ? null : key;
}
