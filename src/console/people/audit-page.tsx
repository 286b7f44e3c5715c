/** The audit: what was done with credentials and to members, filtered by the address of the page. */
import type { AuditAction, AuditEntry, ListAuditEntriesQuery } from "../../../sdk/typescript/troupe.ts";
import { Time } from "../format/time.tsx";
import { CopyAsCurl } from "../pieces/curl.tsx";
import { anyOf, FilterChoice, FilterBar, FilterDay, FilterText } from "../pieces/filter.tsx";
import { OwnersOnly } from "../pieces/owners-only.tsx";
import { ItemPages, usePaged } from "../pieces/paged.tsx";
import { givenParameters, useSearchState } from "../pieces/search-state.ts";
import { ScrolledTable } from "../pieces/table.tsx";
import { SERVICE_ROOT, service } from "../service.ts";
import { memberName } from "../session.ts";
import { TitledPage } from "../title.tsx";

const AUDIT_CHOICES: Readonly<Record<AuditAction, true>> = {
  "session.started": true,
  "session.ended": true,
  "session.refused": true,
  "password.set": true,
  "identity.linked": true,
  "identity.unlinked": true,
  "passkey.added": true,
  "passkey.removed": true,
  "token.created": true,
  "token.used": true,
  "token.revoked": true,
  "grant.created": true,
  "grant.ended": true,
  "grant.reused": true,
  "member.added": true,
  "member.changed": true,
  "member.removed": true,
  "invitation.created": true,
  "invitation.accepted": true,
  "invitation.revoked": true,
  "provider_key.set": true,
  "provider_key.removed": true,
  "group.set": true,
  "group.removed": true,
  "connection.made": true,
  "connection.ended": true,
};

export function AuditPage() {
  return (
    <TitledPage title="Audit">
      <OwnersOnly what="the audit">
        <AuditLedger />
      </OwnersOnly>
    </TitledPage>
  );
}

function AuditLedger() {
  const [state, change] = useSearchState({ action: "", user_id: "", created_after: "", created_before: "" });
  const given = givenParameters(state);
  const query = given as ListAuditEntriesQuery;
  const paged = usePaged(
    (page, options) => service.listAuditEntries({ ...query, ...page }, options),
    (page) => page.audit_entries,
    Object.values(state),
  );
  const search = new URLSearchParams(given).toString();
  return (
    <>
      <FilterBar label="Filters of the audit">
        <FilterChoice
          label="Action"
          value={state.action}
          choices={anyOf(Object.keys(AUDIT_CHOICES))}
          change={(action) => change({ action })}
        />
        <FilterText label="Person's id" value={state.user_id} change={(user) => change({ user_id: user })} />
        <FilterDay label="After" value={state.created_after} change={(after) => change({ created_after: after })} />
        <FilterDay
          label="Before"
          value={state.created_before}
          change={(before) => change({ created_before: before })}
        />
      </FilterBar>
      <ItemPages of={paged} empty={<p class="quiet">Nothing in the audit fits these filters.</p>}>
        {(entries) => <AuditTable entries={entries} />}
      </ItemPages>
      <p class="actions">
        <a href={`${SERVICE_ROOT}/api/audit/export?format=csv&${search}`} download="audit.csv">
          Download as CSV
        </a>
        <CopyAsCurl path="/api/audit" query={given} />
      </p>
    </>
  );
}

function AuditTable({ entries }: { readonly entries: readonly AuditEntry[] }) {
  return (
    <ScrolledTable label="Audit" columns={["When", "Action", "Who", "From", "About"]}>
      {entries.map(({ id, created_at: at, action, user_id: user, address, subject_id: subject, detail }) => (
        <tr key={id}>
          <td>
            <Time at={at} />
          </td>
          <td>{action}</td>
          <td>
            <bdi>{user === null ? "the operator, or unknown" : memberName(user)}</bdi>
          </td>
          <td>{address ?? "–"}</td>
          <td class="free">
            <bdi>{detail}</bdi> {subject === null ? null : <code>{subject}</code>}
          </td>
        </tr>
      ))}
    </ScrolledTable>
  );
}
