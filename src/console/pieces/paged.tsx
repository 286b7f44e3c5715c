/** A list that comes in pages: the first one, which can be loaded again, and the following ones on demand. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ActionButton } from "../action-button.tsx";
import { type Loaded, WhenLoaded, useLoaded } from "../loading.tsx";

export interface LoadedPage<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

export interface PagedItems<T> extends Loaded<readonly T[]> {
  /** Loads the next page; null after the last one. */
  readonly showMore: (() => Promise<void>) | null;
}

interface PagedLoad<T> {
  /** `after` is the cursor, to be spread into the query; empty for the first page. */
  readonly load: (after: { readonly cursor?: string }, signal?: AbortSignal) => Promise<LoadedPage<T>>;
  readonly idOf: (item: T) => string;
}

/** Loads the first page, and anew when one of `inputs` changes. `reload` leaves the further pages as they are. */
export function usePaged<T>({ load, idOf }: PagedLoad<T>, inputs: readonly unknown[]): PagedItems<T> {
  const first = useLoaded((signal) => load({}, signal), inputs);
  const [further, setFurther] = useState<LoadedPage<T> | null>(null);
  const round = useRef(0);
  useEffect(() => {
    round.current += 1;
    setFurther(null);
  }, inputs);
  const items = first.value?.items ?? [];
  const known = new Set(items.map(idOf));
  const next = further === null ? first.value?.next : further.next;
  const showMore = async (cursor: string): Promise<void> => {
    const started = round.current;
    const page = await load({ cursor });
    if (started === round.current) setFurther({ items: [...(further?.items ?? []), ...page.items], next: page.next });
  };
  return {
    value: first.value === null ? null : [...items, ...(further?.items ?? []).filter((item) => !known.has(idOf(item)))],
    error: first.error,
    reload: first.reload,
    showMore: next === undefined ? null : () => showMore(next),
  };
}

interface PagedListProps<T> {
  readonly of: PagedItems<T>;
  /** What is shown if there are none: what to do, with a command to copy. */
  readonly empty: ComponentChildren;
  readonly children: (items: readonly T[]) => ComponentChildren;
}

export function ItemPages<T>({ of, empty, children }: PagedListProps<T>) {
  return (
    <WhenLoaded of={of}>
      {(items) =>
        // A page may have nothing that the filter leaves, and another one after it.
        items.length === 0 && of.showMore === null ? (
          empty
        ) : (
          <>
            {children(items)}
            {of.showMore === null ? null : <ActionButton act={of.showMore}>Show more</ActionButton>}
          </>
        )
      }
    </WhenLoaded>
  );
}
