/** Pages of lists (GEN-3): `limit` and an opaque cursor, keyset on (created_at, id), newest first. */
import { type Fault, mapOutcome, ok, type Outcome, refuse } from "../../actors/fault.ts";
import { PAGE_DEFAULT, PAGE_LIMIT, type Page, type PageCursor, type PageRequest } from "../../actors/page.ts";
import { STORED_TIME, Type, hasRealDay } from "../../actors/schema.ts";
import { bad, good, refusedAs, textField, withDefault } from "../http/contract/field.ts";

/** Records per page. */
export const LIMIT = withDefault(
  Type.Integer({ minimum: 1, maximum: PAGE_LIMIT, description: "Page size" }),
  PAGE_DEFAULT,
);

const BAD_CURSOR: Fault = { kind: "invalid_cursor" };
const CURSOR_ID = /^[A-Za-z0-9_-]{1,128}$/;

/** The cursor of a list; `decode` returns undefined for a cursor that is not of this list. */
export const cursorField = <T>(decode: (text: string) => T | undefined) =>
  refusedAs(
    "invalid_cursor",
    textField<T>({ type: "string", description: "`next_cursor` of the previous page" }, (text) => {
      const cursor = decode(text);
      return cursor === undefined ? bad("Invalid cursor for this list", BAD_CURSOR) : good(cursor);
    }),
  );

/** The cursor of a list with whole numbers as positions. */
export const placeCursor = (plural: string, maximum: number) =>
  cursorField<number>((text) => {
    const place = parseCursorParts(text);
    if (place?.length !== 2 || place[0] !== plural) return undefined;
    const [, at] = place;
    return Number.isInteger(at) && Number(at) >= 0 && Number(at) <= maximum ? Number(at) : undefined;
  });
export const placeText = (plural: string, place: number): string => text([plural, place]);

/** A cursor of a list; `of` is the record that the list belongs to, if it belongs to one. */
interface ListCursor extends PageCursor {
  readonly of: string | null;
}

/** The query of a paged list. `plural` names the list, as in `pageView`: cursors of other lists are invalid. */
export const pageQuery = (plural: string) => ({
  limit: LIMIT,
  cursor: cursorField<ListCursor>((text) => decode(plural, text)),
});

/** The page that a query requests. */
export const pageOf = ({
  limit,
  cursor,
}: {
  readonly limit: number;
  readonly cursor: PageCursor | undefined;
}): PageRequest => ({ limit, after: cursor ?? null });

/** The page that a query requests of a list that belongs to the record `of`: a cursor of another record's is invalid. */
export function pageIn(
  query: { readonly limit: number; readonly cursor: ListCursor | undefined },
  of: string,
): Outcome<PageRequest> {
  return query.cursor === undefined || query.cursor.of === of ? ok(pageOf(query)) : refuse(BAD_CURSOR);
}

/** `{<plural>: […], next_cursor?}`. `of`: the record that the list belongs to. */
export function pageView<P extends string, T, V>(
  plural: P,
  page: Page<T>,
  view: (record: T) => V,
  of?: string,
): PageView<P, V> {
  const next = page.next === null ? {} : { next_cursor: encodeListCursor(plural, page.next, of) };
  return { ...({ [plural]: page.records.map(view) } as Record<P, V[]>), ...next };
}
/** The same for the page that a read gives. */
export const shownPage = async <P extends string, T, V>(
  plural: P,
  read: Promise<Outcome<Page<T>>>,
  view: (record: T) => V,
) => mapOutcome(await read, (page) => pageView(plural, page, view));

type PageView<P extends string, V> = Readonly<Record<P, readonly V[]>> & { readonly next_cursor?: string };

const encodeListCursor = (plural: string, { createdAt, id }: PageCursor, of?: string): string =>
  text([plural, createdAt, id, ...(of === undefined ? [] : [of])]);

function decode(plural: string, given: string): ListCursor | undefined {
  const [list, createdAt, id, of = null] = parseCursorParts(given) ?? [];
  if (list !== plural || (typeof of !== "string" && of !== null)) return undefined;
  if (typeof createdAt !== "string" || typeof id !== "string" || !STORED_TIME.test(createdAt) || !CURSOR_ID.test(id))
    return undefined;
  return hasRealDay(createdAt) && !Number.isNaN(Date.parse(createdAt)) ? { createdAt, id, of } : undefined;
}

/** The cursor of a list of files in one directory: the last path of the page before. */
export const pathCursor = cursorField<{
  readonly workspaceId: string;
  readonly directory: string;
  readonly after: string;
}>((given) => {
  const [list, workspaceId, directory, after] = parseCursorParts(given) ?? [];
  if (list !== "files" || typeof workspaceId !== "string" || typeof directory !== "string") return undefined;
  // Paths contain neither, and the database cannot take them.
  if (typeof after !== "string" || after.includes("\0") || !after.isWellFormed()) return undefined;
  return { workspaceId, directory, after };
});
export const pathCursorText = (workspaceId: string, directory: string, after: string): string =>
  text(["files", workspaceId, directory, after]);

const text = (parts: readonly unknown[]): string => Buffer.from(JSON.stringify(parts)).toString("base64url");

function parseCursorParts(given: string): readonly unknown[] | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(given, "base64url").toString());
    return Array.isArray(parts) ? parts : undefined;
  } catch {
    return undefined;
  }
}
