/** The provider key of a call (port: `actors/job/ports.ts`), from the organization's settings. */
import { ok } from "../../actors/fault.ts";
import type { ProviderKeys } from "../../actors/job/ports.ts";
import { KEYED_PROVIDERS, organizationRef } from "../../actors/organization/schema.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";

export const actorProviderKeys = (system: TroupeSystem): ProviderKeys => ({
  async secretFor(organizationId, name) {
    const provider = KEYED_PROVIDERS.find((keyed) => keyed === name);
    if (provider === undefined) return ok(null);
    return await system.dispatch(organizationRef(organizationId), { kind: "read_provider_key", provider });
  },
});
