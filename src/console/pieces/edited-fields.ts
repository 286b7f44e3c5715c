/**
 * The fields of a record that a person edits. Only the fields that they have changed are kept; all others show the
 * newest record. `base` is the record as it was when they began, so that a change by somebody else in between is found,
 * however the newer record came: by a reload, by a refused save, or as the answer of another operation.
 */
export interface EditedFields<D extends object> {
  /** The newest fields of the service that the person sees. */
  readonly saved: D;
  /** The fields that differ from `saved`, with their new values. */
  readonly changes: Partial<D>;
  /** The same as `saved` while there are no changes. */
  readonly base: D;
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The fields of `next` that `last` has not, or has otherwise. */
export const differing = <D extends object>(next: Partial<D>, last: Partial<D>): Partial<D> =>
  Object.fromEntries(
    Object.entries(next).filter(([field, value]) => !isSame(value, last[field as keyof D])),
  ) as Partial<D>;

/** Those fields of a record that `like` has. */
export const fieldsLike = <D extends object>(like: D, record: D): D =>
  Object.fromEntries(Object.keys(like).map((field) => [field, record[field as keyof D]])) as D;

export const hasFields = (fields: object): boolean => Object.keys(fields).length > 0;

/** Makes `given` the changes. A field that it has not stays as saved. */
export function replaceChanges<D extends object>({ saved, base }: EditedFields<D>, given: Partial<D>): EditedFields<D> {
  const changes = differing(given, saved);
  return { saved, changes, base: hasFields(changes) ? base : saved };
}

export const changeFields = <D extends object>(fields: EditedFields<D>, given: Partial<D>): EditedFields<D> =>
  replaceChanges(fields, { ...fields.changes, ...given });

/** Puts a newer record under the changes. */
export function moveFields<D extends object>(
  { changes, base }: Pick<EditedFields<D>, "changes" | "base">,
  saved: D,
): EditedFields<D> {
  // Where somebody else wrote the same, nothing is in conflict.
  const agreed = differing(changes, differing(changes, saved));
  return replaceChanges({ saved, changes, base: { ...base, ...agreed } }, changes);
}

/** After the service saved `sent`: keeps only what the person has written since, also back to a former value. */
export function settleFields<D extends object>(
  { saved: former, changes }: EditedFields<D>,
  sent: Partial<D>,
  saved: D,
): EditedFields<D> {
  const written: D = { ...former, ...changes };
  const touched = { ...sent, ...changes };
  const now = Object.fromEntries(Object.entries(written).filter(([field]) => field in touched)) as Partial<D>;
  return replaceChanges({ saved, changes: {}, base: saved }, differing(now, sent));
}

/** What somebody else has changed since the person began. */
export const otherChanges = <D extends object>({ saved, base }: EditedFields<D>): Partial<D> => differing(saved, base);
