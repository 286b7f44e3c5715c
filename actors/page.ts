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

/** The beginning of a list, up to the end of one page. */
export interface ListHead<T> {
  readonly records: readonly T[];
  readonly hasMore: boolean;
  /** The number of the last scanned record, after which the next page begins; null if no record was scanned. */
  readonly last: number | null;
}

/**
 * A page ends after the record whose body brings its size to this many bytes: a job may have a megabyte, and a page a
 * hundred jobs (GEN-9).
 */
export const LIST_PAGE_BYTES = 1024 * 1024;

/** Records on a page, and the most that a caller may ask for (GEN-3). */
export const PAGE_DEFAULT = 25;
export const PAGE_LIMIT = 100;
