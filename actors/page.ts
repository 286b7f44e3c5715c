/** A page of a list, newest first, by keyset on (created_at, id) (GEN-3). */

/** The place after which a page begins: the last record of the page before it. */
export interface PageCursor {
  readonly createdAt: string;
  readonly id: string;
}

export interface PageRequest {
  readonly limit: number;
  readonly after: PageCursor | null;
}

export interface Page<T> {
  readonly records: readonly T[];
  /** Null on the last page. */
  readonly next: PageCursor | null;
}

/** Records on a page, and the most that a caller may ask for (GEN-3). */
export const PAGE_DEFAULT = 25;
export const PAGE_LIMIT = 100;
