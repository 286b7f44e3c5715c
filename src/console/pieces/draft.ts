/** What a person has changed in a record and not saved yet. It survives a reload and a sign-in. */
import { useEffect, useState } from "preact/hooks";
import { draftPlace } from "../session.ts";
import { type FieldPlace, formFields } from "./fields.tsx";
import {
  type EditedFields,
  changeFields,
  hasFields,
  moveFields,
  otherChanges,
  replaceChanges,
  settleFields,
} from "./edited-fields.ts";

export interface FormDraft<D extends object> {
  readonly fields: EditedFields<D>;
  /** The saved record with the changes over it. */
  readonly value: D;
  readonly changes: Partial<D>;
  readonly isChanged: boolean;
  /** The fields that somebody else has changed since the person began; null if there are none. */
  readonly conflict: readonly string[] | null;
  readonly set: <K extends keyof D & string>(field: K, value: D[K]) => void;
  /** For the field of a form that shows and changes this one. */
  readonly field: <K extends keyof D & string>(name: K) => FieldPlace<D[K]>;
  /** Takes every field of `value`; a field that it has not stays as saved. */
  readonly replace: (value: Partial<D>) => void;
  /** Puts a newer record under the changes. */
  readonly move: (saved: D) => void;
  /** Forgets these changes, which are in `saved` now, but not what was written since. */
  readonly settle: (sent: Partial<D>, saved: D) => void;
  readonly discard: () => void;
}

/** `key` names the record, null: changes end with the page. `saved` is what the service has when the page opens. */
export function useDraft<D extends object>(key: string | null, saved: D): FormDraft<D> {
  const place = draftPlace(`form ${key}`);
  const isKept = key !== null;
  const [fields, setFields] = useState<EditedFields<D>>(() =>
    isKept ? moveFields(storedDraft(place, saved), saved) : { saved, changes: {}, base: saved },
  );
  const { changes, base } = fields;
  const isChanged = hasFields(changes);
  useEffect(() => {
    if (isChanged && isKept) sessionStorage.setItem(place, JSON.stringify({ changes, base }));
    else sessionStorage.removeItem(place);
  }, [fields]);
  const others = Object.keys(otherChanges(fields));
  const value = { ...fields.saved, ...changes };
  const change = (next: Partial<D>): void => setFields((last) => changeFields(last, next));
  return {
    fields,
    value,
    changes,
    isChanged,
    conflict: others.length === 0 ? null : others,
    set: (name, next) => change({ [name]: next } as unknown as Partial<D>),
    field: formFields("", value, change),
    replace: (next) => setFields((last) => replaceChanges(last, next)),
    move: (next) => setFields((last) => moveFields(last, next)),
    settle: (sent, next) => setFields((last) => settleFields(last, sent, next)),
    discard() {
      // At once: the page may be left with this.
      sessionStorage.removeItem(place);
      setFields((last) => replaceChanges(last, {}));
    },
  };
}

type StoredDraft<D extends object> = Pick<EditedFields<D>, "changes" | "base">;

/** What was kept for the record with the fields `saved`. */
function storedDraft<D extends object>(place: string, saved: D): StoredDraft<D> {
  try {
    const { changes = {}, base = saved } = JSON.parse(sessionStorage.getItem(place) ?? "{}") as Partial<StoredDraft<D>>;
    return { changes, base };
  } catch {
    return { changes: {}, base: saved };
  }
}
