/** A list of things in a form: each with its own fields, to be added and removed. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useFormState } from "./form.tsx";

interface ItemFieldsProps<T> {
  readonly label: string;
  /** What one of them is, such as `header`. */
  readonly one: string;
  readonly items: readonly T[];
  readonly change: (items: T[]) => void;
  /** A new one, before anything is written in it. */
  readonly empty: () => T;
  /** Words for one that is closed. */
  readonly wordsOf: (item: T) => string;
  /** `set` puts changes over the item; a field that is undefined is removed. */
  readonly children: (item: T, set: (changes: Partial<T>) => void, index: number) => ComponentChildren;
}

export function ItemFields<T extends object>(props: ItemFieldsProps<T>) {
  const { label, one, items, change, empty, wordsOf, children } = props;
  const { isReadOnly } = useFormState();
  const set = (index: number, changes: Partial<T>): void =>
    change(
      items.map((item, at) =>
        at === index
          ? (Object.fromEntries(
              Object.entries({ ...item, ...changes }).filter(([, value]) => value !== undefined),
            ) as T)
          : item,
      ),
    );
  return (
    <fieldset>
      <legend>{label}</legend>
      {items.map((item, index) => (
        <OneItem key={index} words={wordsOf(item)} one={one}>
          {children(item, (changes) => set(index, changes), index)}
          {isReadOnly ? null : (
            <p class="actions">
              <button type="button" class="quiet" onClick={() => change(items.filter((_, at) => at !== index))}>
                Remove the {one} <bdi>{wordsOf(item)}</bdi>
              </button>
            </p>
          )}
        </OneItem>
      ))}
      {isReadOnly ? null : (
        <button type="button" class="quiet" onClick={() => change([...items, empty()])}>
          Add a {one}
        </button>
      )}
    </fieldset>
  );
}

interface OneItemProps {
  readonly words: string;
  readonly one: string;
  readonly children: ComponentChildren;
}

/** Open at first if it has no name yet: then a person is about to write it. */
function OneItem({ words, one, children }: OneItemProps) {
  const [isOpen, setOpen] = useState(words === "");
  return (
    <details class="card" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{words === "" ? `New ${one}` : words}</summary>
      {isOpen ? children : null}
    </details>
  );
}
