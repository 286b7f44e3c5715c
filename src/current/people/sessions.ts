/** Credentials of the caller that are not named tokens: browser sessions, and grants to programs (AUTH-20). */
import { mapped, ok, type Outcome } from "../../../actors/fault.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { organizationRef, type Token } from "../../../actors/organization/schema.ts";
import { hasEnded } from "../../../actors/organization/tokens.ts";
import { type Page, PAGE_LIMIT, type PageCursor } from "../../../actors/page.ts";
import { ask } from "../../../actors/troupe.ts";
import type { Handlers } from "../../http/contract/operation.ts";
import { originOf } from "../../http/request/caller.ts";
import { lookUp } from "../../log/look-up.ts";
import type { Services } from "../../operations/services.ts";
import { pageOf, pageView } from "../paging.ts";
import { doneIf } from "../updating.ts";
import type { sessionOperations } from "./operations.ts";
import { grantView, sessionView } from "./schema.ts";

export const sessionHandlers: Handlers<typeof sessionOperations.operations, Services> = {
  async listSessions({ system, directory, clock, log }, { principal }, { query }) {
    const { organizationId, userId } = principal;
    const settled = await system.settled(organizationId);
    if (!settled.ok) return settled;
    const filter = { kind: "session", userId } as const;
    const sessions = await lookUp(log, directory.pageTokens(organizationId, filter, pageOf(query)));
    const now = clock.now();
    return mapped(sessions, (page) => pageView("sessions", page, (session) => sessionView(session, principal, now)));
  },

  async revokeSession({ clock, streams }, change, { params: { id: tokenId } }) {
    const { principal } = change;
    const { organizationId, userId } = principal;
    const of = { kind: "session", userId } as const;
    const command = { kind: "revoke_token", tokenId, of, by: principal, origin: originOf(change) } as const;
    const now = clock.now();
    const revoked = await change.commit([ask(organizationRef(organizationId), command)], ({ token, endedIds }) =>
      doneIf(endedIds.length > 0, sessionView(token, principal, now)),
    );
    if (revoked.ok) streams.closeOf(tokenId);
    return revoked;
  },

  async revokeOtherSessions(services, change) {
    const { principal } = change;
    const { organizationId, userId } = principal;
    const others = await otherSessions(services, principal);
    if (!others.ok) return others;
    const ref = organizationRef(organizationId);
    const of = { kind: "session", userId } as const;
    const origin = originOf(change);
    const ids = others.value.map(({ id }) => id);
    const revoked = await change.commit(
      [
        ask(ref, { kind: "read_member", userId }),
        ...ids.map((tokenId) => ask(ref, { kind: "revoke_token", tokenId, of, by: principal, origin } as const)),
      ],
      () => doneIf(ids.length > 0, { revoked: ids.length }),
    );
    if (revoked.ok) for (const id of ids) services.streams.closeOf(id);
    return revoked;
  },

  async listOauthGrants({ system, directory, clock, log }, { principal }, { query }) {
    const { organizationId, userId } = principal;
    const settled = await system.settled(organizationId);
    if (!settled.ok) return settled;
    const grants = await lookUp(log, directory.pageGrants(organizationId, userId, pageOf(query)));
    const now = clock.now();
    return mapped(grants, (page) => pageView("oauth_grants", page, (grant) => grantView(grant, principal, now)));
  },

  async revokeOauthGrant({ clock, streams }, change, { params: { id: grantId } }) {
    const { principal } = change;
    const { organizationId, userId } = principal;
    const command = { kind: "end_grant", grantId, userId, by: principal, origin: originOf(change) } as const;
    const now = clock.now();
    let ended: readonly string[] = [];
    const revoked = await change.commit(
      [ask(organizationRef(organizationId), command)],
      ({ grant, endedIds, isUnchanged }) => {
        ended = endedIds;
        return doneIf(!isUnchanged, grantView(grant, principal, now));
      },
    );
    for (const id of ended) streams.closeOf(id);
    return revoked;
  },
};

/** The caller's active sessions, except the one of this request. */
async function otherSessions(
  { system, directory, clock, log }: Services,
  { organizationId, userId, tokenId }: Principal,
): Promise<Outcome<readonly Token[]>> {
  const settled = await system.settled(organizationId);
  if (!settled.ok) return settled;
  const now = clock.now();
  const filter = { kind: "session", userId } as const;
  const found: Token[] = [];
  let after: PageCursor | null = null;
  do {
    const page: Outcome<Page<Token>> = await lookUp(
      log,
      directory.pageTokens(organizationId, filter, { limit: PAGE_LIMIT, after }),
    );
    if (!page.ok) return page;
    found.push(...page.value.records.filter((each) => each.id !== tokenId && !hasEnded(each, now)));
    after = page.value.next;
  } while (after !== null);
  return ok(found);
}
