/**
 * A person's grant to a program (MCP-2): a family of tokens. The person's consent creates the grant and a code. The
 * code is redeemed once, and each refresh token is used once:
 *
 *   offered ──code──▶ active ──refresh──▶ active ──▶ …
 *      │                └── ended by its person, by the program, or by a second use of a code or a refresh token
 *      └── unused in time
 *
 * A second use means that somebody has a copy, and nobody knows who, so all tokens of the family end. Only within
 * seconds of the first use does a refresh token get the same answer again: answers are lost, and two tabs of one
 * program refresh at once.
 * The turn that takes a code or a refresh token creates the next tokens, so none is accepted twice.
 */
import { isSameHash } from "../sealing.ts";
import { type Fault, notFound, ok, type Outcome, refuse } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { CLOCK_SKEW_MS } from "../runtime/ports.ts";
import { isoTime } from "../schema.ts";
import { noteInAudit, OPERATOR } from "./audit.ts";
import type { Issued, NewAccessToken, Origin } from "./people-protocol.ts";
import { isSuspended, type Principal } from "./principal.ts";
import type { OrganizationProtocol } from "./protocol.ts";
import { type Grant, grantTable, memberTable, tokenTable } from "./schema.ts";
import { revokeWithDescendants } from "./token-lineage.ts";
import { isOfMember, lacking, membershipField, mintToken } from "./tokens.ts";

/** A program redeems its code at once, as soon as the browser has returned to it. */
export const CODE_MS = 60_000;
/** A grant that is not refreshed for this long ends. */
export const GRANT_IDLE_MS = 90 * 86_400_000;
/** For so long after its use a refresh token gets the same tokens again, if they are still the newest. */
export const REFRESH_AGAIN_MS = 10_000;
/** Access tokens of a grant that are valid at once: the newest, and the one that requests in flight still carry. */
const LIVING_TOKENS = 2;

export const grantHandlers = {
  offer_grant(tx, { grant, origin }) {
    const member = tx.read(memberTable, grant.userId);
    const made = tx.create(grantTable, {
      ...grant,
      ...(member === null ? {} : membershipField(member)),
      scopes: [...grant.scopes],
      id: tx.id("gra"),
      status: "offered",
      codeExpiresAt: isoTime(tx.now + CODE_MS),
      generation: 0,
      expiresAt: isoTime(tx.now + CODE_MS),
      accessTokenIds: [],
    });
    noteInAudit(
      tx,
      { action: "grant.created", subjectId: made.id, detail: `${made.clientName}: ${made.scopes.join(" ")}` },
      origin,
    );
    return ok(made);
  },

  redeem_code(tx, { grantId, given, token, origin }) {
    const grant = tx.read(grantTable, grantId);
    if (grant === null || !isSameHash(grant.codeHash, given.codeHash)) return ISSUE_REFUSED;
    // A code is bound to the client and address that requested it; with others it was stolen.
    const isTheirs =
      grant.clientId === given.clientId &&
      grant.redirectUri === given.redirectUri &&
      isSameHash(grant.codeChallenge, given.codeChallenge) &&
      (given.resource === null || given.resource === grant.resource);
    if (grant.status !== "offered") return isTheirs ? endReusedGrant(tx, grant, origin) : ISSUE_REFUSED;
    if (!isTheirs || grant.codeExpiresAt <= isoTime(tx.now)) return ISSUE_REFUSED;
    return issueTokens(tx, grant, token);
  },

  refresh_grant(tx, { grantId, given, token, origin }) {
    const grant = tx.read(grantTable, grantId);
    if (grant === null || grant.status !== "active" || grant.clientId !== given.clientId) return ISSUE_REFUSED;
    if (given.generation !== grant.generation)
      return reissueTokens(tx, grant, { ...given, token }) ?? endReusedGrant(tx, grant, origin);
    if (grant.expiresAt <= isoTime(tx.now)) return ISSUE_REFUSED;
    if (given.resource !== null && given.resource !== grant.resource) return ISSUE_REFUSED;
    return issueTokens(tx, grant, token, given.scopes);
  },

  end_grant(tx, { grantId, userId, by, origin = OPERATOR }) {
    const grant = tx.read(grantTable, grantId);
    if (grant === null || (userId !== null && grant.userId !== userId)) return notFound("grant");
    const refused = by === undefined ? null : endingRefusal(grant, by);
    if (refused !== null && grant.status !== "ended") return refuse(refused);
    if (grant.status === "ended") return ok({ grant, endedIds: [], isUnchanged: true });
    return ok({ ...endGrantTokens(tx, grant, { action: "grant.ended", origin }), isUnchanged: false });
  },

  grant_of_token: (tx, { tokenId }) => ok(tx.read(tokenTable, tokenId)?.grantId ?? null),
} satisfies Partial<Handlers<OrganizationProtocol>>;

/**
 * Why a token may not end this grant: its own permissions are narrower. A program's own token always may (as for
 * tokens, AUTH-10).
 */
export function endingRefusal({ scopes, accessTokenIds }: Grant, by: Principal): Fault | null {
  if (accessTokenIds.includes(by.tokenId)) return null;
  const required = lacking(by.scopes, scopes);
  return required.length === 0 ? null : { kind: "insufficient_scope", required };
}

const ISSUE_REFUSED: Outcome<Issued> = ok({ kind: "refused", endedIds: [] });

/** Issues the next tokens of the family. With `scopes`, the access token has only those of the grant's scopes. */
function issueTokens(
  tx: Tx,
  grant: Grant,
  token: NewAccessToken,
  scopes: readonly string[] | null = null,
): Outcome<Issued> {
  const member = tx.read(memberTable, grant.userId);
  if (!isOfMember(grant, member) || isSuspended(tx)) return ISSUE_REFUSED;
  const granted = scopes === null ? grant.scopes : grant.scopes.filter((scope) => scopes.includes(scope));
  if (granted.length === 0) return ISSUE_REFUSED;
  const made = mintToken(
    tx,
    {
      ...token,
      kind: "oauth",
      name: grant.clientName,
      userId: grant.userId,
      scopes: granted,
      audience: grant.resource,
      grantId: grant.id,
    },
    { madeWith: null, parentId: null, member },
  );
  const living = [...grant.accessTokenIds, made.id];
  const endedIds = living
    .splice(0, Math.max(0, living.length - LIVING_TOKENS))
    .flatMap((id) => revokeTokenFamily(tx, id));
  const active = tx.update<Grant>(grantTable, {
    ...grant,
    status: "active",
    generation: grant.generation + 1,
    issuedAt: isoTime(tx.now),
    expiresAt: isoTime(tx.now + GRANT_IDLE_MS),
    accessTokenIds: living,
  });
  return ok({ kind: "issued", grant: active, token: made, endedIds });
}

/**
 * The tokens that the last refresh has issued, for the same request again; null if it is too late. The secret of the
 * access token is derived from the grant and its generation, so it is the same one.
 */
function reissueTokens(
  tx: Tx,
  grant: Grant,
  { generation, resource, token }: { generation: number; resource: string | null; token: NewAccessToken },
): Outcome<Issued> | null {
  const { issuedAt, accessTokenIds } = grant;
  if (generation !== grant.generation - 1 || (resource !== null && resource !== grant.resource)) return null;
  if (issuedAt === undefined) return null;
  const ageMs = tx.now - Date.parse(issuedAt);
  // A time in the future was stamped by a wrong clock.
  if (ageMs >= REFRESH_AGAIN_MS || ageMs < -CLOCK_SKEW_MS) return null;
  const newest = tx.read(tokenTable, accessTokenIds.at(-1) ?? "");
  if (newest?.hash !== token.hash || newest.revokedAt !== null) return null;
  if (!isOfMember(grant, tx.read(memberTable, grant.userId)) || isSuspended(tx)) return ISSUE_REFUSED;
  return ok({ kind: "issued", grant, token: newest, endedIds: [] });
}

function endReusedGrant(tx: Tx, grant: Grant, origin: Origin): Outcome<Issued> {
  if (grant.status === "ended") return ISSUE_REFUSED;
  return ok({ kind: "refused", endedIds: endGrantTokens(tx, grant, { action: "grant.reused", origin }).endedIds });
}

interface EndedGrant {
  readonly grant: Grant;
  readonly endedIds: readonly string[];
}

function endGrantTokens(
  tx: Tx,
  grant: Grant,
  of: { action: "grant.ended" | "grant.reused"; origin: Origin },
): EndedGrant {
  const endedIds = grant.accessTokenIds.flatMap((id) => revokeTokenFamily(tx, id));
  const ended = tx.update<Grant>(grantTable, {
    ...grant,
    status: "ended",
    accessTokenIds: [],
    expiresAt: isoTime(tx.now),
  });
  noteInAudit(tx, { action: of.action, subjectId: grant.id, detail: grant.clientName }, of.origin);
  return { grant: ended, endedIds };
}

function revokeTokenFamily(tx: Tx, tokenId: string): readonly string[] {
  const token = tx.read(tokenTable, tokenId);
  return token === null || token.revokedAt !== null ? [] : revokeWithDescendants(tx, token).endedIds;
}
