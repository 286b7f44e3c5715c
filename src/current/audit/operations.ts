/** Reads the audit (AUTH-17); `actors/organization/audit.ts` writes it. */
import { mapOutcome, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import type { AuditFilter } from "../../../actors/organization/directory.ts";
import { AUDIT_ACTIONS, type AuditEntry, organizationRef } from "../../../actors/organization/schema.ts";
import { PAGE_LIMIT, type PageCursor } from "../../../actors/page.ts";
import { OneOf, Type } from "../../../actors/schema.ts";
import { idFilter, inOrder, timeField, withDefault } from "../../http/contract/field.ts";
import { fieldsFrom, Id, listOf, recordNamed } from "../../http/contract/noun.ts";
import { type Input, media, type Shown } from "../../http/contract/operation.ts";
import { lookUp } from "../../log/look-up.ts";
import { operation } from "../../operations/operation.ts";
import { pageOf, pageQuery, shownPage } from "../paging.ts";
import { AuditEntryView, auditFile, EXPORT_FORMATS } from "./export.ts";

const AUDIT_FILTERS = {
  action: OneOf(AUDIT_ACTIONS, { description: "Only this action" }),
  user_id: idFilter(Id("usr", "Only actions of this user")),
  created_after: timeField({ description: "Only entries after this time", examples: ["2026-01-01T00:00:00Z"] }),
  created_before: timeField({ description: "Only entries before this time", examples: ["2100-01-01T00:00:00Z"] }),
};

export const auditOperations = {
  listAuditEntries: operation(
    {
      method: "GET",
      path: "/api/audit",
      scope: "tokens:read",
      isForOwners: true,
      summary: "List the audit log of credentials and members",
      description: "For owners. Newest first; entries are kept for 365 days.",
      query: { ...pageQuery("audit_entries"), ...AUDIT_FILTERS },
      answers: { 200: listOf("AuditEntryList", "audit_entries", AuditEntryView) },
    },
    async ({ directory, readCommitted }, { principal }, { query }) => {
      const { organizationId } = principal;
      const filter = filterOf(query);
      if (!filter.ok) return filter;
      const read = () => directory.pageAudit(organizationId, filter.value, pageOf(query));
      return shownPage("audit_entries", readCommitted(organizationId, read), entryView);
    },
  ),

  exportAudit: operation(
    {
      method: "GET",
      path: "/api/audit/export",
      scope: "tokens:read",
      isForOwners: true,
      summary: "Export the audit log as one file",
      description:
        "For owners. Newest first, streamed. In CSV, text that a spreadsheet would read as a formula starts with an apostrophe. If the export fails midway, the transfer is aborted: repeat the request.",
      query: {
        ...AUDIT_FILTERS,
        format: withDefault(
          OneOf(EXPORT_FORMATS, { description: "`csv`, or `ndjson` with one JSON entry per line" }),
          "csv",
        ),
      },
      answers: {
        200: media({
          "text/csv": Type.String({ description: "The names of the columns, then a row for each entry" }),
          "application/x-ndjson": Type.String({ description: "One `AuditEntry` per line" }),
        }),
      },
      answerHeaders: ["Content-Disposition"],
    },
    async ({ system, directory, log }, caller, { query }) => {
      const { organizationId, tokenId, userId } = caller.principal;
      const filter = filterOf(query);
      if (!filter.ok) return filter;
      const settled = await system.settled(organizationId);
      if (!settled.ok) return settled;
      const read = (after: PageCursor | null) =>
        lookUp(log, directory.pageAudit(organizationId, filter.value, { limit: PAGE_LIMIT, after }));
      const first = await read(null);
      if (!first.ok) return first;
      caller.keepOpen(SLOW_READER_SECONDS);
      const ref = organizationRef(organizationId);
      const next = async (after: PageCursor) => {
        const counts = await system.dispatch(ref, { kind: "confirm_token", tokenId });
        if (!counts.ok) return counts;
        const member = await system.dispatch(ref, { kind: "read_member", userId });
        if (!member.ok) return member;
        return member.value.role === "owner" ? read(after) : refuse({ kind: "owner_required" });
      };
      return ok(auditFile({ format: query.format, first: first.value, next, view: entryView }));
    },
  ),
};

/** Time that a reader may pause. */
const SLOW_READER_SECONDS = 120;

function filterOf(query: Input<{ readonly query: typeof AUDIT_FILTERS }>["query"]): Outcome<AuditFilter> {
  const { created_after: after, created_before: before } = query;
  const ordered = inOrder({ name: "created_after", value: after }, { name: "created_before", value: before });
  return mapOutcome(ordered, () => recordNamed(query));
}

const entryView: (entry: AuditEntry) => Shown<typeof AuditEntryView> = fieldsFrom(AuditEntryView);
