/** Signs who acts, by the keys of the service (port: `actors/job/ports.ts`). */
import { BoundedMap } from "../../actors/bounded-map.ts";
import { randomText } from "../../actors/ids.ts";
import { MINUTE_MS } from "../../actors/units.ts";
import type { Clock } from "../../actors/runtime/ports.ts";
import type { ActingAgent, AgentIdentities } from "../../actors/job/ports.ts";
import type { IdentityKeys } from "./identity-keys.ts";

/** Long enough for clocks that differ and a slow request. */
export const IDENTITY_MS = 5 * MINUTE_MS;
const JTI_CHARACTERS = 21;
/** The `typ` of the header: nobody takes such a token for another kind (RFC 8725, 3.11). */
export const IDENTITY_TYPE = "agent-identity+jwt";

/** A token serves the requests of a minute: what was sent is masked in answers, and should stay a short list. */
const TOKEN_REUSE_MS = MINUTE_MS;
/** Tokens that are kept for reuse; each has less than a KiB. */
const TOKENS_REMEMBERED = 1_000;

export class SignedIdentities implements AgentIdentities {
  private readonly keys: IdentityKeys;
  private readonly clock: Pick<Clock, "now">;
  private readonly appUrl: () => string;
  private readonly made = new BoundedMap<{ readonly token: string; readonly at: number }>(TOKENS_REMEMBERED);

  constructor(
    keys: IdentityKeys,
    { clock, appUrl }: { readonly clock: Pick<Clock, "now">; readonly appUrl: () => string },
  ) {
    this.keys = keys;
    this.clock = clock;
    this.appUrl = appUrl;
  }

  tokenFor(audience: string, by: ActingAgent): string {
    const now = this.clock.now();
    const key = JSON.stringify([audience, by.organizationId, by.userId, by.agentId, by.jobId]);
    const known = this.made.get(key);
    // A token from the future was made before the clock was set back.
    if (known !== undefined && now >= known.at && now < known.at + TOKEN_REUSE_MS) return known.token;
    const token = this.keys.signed(IDENTITY_TYPE, this.claims(audience, by, Math.floor(now / 1_000)));
    this.made.set(key, { token, at: now });
    return token;
  }

  private claims(audience: string, { organizationId, userId, agentId, jobId }: ActingAgent, seconds: number): object {
    return {
      iss: this.appUrl(),
      sub: userId,
      // Who acts for the subject (RFC 8693).
      ...(agentId === undefined ? {} : { act: { sub: agentId } }),
      aud: audience,
      iat: seconds,
      exp: seconds + IDENTITY_MS / 1_000,
      jti: randomText(JTI_CHARACTERS),
      organization_id: organizationId,
      ...(jobId === undefined ? {} : { job_id: jobId }),
    };
  }
}
