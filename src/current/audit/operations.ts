/** The audit of an organization (AUTH-17), for its owners. */
import { AUDIT_ACTIONS } from "../../../actors/organization/schema.ts";
import { Nullable, OneOf, Timestamp } from "../../../actors/schema.ts";
import { idFilter } from "../../http/contract/field.ts";
import { Id, listOf, noun, Text } from "../../http/contract/noun.ts";
import { operationGroup } from "../../http/contract/operation.ts";
import { pageQuery } from "../paging.ts";

export const AuditEntryView = noun("AuditEntry", "What somebody did with a credential, or to a member", {
  id: Id("aud", "The entry's id"),
  action: OneOf(AUDIT_ACTIONS, { description: "What was done", examples: ["token.created"] }),
  user_id: Nullable(Id("usr", "Who did it; null: the operator, or somebody who is not known")),
  token_id: Nullable(Id("tok", "The token or session with which it was done")),
  address: Nullable(Text("The remote address; an IPv6 address as its /64", "203.0.113.7")),
  subject_id: Nullable(
    Text("What it was done to: a token, a user, a grant, an invitation", "tok_V1StGXR8_Z5jdHi6B-myT"),
  ),
  detail: Nullable(Text("A name or a role, for people", "The build server")),
  created_at: Timestamp,
});

export const auditOperations = operationGroup("Audit", "Who signed in, and who made, used or revoked what", {
  listAuditEntries: {
    method: "GET",
    path: "/api/audit",
    scope: "tokens:read",
    isForOwners: true,
    summary: "List what was done with credentials and members",
    description: "For owners. Newest first; entries are kept for 365 days.",
    query: {
      ...pageQuery("audit_entries"),
      action: OneOf(AUDIT_ACTIONS, { description: "Only this action" }),
      user_id: idFilter(Id("usr", "Only what this user did")),
    },
    answers: { 200: listOf("AuditEntryList", "audit_entries", AuditEntryView) },
    errors: ["invalid_request", "invalid_cursor"],
  },
});
