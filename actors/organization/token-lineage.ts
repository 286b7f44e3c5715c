/**
 * Which tokens end with which (AUTH-10). A token that was made with another one ends with it at the latest:
 *
 *   token ──makes──▶ token ──makes──▶ token
 *     └─ revoked: all that are to its right are, in the same turn
 *     └─ expired: the others have by then, because none outlives the one that made it
 *
 * A token knows all that end with it, so a revocation is one turn and each record says by itself whether it counts.
 */
import { type Fault, invalid, ok, type Outcome } from "../fault.ts";
import type { Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import type { Principal } from "./principal.ts";
import type { NewToken } from "./protocol.ts";
import { type Token, tokenTable } from "./schema.ts";

/** Tokens that end with one token and count now: bounds its record, and the turn that revokes it. */
export const MAX_DESCENDANTS = 256;

const DAY_MS = 86_400_000;
const TOO_MANY: Fault = {
  kind: "forbidden",
  message: `${MAX_DESCENDANTS} tokens that were made with this one still count: revoke some of them first`,
};

/**
 * The token with which a new one ends. What the operator makes ends by itself, and so does what a person makes in
 * a session: there is no token that could be taken from them.
 */
export const parentOf = (by: Principal | null): string | null =>
  by === null || by.tokenKind === "session" ? null : by.tokenId;

/** When a token may end that is made with `parent`; refuses a life that was asked for and is longer by a day. */
export function endWithin(
  parent: Token | null,
  { expiresAt }: NewToken,
  { now, isAsked }: { readonly now: number; readonly isAsked: boolean },
): Outcome<string> {
  if (parent === null || expiresAt <= parent.expiresAt) return ok(expiresAt);
  const endMs = Date.parse(parent.expiresAt);
  // The same number of days as its maker is never exact: the maker is older by a moment.
  if (!isAsked || Date.parse(expiresAt) - endMs < DAY_MS) return ok(parent.expiresAt);
  const days = Math.ceil((endMs - now) / DAY_MS);
  return invalid(
    "/expires_in_days",
    `A token does not outlive the token that makes it, which ends at ${parent.expiresAt}: at most ${days} days`,
  );
}

/** Notes a new token at all tokens with which it ends; refuses where one of them has too many. */
export function noteDescendant(tx: Tx, { id, expiresAt, endsWith }: Token): Fault | null {
  for (const ancestor of ancestorsOf(tx, endsWith)) {
    const living = livingOf(tx, ancestor);
    if (living.length >= MAX_DESCENDANTS) return TOO_MANY;
    tx.update(tokenTable, { ...ancestor, descendants: [...living, { id, expiresAt }] });
  }
  return null;
}

/** Revokes a token and all that end with it. */
export function revokeWithDescendants(tx: Tx, token: Token): { readonly token: Token; readonly endedIds: string[] } {
  const revokedAt = isoTime(tx.now);
  const descendants = (token.descendants ?? []).map(({ id }) => tx.read(tokenTable, id));
  const revoked = tx.update(tokenTable, { ...token, revokedAt, descendants: [] });
  const endedIds = [token.id];
  for (const descendant of descendants) {
    if (descendant === null) continue;
    endedIds.push(descendant.id);
    if (descendant.revokedAt === null) tx.update(tokenTable, { ...descendant, revokedAt, descendants: [] });
  }
  const gone = new Set(endedIds);
  for (const ancestor of ancestorsOf(tx, token.endsWith)) {
    const descendants = livingOf(tx, ancestor).filter(({ id }) => !gone.has(id));
    tx.update(tokenTable, { ...ancestor, descendants });
  }
  return { token: revoked, endedIds };
}

function ancestorsOf(tx: Tx, parentId: string | null | undefined): Token[] {
  const ancestors: Token[] = [];
  let id = parentId ?? null;
  while (id !== null) {
    const ancestor = tx.read(tokenTable, id);
    if (ancestor === null) break;
    ancestors.push(ancestor);
    id = ancestor.endsWith ?? null;
  }
  return ancestors;
}

const livingOf = (tx: Tx, { descendants = [] }: Token) => {
  const now = isoTime(tx.now);
  return descendants.filter(({ expiresAt }) => expiresAt > now);
};
