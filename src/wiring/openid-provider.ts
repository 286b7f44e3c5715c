import { createEgress } from "../egress/egress.ts";
import type { HttpLog } from "../log/port.ts";
import type { Config } from "../settings/settings.ts";
import { OpenIdProvider } from "../sign-in/openid/provider.ts";
import { systemClock } from "./clock.ts";

/**
 * The provider by which people sign in (AUTH-21), or null if the operator has set none. The operator chooses its host,
 * which may be a private one, so it has its own guarded client.
 */
export function openIdProvider(
  { oidcIssuer, oidcClientId, oidcClientSecret, oidcName, egressAllow, nodeEnv }: Config,
  log: HttpLog,
): { readonly client: OpenIdProvider; close(): void } | null {
  if (oidcIssuer === undefined || oidcClientId === undefined || oidcClientSecret === undefined) return null;
  const { host, hostname } = new URL(oidcIssuer);
  const allow = [...egressAllow, hostname.replace(/^\[(.*)\]$/, "$1")];
  const egress = createEgress({ allow, production: nodeEnv === "production" }, log);
  const settings = {
    issuer: oidcIssuer,
    clientId: oidcClientId,
    clientSecret: oidcClientSecret,
    name: oidcName ?? host,
  };
  return { client: new OpenIdProvider(settings, { egress, clock: systemClock, log }), close: () => egress.close() };
}
