/** Organizations, people and tokens of a test, made through the actors as the administration command makes them. */
import { newId } from "../../actors/ids.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import type { Clock } from "../../actors/runtime/ports.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import { makeToken } from "../../src/http/admission/token.ts";
import type { Caller, Service, TokenOptions } from "./service.ts";

const DAY_MS = 86_400_000;

export function peopleOf(system: TroupeSystem, clock: Clock): Pick<Service, "found" | "join" | "tokenFor"> {
  const mint = (userId: string, { kind = "personal", scopes = ["*"], expiresAt }: TokenOptions) => {
    const { secret, hash, hint } = makeToken(kind);
    const expiry = expiresAt ?? new Date(clock.now() + 90 * DAY_MS).toISOString();
    return { secret, token: { kind, name: "test", hash, hint, userId, scopes, expiresAt: expiry } };
  };
  const tokenFor = async (organizationId: string, userId: string, options: TokenOptions): Promise<Caller> => {
    const { secret, token } = mint(userId, options);
    const made = unwrap(
      await system.dispatch(organizationRef(organizationId), { kind: "create_token", token, by: null }),
    );
    return { organizationId, userId, token: secret, tokenId: made.id };
  };
  return {
    async found(name = "Acme") {
      const organizationId = newId("org");
      const userId = newId("usr");
      const { secret, token } = mint(userId, {});
      const owner = { userId, name: "Owner", email: `${userId}@example.com` };
      const command = { kind: "found_organization", name, owner, tokens: [token] } as const;
      const made = unwrap(await system.dispatch(organizationRef(organizationId), command));
      return { organizationId, userId, token: secret, tokenId: made.tokens[0]!.id, workspaceId: made.workspace.id };
    },
    async join(organizationId, role = "member") {
      const userId = newId("usr");
      const command = { kind: "add_member", userId, name: "Member", email: `${userId}@example.com`, role } as const;
      unwrap(await system.dispatch(organizationRef(organizationId), command));
      return tokenFor(organizationId, userId, {});
    },
    tokenFor: ({ organizationId, userId }, options) => tokenFor(organizationId, userId, options),
  };
}

function unwrap<T>(outcome: { ok: true; value: T } | { ok: false; fault: object }): T {
  if (!outcome.ok) throw new Error(`refused: ${JSON.stringify(outcome.fault)}`);
  return outcome.value;
}
