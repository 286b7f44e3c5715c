/** What every record of the current surface carries (GEN-1, GEN-5), and what callers say about its version. */
import { invalid, ok, type Outcome } from "../../actors/fault.ts";
import { hasScope, type Principal } from "../../actors/organization/principal.ts";
import type { RecordFields } from "../../actors/runtime/actor.ts";
import { Timestamp, Type } from "../../actors/schema.ts";
import { Id } from "../http/noun.ts";

/** What every record shows, as schemas. */
export const RECORD = {
  organization_id: Id("org", "The organization that owns it"),
  version: Type.Integer({ minimum: 0, description: "One more with each change; `If-Match` takes it", examples: [3] }),
  created_at: Timestamp,
  updated_at: Timestamp,
  links: Type.Record(Type.String(), Type.String(), {
    description: "Where what belongs to it is, by name",
    examples: [{ self: "/api/…" }],
  }),
  allowed_actions: Type.Array(Type.String(), {
    description: "What this caller may do with it now",
    examples: [["update"]],
  }),
};

/** The verbs that this caller's token covers: each needs `scope`, or the one that `others` names for it. */
export const permitted = (
  by: Principal,
  scope: string,
  actions: readonly string[],
  others: Readonly<Record<string, string>> = {},
): readonly string[] => actions.filter((action) => hasScope(by.scopes, others[action] ?? scope));

/** `version`, times, organization, links and the verbs that may be used now. */
export const recordView = (
  record: RecordFields,
  links: Readonly<Record<string, string>>,
  actions: readonly string[],
) => ({
  organization_id: record.organizationId,
  version: record.version,
  created_at: record.createdAt,
  updated_at: record.updatedAt,
  links,
  allowed_actions: actions,
});

/** The version of `If-Match`, bare or quoted; null where the header is not sent. */
export function ifMatch(request: Request): Outcome<number | null> {
  const header = request.headers.get("if-match");
  if (header === null || header.trim() === "*") return ok(null);
  const match = /^\s*"?(\d{1,15})"?\s*$/.exec(header);
  return match === null
    ? invalid("/if-match", "If-Match must be the version of the record, a whole number")
    : ok(Number(match[1]));
}
