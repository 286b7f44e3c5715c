/** Filters of a list, whose values are in the address of the page. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

export function FilterBar({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    <form class="filters" aria-label={label} onSubmit={(event) => event.preventDefault()}>
      {children}
    </form>
  );
}

interface FilterProps {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
}

interface FilterChoiceProps extends FilterProps {
  /** Values with their words; the empty value is no filter. */
  readonly choices: readonly (readonly [string, string])[];
}

/** The choices with underscores as spaces, and `any` before them. */
export const anyOf = (values: readonly string[]): readonly (readonly [string, string])[] => [
  ["", "any"],
  ...values.map((value) => [value, value.replaceAll("_", " ")] as const),
];

export function FilterChoice({ label, value, change, choices }: FilterChoiceProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
        {choices.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

/** FilterBar when the person leaves the field or presses Enter: each letter would be a request and a step back. */
export function FilterText({ label, value, change }: FilterProps) {
  return (
    <label>
      {label}
      <input type="search" {...useUnsentText(value, change)} />
    </label>
  );
}

/** As the person types. */
export const SearchField = ({ label, value, change }: FilterProps) => (
  <label class="search">
    {label}
    <input type="search" value={value} onInput={({ currentTarget }) => change(currentTarget.value)} />
  </label>
);

export function FilterDay({ label, value, change }: FilterProps) {
  return (
    <label>
      {label}
      <input type="date" {...useUnsentText(value, change)} />
    </label>
  );
}

interface TypingEvent {
  readonly currentTarget: HTMLInputElement;
}

function useUnsentText(value: string, change: (value: string) => void) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return {
    value: text,
    onInput: ({ currentTarget }: TypingEvent): void => setText(currentTarget.value),
    onChange: ({ currentTarget }: TypingEvent): void => change(currentTarget.value.trim()),
  };
}
