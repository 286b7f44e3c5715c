/** The audit of an organization (AUTH-17), for its owners. */
import { AUDIT_ACTIONS } from "../../../actors/organization/schema.ts";
import { Nullable, OneOf, Timestamp, Type } from "../../../actors/schema.ts";
import { idFilter, timeField, withDefault } from "../../http/contract/field.ts";
import { Id, listOf, noun, Text } from "../../http/contract/noun.ts";
import { media, operationGroup } from "../../http/contract/operation.ts";
import { pageQuery } from "../paging.ts";

const EXPORT_FORMATS = ["csv", "ndjson"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

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

const FILTERS = {
  action: OneOf(AUDIT_ACTIONS, { description: "Only this action" }),
  user_id: idFilter(Id("usr", "Only what this user did")),
  created_after: timeField({ description: "Only entries after this time", examples: ["2026-01-01T00:00:00Z"] }),
  created_before: timeField({ description: "Only entries before this time", examples: ["2100-01-01T00:00:00Z"] }),
};

export const auditOperations = operationGroup("Audit", "Who signed in, and who made, used or revoked what", {
  listAuditEntries: {
    method: "GET",
    path: "/api/audit",
    scope: "tokens:read",
    isForOwners: true,
    summary: "List what was done with credentials and members",
    description: "For owners. Newest first; entries are kept for 365 days.",
    query: { ...pageQuery("audit_entries"), ...FILTERS },
    answers: { 200: listOf("AuditEntryList", "audit_entries", AuditEntryView) },
    errors: ["invalid_request", "invalid_cursor"],
  },
  exportAudit: {
    method: "GET",
    path: "/api/audit/export",
    scope: "tokens:read",
    isForOwners: true,
    summary: "Export the audit as one file",
    description:
      "For owners. Newest first, streamed. In CSV a text that a spreadsheet would take for a formula has an apostrophe before it. A file that is cut off ends without the end of its transfer: repeat the request.",
    query: {
      ...FILTERS,
      format: withDefault(
        OneOf(EXPORT_FORMATS, { description: "`csv`, or `ndjson`: an entry as JSON in each line" }),
        "csv",
      ),
    },
    answers: {
      200: media({
        "text/csv": Type.String({ description: "The names of the columns, then a row for each entry" }),
        "application/x-ndjson": Type.String({ description: "An `AuditEntry` in each line" }),
      }),
    },
    answerHeaders: ["Content-Disposition"],
    errors: ["invalid_request"],
  },
});
