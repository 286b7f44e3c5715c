/** The pages of a list as one: further ones are appended, and all that are shown are read again. */

export interface LoadedPage<T> {
  readonly items: readonly T[];
  /** The cursor of the next page; undefined after the last one. A page may be empty and have one. */
  readonly next: string | undefined;
}

interface LoadOptions {
  readonly signal?: AbortSignal;
}

/** `after` is the cursor, to be spread into the query; empty for the first page. */
export type LoadPage<T> = (after: { readonly cursor?: string }, options?: LoadOptions) => Promise<LoadedPage<T>>;

/** How the API lists something. */
export type ListPage<P> = (
  query: { readonly limit: number; readonly cursor?: string },
  options?: LoadOptions,
) => Promise<P & { readonly next_cursor?: string }>;

/** Its pages; `itemsOf` finds the items in an answer. */
export const pagesOf =
  <P, T>(limit: number, list: ListPage<P>, itemsOf: (page: P) => readonly T[]): LoadPage<T> =>
  async (after, options) => {
    const page = await list({ limit, ...after }, options);
    return { items: itemsOf(page), next: page.next_cursor };
  };

/** Reads the first `count` pages, or as many as there are. */
export async function readPages<T>(load: LoadPage<T>, count: number, options?: LoadOptions): Promise<LoadedPage<T>> {
  let { items, next } = await load({}, options);
  for (let pages = 1; pages < count && next !== undefined; pages++) {
    const page = await load({ cursor: next }, options);
    items = [...items, ...page.items];
    next = page.next;
  }
  return { items, next };
}

/** Appends the page after `shown`. */
export function appendPage<T>(shown: LoadedPage<T>, page: LoadedPage<T>, idOf: (item: T) => string): LoadedPage<T> {
  const known = new Set(shown.items.map(idOf));
  return { items: [...shown.items, ...page.items.filter((item) => !known.has(idOf(item)))], next: page.next };
}

/**
 * Puts `read`, which begins at the top, over `shown`. What is shown below the last item of `read` stays. If `shown` has
 * no item of `read`, items between them may be missing: then the list ends with `read`, and goes on from there.
 */
export function mergePages<T>(
  shown: LoadedPage<T> | null,
  read: LoadedPage<T>,
  idOf: (item: T) => string,
): LoadedPage<T> {
  if (shown === null || read.next === undefined) return read;
  const known = new Set(read.items.map(idOf));
  const places = new Map(shown.items.map((item, index) => [idOf(item), index]));
  const last = read.items.findLast((item) => places.has(idOf(item)));
  if (last === undefined) return read;
  const below = shown.items.slice((places.get(idOf(last)) ?? 0) + 1).filter((item) => !known.has(idOf(item)));
  return below.length === 0 ? read : { items: [...read.items, ...below], next: shown.next };
}
