/**
 * What a person has changed in a record and not saved yet. The draft is the saved record with these changes over it, so
 * a newer record under it keeps them. It survives a reload and a sign-in.
 */
import { useEffect, useState } from "preact/hooks";
import { draftPlace } from "../session.ts";

export interface FormDraft<D extends object> {
  readonly value: D;
  /** The fields that differ from the saved record, with their new values. */
  readonly changes: Partial<D>;
  readonly isChanged: boolean;
  readonly set: <K extends keyof D & string>(field: K, value: D[K]) => void;
  /** Takes every field of `value`; a field that it has not stays as saved. */
  readonly replace: (value: Partial<D>) => void;
  /** Forgets these changes, which are saved now, but not what was written since. */
  readonly settle: (sent: Partial<D>) => void;
  readonly discard: () => void;
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The fields of `next` that `last` has not, or has otherwise. */
export const differing = <D extends object>(next: Partial<D>, last: Partial<D>): Partial<D> =>
  Object.fromEntries(
    Object.entries(next).filter(([field, value]) => !isSame(value, last[field as keyof D])),
  ) as Partial<D>;

/** `key` names the record; `saved` is what the service has. */
export function useDraft<D extends object>(key: string, saved: D): FormDraft<D> {
  const place = draftPlace(`form ${key}`);
  const [kept, setKept] = useState<Partial<D>>(() => storedChanges<D>(place));
  useEffect(() => {
    if (Object.keys(kept).length === 0) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, JSON.stringify(kept));
  }, [kept]);
  const changes = differing(kept, saved);
  return {
    value: { ...saved, ...changes },
    changes,
    isChanged: Object.keys(changes).length > 0,
    set: (field, value) => setKept((last) => ({ ...last, [field]: value })),
    replace: setKept,
    settle: (sent) => setKept((last) => differing(last, sent)),
    discard() {
      // At once: the page may be left with this.
      sessionStorage.removeItem(place);
      setKept({});
    },
  };
}

function storedChanges<D>(place: string): Partial<D> {
  try {
    return JSON.parse(sessionStorage.getItem(place) ?? "{}") as Partial<D>;
  } catch {
    return {};
  }
}
