/** Credentials of the caller that are not named tokens: browser sessions, and grants to programs (AUTH-20). */
import { organizationRef } from "../../../actors/organization/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { activeSessions } from "../../http/admission/active-sessions.ts";
import { originOf } from "../../http/request/caller.ts";
import { operation } from "../../operations/operation.ts";
import { pageOf, pageQuery, shownPage } from "../paging.ts";
import { GrantId, SessionId } from "../path-ids.ts";
import { doneIf } from "../updating.ts";
import { GrantList, GrantView, grantView, RevokedSessions, SessionList, SessionView, sessionView } from "./schema.ts";

export const sessionOperations = {
  listSessions: operation(
    {
      method: "GET",
      path: "/api/sessions",
      scope: "tokens:read",
      summary: "List your sessions",
      description: "Browsers in which you have signed in to this organization, newest first.",
      query: pageQuery("sessions"),
      answers: { 200: SessionList },
    },
    async ({ directory, clock, readCommitted }, { principal }, { query }) => {
      const { organizationId, userId } = principal;
      const filter = { kind: "session", userId } as const;
      const read = () => directory.pageTokens(organizationId, filter, pageOf(query));
      return shownPage("sessions", readCommitted(organizationId, read), (session) =>
        sessionView(session, principal, clock.now()),
      );
    },
  ),

  revokeSession: operation(
    {
      method: "POST",
      path: "/api/sessions/{id}/revoke",
      scope: "tokens:write",
      summary: "End one of your sessions",
      description:
        "Takes effect with the next request, and closes the session's open streams. Needs a session or a token with the scope `*`.",
      params: { id: SessionId },
      answers: { 200: SessionView },
      errors: ["forbidden"],
      emits: "resource.deleted",
    },
    async ({ clock, streams }, change, { params: { id: tokenId } }) => {
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
  ),

  revokeOtherSessions: operation(
    {
      method: "POST",
      path: "/api/sessions/revoke-others",
      scope: "tokens:write",
      summary: "End all your other sessions",
      description:
        "Ends all your sessions in this organization except the current one. Needs a session or a token with the scope `*`.",
      answers: { 200: RevokedSessions },
      errors: ["forbidden"],
      emits: "resource.deleted",
    },
    async (services, change) => {
      const { principal } = change;
      const { organizationId, userId } = principal;
      const sessions = await activeSessions(services, organizationId, userId);
      if (!sessions.ok) return sessions;
      const ref = organizationRef(organizationId);
      const of = { kind: "session", userId } as const;
      const origin = originOf(change);
      const ids = sessions.value.map(({ id }) => id).filter((id) => id !== principal.tokenId);
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
  ),

  listOauthGrants: operation(
    {
      method: "GET",
      path: "/api/oauth-grants",
      scope: "tokens:read",
      summary: "List the programs that you have granted access",
      description: "Newest first; ended grants are listed for 30 days.",
      query: pageQuery("oauth_grants"),
      answers: { 200: GrantList },
    },
    async ({ directory, clock, readCommitted }, { principal }, { query }) => {
      const { organizationId, userId } = principal;
      const grants = readCommitted(organizationId, () => directory.pageGrants(organizationId, userId, pageOf(query)));
      return shownPage("oauth_grants", grants, (grant) => grantView(grant, principal, clock.now()));
    },
  ),

  revokeOauthGrant: operation(
    {
      method: "POST",
      path: "/api/oauth-grants/{id}/revoke",
      scope: "tokens:write",
      summary: "End a program's access",
      description:
        "Takes effect with the next request, and closes the program's open streams. A token cannot end a grant that has scopes which the token lacks.",
      params: { id: GrantId },
      answers: { 200: GrantView },
      emits: "resource.deleted",
    },
    async ({ clock, streams }, change, { params: { id: grantId } }) => {
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
  ),
};
