/** Reads the audit (AUTH-17); `actors/organization/audit.ts` writes it. */
import { mapped, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import type { AuditFilter } from "../../../actors/organization/directory.ts";
import { type AuditAction, type AuditEntry, organizationRef } from "../../../actors/organization/schema.ts";
import { PAGE_LIMIT, type PageCursor } from "../../../actors/page.ts";
import type { Handlers, Shown } from "../../http/contract/operation.ts";
import { lookUp } from "../../log/look-up.ts";
import type { Services } from "../../operations/services.ts";
import { pageOf, pageView } from "../paging.ts";
import { inOrder } from "../time-range.ts";
import { auditFile } from "./export.ts";
import type { AuditEntryView, auditOperations } from "./operations.ts";

export const auditHandlers: Handlers<typeof auditOperations.operations, Services> = {
  async listAuditEntries({ system, directory, log }, { principal }, { query }) {
    const { organizationId } = principal;
    const filter = filterOf(query);
    if (!filter.ok) return filter;
    const settled = await system.settled(organizationId);
    if (!settled.ok) return settled;
    const page = await lookUp(log, directory.pageAudit(organizationId, filter.value, pageOf(query)));
    return mapped(page, (entries) => pageView("audit_entries", entries, entryView));
  },

  async exportAudit({ system, directory, log }, caller, { query }) {
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
};

/** Time that a reader may pause. */
const SLOW_READER_SECONDS = 120;

interface Filters {
  readonly action: AuditAction | undefined;
  readonly user_id: string | undefined;
  readonly created_after: string | undefined;
  readonly created_before: string | undefined;
}
function filterOf({
  action,
  user_id: userId,
  created_after: createdAfter,
  created_before: createdBefore,
}: Filters): Outcome<AuditFilter> {
  const ordered = inOrder(
    { name: "created_after", value: createdAfter },
    { name: "created_before", value: createdBefore },
  );
  return mapped(ordered, () => ({ action, userId, createdAfter, createdBefore }));
}

const entryView = (entry: AuditEntry): Shown<typeof AuditEntryView> => ({
  id: entry.id,
  action: entry.action,
  user_id: entry.userId,
  token_id: entry.tokenId,
  address: entry.address,
  subject_id: entry.subjectId,
  detail: entry.detail,
  created_at: entry.createdAt,
});
