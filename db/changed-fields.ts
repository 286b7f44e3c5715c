/**
 * What a commit sends of a record that is stored already: the fields that differ. Records are never changed in place,
 * so a field that is the same value was not changed; one that was built anew is sent, though it may be equal.
 */
import type { RecordFields } from "../actors/runtime/actor.ts";

/**
 * Tables whose rows go only with their organization. A row of another table may have been swept while its actor had it
 * in memory; then the next write must bring it back whole.
 */
export const KEPT_TABLES: ReadonlySet<string> = new Set([
  "chat",
  "day_usage",
  "job",
  "message",
  "month_usage",
  "webhook_feed",
]);

/** The field that tells a whole record from changed fields: every record has it, and it never changes. */
export const WHOLE_MARK = "createdAt" satisfies keyof RecordFields;

/** The fields of `record` to put into `before`; the whole record if a field of it must go. */
export function changedFields(before: RecordFields, record: RecordFields): object {
  const { organizationId, id, version } = record;
  const was = before as unknown as Readonly<Record<string, unknown>>;
  const is = record as unknown as Readonly<Record<string, unknown>>;
  if (was[WHOLE_MARK] !== is[WHOLE_MARK]) return record;
  for (const key in was) if (was[key] !== undefined && is[key] === undefined) return record;
  const changed: Record<string, unknown> = { organizationId, id, version };
  for (const key in is) if (is[key] !== was[key]) changed[key] = is[key];
  return changed;
}
