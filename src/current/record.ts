/** The common part of every record of the current surface (GEN-1, GEN-5). */
import { hasScope, type Principal } from "../../actors/organization/principal.ts";
import type { RecordFields } from "../../actors/runtime/actor.ts";
import { Timestamp, Type } from "../../actors/schema.ts";
import { Id } from "../http/contract/noun.ts";

/** The common fields as schemas. */
export const RECORD = {
  organization_id: Id("org", "The organization that owns it"),
  version: Type.Integer({
    minimum: 0,
    description: "Version number; rises by one with each change. Send it in `If-Match`",
    examples: [3],
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
  links: Type.Record(Type.String(), Type.String(), {
    description: "Links to related resources, by name",
    examples: [{ self: "/api/…" }],
  }),
  allowed_actions: Type.Array(Type.String(), {
    description: "Actions that the caller may take now",
    examples: [["update"]],
  }),
};

/** The verbs that this caller's token allows: each needs `scope`, or the scope that `others` names for it. */
export const permittedActions = (
  by: Principal,
  scope: string,
  actions: readonly string[],
  others: Readonly<Record<string, string>> = {},
): readonly string[] => actions.filter((action) => hasScope(by.scopes, others[action] ?? scope));

/** `version`, times, organization, links and the currently available verbs. */
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
