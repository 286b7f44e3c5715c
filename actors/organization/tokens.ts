/**
 * Tokens (AUTH-1, AUTH-2, AUTH-7): credentials of a person in this organization. Each request asks the actor whether
 * its token is still valid, so a change takes effect with the next request:
 *
 *   valid ──expiry──▶ expired
 *     │ └──its person is removed──▶ unknown
 *     └──revoke──▶ revoked, for good
 *
 * While the operator suspends the organization, none of its tokens is valid (AUTH-11).
 *
 * Only a valid token can create another one. The new token gets no scope that its creator lacks and no longer lifetime,
 * and ends with its creator (AUTH-10, `token-lineage.ts`). A token cannot revoke a token that is wider or outlives it.
 */
import { isSameHash } from "../sealing.ts";
import { type Fault, notFound, ok, type Outcome, refuse } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isoTime, timeWriter } from "../schema.ts";
import { noteInAudit, OPERATOR } from "./audit.ts";
import { FULL_ACCESS, hasScope, isSuspended, type Principal, SUSPENDED } from "./principal.ts";
import type { NewToken, OrganizationProtocol } from "./protocol.ts";
import { groupsOf } from "./groups.ts";
import { type Grant, type Member, memberTable, organizationTable, type Token, tokenTable } from "./schema.ts";
import { endWithin, noteDescendant, parentToken, revokeWithDescendants } from "./token-lineage.ts";
import { DAY_MS } from "../units.ts";

/** Lifetime of a token in days: the default, the minimum and the maximum (AUTH-1). */
export const TOKEN_DAYS = 90;
export const TOKEN_DAYS_MIN = 7;
export const TOKEN_DAYS_MAX = 365;
/** Characters of a token's name, to fit one line of a list. */
export const TOKEN_NAME_CHARACTERS = 100;
/** `lastUsedAt` is kept to this precision: a finer one would cost a commit for each request. */
export const LAST_USED_PRECISION_MS = 60_000;
/** A session ends when its browser has sent nothing for this long. */
export const SESSION_IDLE_MS = 7 * 86_400_000;

/** The expiry of a token that is created at `now` for this many days. */
export const tokenExpiry = (now: number, days: number): string => isoTime(now + days * DAY_MS);

/** Separate from `isoTime`'s writer, because each request calls both. */
const staleTime = timeWriter();

export const tokenCommandHandlers = {
  authenticate(tx, { tokenId, hash }) {
    const token = tx.read(tokenTable, tokenId);
    // The directory found the token by this hash; check that the record still has it.
    if (token === null || !isSameHash(token.hash, hash)) return UNKNOWN_TOKEN;
    const member = bearerMember(tx, token);
    if (!member.ok) return member;
    const { scopes, kind: tokenKind, expiresAt, lastUsedAt, audience = null } = token;
    const isStale = lastUsedAt === null || lastUsedAt <= staleTime(tx.now - LAST_USED_PRECISION_MS);
    const { id: userId, role } = member.value;
    const organizationId = tx.self.id;
    const groups = groupsOf(tx.read(organizationTable, organizationId), userId);
    if (!isStale) tx.holdsUntil(freshUntil(expiresAt, lastUsedAt));
    return ok({
      principal: {
        organizationId,
        userId,
        role,
        tokenId,
        tokenKind,
        expiresAt,
        scopes,
        ...(groups.length === 0 ? {} : { groups }),
      },
      isStale,
      audience,
    });
  },

  confirm_token(tx, { tokenId }) {
    const token = tx.read(tokenTable, tokenId);
    if (token === null) return UNKNOWN_TOKEN;
    const member = bearerMember(tx, token);
    return member.ok ? ok(null) : member;
  },

  touch_token(tx, { tokenId, address = null }) {
    const token = tx.read(tokenTable, tokenId);
    if (token === null) return notFound("token");
    // A late note does not change the record of a revoked token.
    if (token.revokedAt !== null) return ok(null);
    if (token.lastUsedAt !== null && token.lastUsedAt > staleTime(tx.now - LAST_USED_PRECISION_MS)) return ok(null);
    const now = isoTime(tx.now);
    // Audited once a day for each token, and when its address changes: an entry for each request would bury the others.
    const isNews = token.lastUsedAt?.slice(0, 10) !== now.slice(0, 10) || (token.lastAddress ?? null) !== address;
    if (isNews && token.kind !== "session")
      noteInAudit(
        tx,
        { action: "token.used", subjectId: tokenId, detail: token.name },
        { userId: token.userId, tokenId, address },
      );
    tx.update(tokenTable, { ...token, lastUsedAt: now, lastAddress: address });
    return ok(null);
  },

  create_token(tx, { token, by, isLifeAsked = false, origin = OPERATOR }) {
    if (by !== null) {
      const refused = unlessMayMint(tx, token, by);
      if (refused !== null) return refused;
    }
    const member = tx.read(memberTable, token.userId);
    if (member === null || member.status === "removed") return notFound("user");
    if (token.kind === "service" && member.role !== "owner") return refuse({ kind: "owner_required" });
    const parentId = parentToken(by);
    const parent = parentId === null ? null : tx.read(tokenTable, parentId);
    const expiresAt = endWithin(parent, token, { now: tx.now, isAsked: isLifeAsked });
    if (!expiresAt.ok) return expiresAt;
    const madeWith = by?.tokenId ?? null;
    const made = mintToken(tx, { ...token, expiresAt: expiresAt.value }, { madeWith, parentId, member });
    const tooMany = noteDescendant(tx, made);
    if (tooMany !== null) return refuse(tooMany);
    const action = made.kind === "session" ? "session.started" : "token.created";
    noteInAudit(tx, { action, subjectId: made.id, detail: made.name }, origin);
    return ok(made);
  },

  revoke_token(tx, { tokenId, of, by, origin = OPERATOR }) {
    const token = tx.read(tokenTable, tokenId);
    const isTheirs = of === null || (token?.kind === of.kind && (of.userId === null || token.userId === of.userId));
    if (token === null || !isTheirs) return notFound(of?.kind === "session" ? "session" : "token");
    if (token.revokedAt !== null) return ok({ token, endedIds: [] });
    const refused = by === null ? null : revocationRefusal(token, by);
    if (refused !== null) return refuse(refused);
    const revoked = revokeWithDescendants(tx, token);
    const action = token.kind === "session" ? "session.ended" : "token.revoked";
    for (const id of revoked.endedIds) noteInAudit(tx, { action, subjectId: id, detail: tokenName(tx, id) }, origin);
    return ok(revoked);
  },
} satisfies Partial<Handlers<OrganizationProtocol>>;

const tokenName = (tx: Tx, tokenId: string): string | null => tx.read(tokenTable, tokenId)?.name ?? null;

/** An unused token; `parentId` is the token with which it ends. */
export function mintToken(
  tx: Tx,
  token: NewToken,
  {
    madeWith,
    parentId,
    member,
  }: { readonly madeWith: string | null; readonly parentId: string | null; readonly member: Member },
): Token {
  return tx.create(tokenTable, {
    ...token,
    ...membershipField(member),
    scopes: [...token.scopes],
    id: tx.id("tok"),
    lastUsedAt: null,
    revokedAt: null,
    madeWith,
    endsWith: parentId,
  });
}

/**
 * Why a token may not revoke this one: it is wider or outlives the token. A token may always revoke itself, and one
 * with full access may revoke every token that it sees.
 */
export function revocationRefusal(token: Token, { scopes, tokenId, expiresAt }: Principal): Fault | null {
  if (token.id === tokenId || scopes.includes(FULL_ACCESS)) return null;
  const required = lacking(scopes, token.scopes);
  if (required.length > 0) return { kind: "insufficient_scope", required };
  const message = "A token without full access cannot revoke a token that outlives it";
  return token.expiresAt > expiresAt ? { kind: "forbidden", message } : null;
}

/** The requested scopes that are not covered. */
export const lacking = (scopes: readonly string[], asked: readonly string[]): string[] =>
  asked.filter((scope) => !hasScope(scopes, scope));

const UNKNOWN_TOKEN = refuse({ kind: "unauthenticated", reason: "unknown token" });

/**
 * Whether it has expired. Compares texts, whose order is that of the times: parsing them would cost more than the rest
 * of the turn.
 */
const isTokenOver = ({ kind, expiresAt, lastUsedAt, createdAt }: Token, now: number): boolean =>
  expiresAt <= isoTime(now) || (kind === "session" && (lastUsedAt ?? createdAt) <= isoTime(now - SESSION_IDLE_MS));

/**
 * Until when `authenticate` gives the same reply for a valid token. Its next use must be recorded, long before a
 * session counts as idle.
 */
const freshUntil = (expiresAt: string, lastUsedAt: string): number =>
  Math.min(Date.parse(expiresAt), Date.parse(lastUsedAt) + LAST_USED_PRECISION_MS);

/** Whether it is revoked or expired. */
export const hasTokenEnded = (token: Token, now: number): boolean =>
  token.revokedAt !== null || isTokenOver(token, now);

/** The membership number that a credential of this member gets. */
export const membershipField = ({ membership }: Member): Pick<Member, "membership"> =>
  membership === undefined ? {} : { membership };

/** Whether the person is a member, and has been since the credential was made. */
export const isOfMember = ({ membership = 0 }: Token | Grant, member: Member | null): member is Member =>
  member !== null && member.status === "active" && (member.membership ?? 0) === membership;

/** The person for whom a token is valid now. */
function bearerMember(tx: Tx, token: Token): Outcome<Member> {
  if (token.revokedAt !== null) return refuse({ kind: "unauthenticated", reason: "revoked token" });
  if (isTokenOver(token, tx.now)) return refuse({ kind: "token_expired" });
  const member = tx.read(memberTable, token.userId);
  if (!isOfMember(token, member))
    return refuse({ kind: "unauthenticated", reason: "the token's user is not a member any more" });
  // Checked last, so that only a valid token learns of it.
  return isSuspended(tx) ? SUSPENDED : ok(member);
}

/**
 * Why a token may not create this one. Checked in the turn that creates it; otherwise a token could still create one
 * after its own revocation.
 */
function unlessMayMint(tx: Tx, { scopes }: NewToken, by: Principal): Outcome<never> | null {
  const own = tx.read(tokenTable, by.tokenId);
  const bearer = own === null ? UNKNOWN_TOKEN : bearerMember(tx, own);
  if (!bearer.ok) return bearer;
  const required = lacking(by.scopes, scopes);
  return required.length === 0 ? null : refuse({ kind: "insufficient_scope", required });
}
