/** Reads secrets for the runner (port: `src/runner/mcp/header-secrets.ts`), over the actor and the service's key. */
import { notFound, ok } from "../../actors/fault.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import { type Sealing, secretContext } from "../../actors/sealing.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import type { SecretReader } from "../runner/mcp/header-secrets.ts";

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
