/** Fields whose text stands for a value: while it is written, the text stays as the person writes it. */
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { type FieldProps, LabelledField } from "./fields.tsx";
import { useFormState } from "./form.tsx";

interface Reading<T> {
  readonly value: T | null;
  /** Why the text stands for no value; null if it does. */
  readonly error: string | null;
}

interface FieldText {
  readonly text: string;
  readonly error: string | null;
  readonly write: (text: string) => void;
}

interface Notation<T> {
  readonly show: (value: T) => string;
  readonly read: (text: string) => Reading<T>;
}

/** The text of a value. Another value, such as that of a newer record, replaces it. */
function useWritten<T>({ value, change }: FieldProps<T>, { show, read }: Notation<T>): FieldText {
  const [text, setText] = useState(() => show(value));
  const now = read(text);
  useEffect(() => {
    if (now.error === null && show(now.value as T) !== show(value)) setText(show(value));
  }, [show(value)]);
  const write = (next: string): void => {
    setText(next);
    const reading = read(next);
    if (reading.error === null) change(reading.value as T);
  };
  return { text, error: now.error, write };
}

const MOST_ROWS = 30;
const JSON_NOTATION: Notation<unknown> = {
  show: (value) => JSON.stringify(value, null, 2),
  read(text) {
    try {
      return { value: JSON.parse(text), error: null };
    } catch (error) {
      return { value: null, error: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` };
    }
  },
};

interface JsonFieldProps<T> extends FieldProps<T> {
  /** What the value must be, such as `must be a JSON object`, and whether it is. Absent: any value fits. */
  readonly kind?: readonly [words: string, isIt: (value: unknown) => boolean];
}

export const JSON_OBJECT: NonNullable<JsonFieldProps<object>["kind"]> = [
  "must be a JSON object",
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
];

/** A value as JSON. While the text is not such a value, the value stays as it was and the form cannot be sent. */
export function JsonField<T>({ kind, ...field }: JsonFieldProps<T>) {
  const { setUnreadable } = useFormState();
  const { text, error, write } = useWritten(field, {
    show: JSON_NOTATION.show,
    read(written) {
      const reading = JSON_NOTATION.read(written);
      if (reading.error !== null || kind === undefined || kind[1](reading.value)) return reading as Reading<T>;
      return { value: null, error: `${field.label} ${kind[0]}` };
    },
  });
  // Before the next press: a form must not send the former value in place of what is written.
  useLayoutEffect(() => {
    setUnreadable(field.label, error !== null);
    return () => setUnreadable(field.label, false);
  }, [error !== null]);
  return (
    <LabelledField {...field} problem={error}>
      {(control) => (
        <textarea
          {...control}
          class="code"
          spellcheck={false}
          rows={Math.min(MOST_ROWS, text.split("\n").length + 1)}
          value={text}
          onInput={({ currentTarget }) => write(currentTarget.value)}
        />
      )}
    </LabelledField>
  );
}

const wordsBetweenCommas = (text: string): string[] =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");

const LIST_NOTATION: Notation<string[]> = {
  show: (value) => value.join(", "),
  read: (text) => ({ value: wordsBetweenCommas(text), error: null }),
};

/** Words with commas between. */
export function ListField(field: FieldProps<string[]>) {
  const { text, write } = useWritten(field, LIST_NOTATION);
  return (
    <LabelledField {...field}>
      {(control) => <input {...control} value={text} onInput={({ currentTarget }) => write(currentTarget.value)} />}
    </LabelledField>
  );
}
