/** A list that comes in pages, the further ones on demand. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { ActionButton } from "../action-button.tsx";
import { type Loaded, WhenLoaded, useLoaded } from "../loading.tsx";
import { keepPages, keptPages } from "../returning.ts";
import { appendPage, type ListPage, type LoadedPage, mergePages, pagesOf, readPages } from "./item-pages.ts";

/** Items of a page, unless the list asks for another number. */
const PAGE_ITEMS = 50;
/** A reload reads at most so many pages again: it is done every few seconds. */
const RELOADED_PAGES = 10;

export interface PagedItems<T> extends Loaded<readonly T[]> {
  /** Loads the next page; null after the last one. */
  readonly showMore: (() => Promise<void>) | null;
}

/**
 * Lists items of the API: the first page at once, and anew when one of `inputs` changes. `reload` reads the pages that
 * are shown. `itemsOf` returns the items of an answer. No two items may have the same id.
 */
export function usePaged<P, T extends { readonly id: string }>(
  list: ListPage<P>,
  itemsOf: (page: P) => readonly T[],
  inputs: readonly unknown[] = [],
): PagedItems<T> {
  const load = pagesOf(PAGE_ITEMS, list, itemsOf);
  const shown = useRef<LoadedPage<T> | null>(null);
  const place = JSON.stringify(inputs);
  const pages = useRef(1);
  const round = useRef(0);
  useEffect(() => {
    round.current += 1;
    pages.current = keptPages(place);
    shown.current = null;
  }, inputs);
  const found = useLoaded(async (signal) => {
    const read = await readPages(load, Math.min(pages.current, RELOADED_PAGES), { signal });
    return mergePages(shown.current, read, ({ id }) => id);
  }, inputs);
  shown.current = found.value;
  const showMore = async (cursor: string): Promise<void> => {
    const started = round.current;
    const page = await load({ cursor });
    if (started !== round.current || shown.current === null) return;
    const { next } = shown.current;
    if (next !== cursor) {
      // A reload ended meanwhile, and the list ends elsewhere now.
      if (next !== undefined) await showMore(next);
      return;
    }
    pages.current += 1;
    keepPages(place, pages.current);
    found.take(appendPage(shown.current, page, ({ id }) => id));
  };
  const next = found.value?.next;
  return {
    value: found.value?.items ?? null,
    error: found.error,
    reload: found.reload,
    showMore: next === undefined ? null : () => showMore(next),
  };
}

/** What one request lists, or a page of it. */
type ListedItems<T> = Loaded<readonly T[]> & Partial<PagedItems<T>>;

interface PagedListProps<T> {
  readonly of: ListedItems<T>;
  /** What is shown if there are none: what to do, with a command to copy. */
  readonly empty: ComponentChildren;
  readonly children: (items: readonly T[]) => ComponentChildren;
}

export function ItemPages<T>({ of, empty, children }: PagedListProps<T>) {
  const { showMore = null } = of;
  return (
    <WhenLoaded of={of}>
      {(items) =>
        // A page may have nothing that the filter leaves, and another one after it.
        items.length === 0 && showMore === null ? (
          empty
        ) : (
          <>
            {children(items)}
            {showMore === null ? null : <ActionButton act={showMore}>Show more</ActionButton>}
          </>
        )
      }
    </WhenLoaded>
  );
}

interface ItemRowsProps<T> extends Omit<PagedListProps<T>, "children"> {
  readonly label: string;
  /** One row; it has a key. */
  readonly children: (item: T) => ComponentChildren;
}

/** The same, with a row for each item. */
export const ItemRows = <T,>({ label, children, ...pages }: ItemRowsProps<T>) => (
  <ItemPages {...pages}>
    {(items) => (
      <ul class="rows" aria-label={label}>
        {items.map(children)}
      </ul>
    )}
  </ItemPages>
);

/** The name of an item at the beginning of its row. Whatever the direction of its text, what follows keeps its own. */
export const ItemName = ({ children }: { readonly children: string }) => (
  <>
    <strong>
      <bdi>{children}</bdi>
    </strong>{" "}
  </>
);
