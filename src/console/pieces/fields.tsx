/** Fields of a form: each with its label, a hint, and what the service has refused in it. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { useFormState } from "./form.tsx";

export interface FieldProps<T> {
  readonly label: string;
  /** Where the value is in the body of the request, such as `/schedule/value`; errors name it. */
  readonly path: string;
  readonly hint?: ComponentChildren;
  readonly value: T;
  readonly change: (value: T) => void;
}

/** What a field shows and changes. */
export type FieldPlace<T> = Pick<FieldProps<T>, "path" | "value" | "change">;

/** The fields of the object at `path` of the body, by their names. `change` puts changes over the object. */
export const formFields =
  <D extends object>(path: string, value: D, change: (changes: Partial<D>) => void) =>
  <K extends keyof D & string>(name: K): FieldPlace<D[K]> => ({
    path: `${path}/${name}`,
    value: value[name],
    change: (next) => change({ [name]: next } as unknown as Partial<D>),
  });

/** The field as a text, which is empty for `none`. */
export const textOr = <S extends string, N extends null | undefined>(
  none: N,
  { path, value, change }: FieldPlace<S | N>,
): FieldPlace<S | ""> => ({ path, value: value ?? "", change: (text) => change(text === "" ? none : text) });

interface FieldControl {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean | undefined;
  readonly readOnly: boolean;
}

interface LabelledProps extends Pick<FieldProps<unknown>, "label" | "path" | "hint"> {
  /** What is wrong before the service is asked; null if nothing is. */
  readonly problem?: string | null;
  readonly children: (control: FieldControl) => ComponentChildren;
}

export function LabelledField({ label, path, hint, problem = null, children }: LabelledProps) {
  const id = useId();
  const { errors, isReadOnly } = useFormState();
  // An error inside a value names the place in it.
  const refused = [...errors].flatMap(([at, message]) =>
    at === path ? [message] : at.startsWith(`${path}/`) ? [`${at}: ${message}`] : [],
  );
  const wrong = problem === null ? refused : [problem];
  const notes = [hint === undefined ? "" : `${id}-hint`, wrong.length === 0 ? "" : `${id}-error`].filter(Boolean);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        "aria-describedby": notes.length === 0 ? undefined : notes.join(" "),
        "aria-invalid": wrong.length === 0 ? undefined : true,
        readOnly: isReadOnly,
      })}
      {hint === undefined ? null : (
        <p class="quiet" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {wrong.length === 0 ? null : (
        <p class="bad" id={`${id}-error`}>
          {wrong.join("; ")}
        </p>
      )}
    </div>
  );
}

interface TextFieldProps extends FieldProps<string> {
  /** The id of a `<datalist>`. */
  readonly list?: string;
}

export function TextField({ value, change, list, ...field }: TextFieldProps) {
  return (
    <LabelledField {...field}>
      {(control) => (
        <input
          {...control}
          {...(list === undefined ? {} : { list })}
          type="text"
          value={value}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      )}
    </LabelledField>
  );
}

/** A value that is not shown, and that the browser keeps nowhere. */
export function SecretField({ value, change, ...field }: FieldProps<string>) {
  return (
    <LabelledField {...field}>
      {(control) => (
        <input
          {...control}
          type="password"
          autocomplete="off"
          value={value}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      )}
    </LabelledField>
  );
}

export function AreaField({ value, change, rows = 4, ...field }: FieldProps<string> & { readonly rows?: number }) {
  return (
    <LabelledField {...field}>
      {(control) => (
        <textarea {...control} rows={rows} value={value} onInput={({ currentTarget }) => change(currentTarget.value)} />
      )}
    </LabelledField>
  );
}

interface NumberFieldProps extends FieldProps<number | null> {
  readonly step?: number | "any";
  readonly min?: number | undefined;
}

/** Empty for null. */
export function NumberField({ value, change, step = 1, min = 0, ...field }: NumberFieldProps) {
  return (
    <LabelledField {...field}>
      {(control) => (
        <input
          {...control}
          type="number"
          min={min}
          step={step}
          value={value ?? ""}
          onInput={({ currentTarget: { valueAsNumber } }) => change(Number.isNaN(valueAsNumber) ? null : valueAsNumber)}
        />
      )}
    </LabelledField>
  );
}

interface ChoiceFieldProps<T extends string> extends FieldProps<T> {
  /** Values with their words. */
  readonly choices: readonly (readonly [T, string])[];
}

/** A value that is not among the choices is shown as it is. */
export function ChoiceField<T extends string>({ value, change, choices, ...field }: ChoiceFieldProps<T>) {
  const isKnown = choices.some(([one]) => one === value);
  return (
    <LabelledField {...field}>
      {({ readOnly, ...control }) => (
        <select
          {...control}
          value={value}
          disabled={readOnly}
          onChange={({ currentTarget }) => change(currentTarget.value as T)}
        >
          {isKnown ? null : <option value={value}>{value}</option>}
          {choices.map(([one, words]) => (
            <option key={one} value={one}>
              {words}
            </option>
          ))}
        </select>
      )}
    </LabelledField>
  );
}

interface CheckFieldProps {
  readonly label: string;
  /** What the box is about, if several have the same label: only people who do not see its place need it. */
  readonly of?: string;
  readonly value: boolean;
  readonly change: (value: boolean) => void;
}

export function CheckField({ label, of, value, change }: CheckFieldProps) {
  const { isReadOnly } = useFormState();
  return (
    <label class="check">
      <input
        type="checkbox"
        aria-label={of === undefined ? undefined : `${label}: ${of}`}
        checked={value}
        disabled={isReadOnly}
        onChange={({ currentTarget }) => change(currentTarget.checked)}
      />{" "}
      {label}
    </label>
  );
}
