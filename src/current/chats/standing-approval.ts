/** `auto_approve` decides beforehand what approvals would ask, so it takes what deciding takes (CHAT-9). */
import { ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { hasScope, type Principal } from "../../../actors/organization/principal.ts";

const DECIDING = "jobs:write";

export function mayApprove({ scopes }: Principal, autoApprove: boolean | undefined): Outcome<null> {
  if (autoApprove !== true || hasScope(scopes, DECIDING)) return ok(null);
  return refuse({ kind: "insufficient_scope", required: [DECIDING] });
}
