/** The audit as it is read (AUTH-17); what writes it is `actors/organization/audit.ts`. */
import { mapped } from "../../../actors/fault.ts";
import type { AuditEntry } from "../../../actors/organization/schema.ts";
import type { Handlers, Shown } from "../../http/contract/operation.ts";
import { lookUp } from "../../log/look-up.ts";
import type { Services } from "../../operations/services.ts";
import { pageOf, pageView } from "../paging.ts";
import type { AuditEntryView, auditOperations } from "./operations.ts";

export const auditHandlers: Handlers<typeof auditOperations.operations, Services> = {
  async listAuditEntries({ system, directory, log }, { principal }, { query }) {
    const { organizationId } = principal;
    const settled = await system.settled(organizationId);
    if (!settled.ok) return settled;
    const filter = { action: query.action, userId: query.user_id };
    const page = await lookUp(log, directory.pageAudit(organizationId, filter, pageOf(query)));
    return mapped(page, (entries) => pageView("audit_entries", entries, entryView));
  },
};

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
