/** Secrets for the runner, over the actor and the service's key. */
import { notFound, ok } from "../../actors/fault.ts";
import { type Sealing, secretContext } from "../../actors/sealing.ts";
import type { SecretReader } from "../connections/client-secret.ts";
import type { ProviderKeys } from "../../actors/job/ports.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";

/** Port: `src/runner/mcp/header-secrets.ts`. */
export function actorSecretReader(system: TroupeSystem, sealing: Sealing): SecretReader {
  return {
    async read(organizationId, name) {
      const sealed = await system.dispatch(organizationRef(organizationId), { kind: "read_secret", name });
      if (!sealed.ok) return sealed;
      const value = sealing.open("secret", sealed.value, secretContext(organizationId, name));
      return value === null ? notFound("secret") : ok(value);
    },
  };
}

/** The provider key of a call (port: `actors/job/ports.ts`), from the organization's settings. */
export const actorProviderKeys = (system: TroupeSystem): ProviderKeys => ({
  async secretFor(organizationId, provider) {
    if (provider === "demo") return ok(null);
    return await system.dispatch(organizationRef(organizationId), { kind: "read_provider_key", provider });
  },
});
