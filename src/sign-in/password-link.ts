/**
 * Links that set a password once (AUTH-16). Only the operator creates them, at the first run and with `bun run admin
 * user link`: otherwise an owner could take over the account of a person who also belongs to other organizations. The
 * key is in the query, which is never logged. Opening the page does not use it up, because mail programs open links.
 */
import { accountRef } from "../../actors/account/schema.ts";
import type { Outcome } from "../../actors/fault.ts";
import { isoTime } from "../../actors/schema.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import { keyHash, newKey } from "../http/admission/token.ts";

/** How long a link is valid. */
export const LINK_HOURS = 24;
export const PASSWORD_PATH = "/set-password";

/** Creates a link for this person, which replaces the previous one; answers its path. */
export async function makePasswordLink(
  system: Pick<TroupeSystem, "dispatch">,
  userId: string,
  now: number,
): Promise<Outcome<string>> {
  const key = newKey();
  const link = { hash: keyHash(key), expiresAt: isoTime(now + LINK_HOURS * 3_600_000) };
  const made = await system.dispatch(accountRef(userId), { kind: "make_link", link });
  return made.ok ? { ok: true, value: `${PASSWORD_PATH}?user=${userId}&key=${key}` } : made;
}
