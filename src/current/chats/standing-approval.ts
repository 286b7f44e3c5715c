/** `auto_approve` decides approvals in advance, so it requires the same rights as deciding them (CHAT-9). */
import { ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { hasScope, type Principal } from "../../../actors/organization/principal.ts";

const DECIDING = "jobs:write";

export function mayApprove({ scopes }: Principal, autoApprove: boolean | undefined): Outcome<null> {
  if (autoApprove !== true || hasScope(scopes, DECIDING)) return ok(null);
  return refuse({ kind: "insufficient_scope", required: [DECIDING] });
}
