/** Pages of lists (GEN-3): `limit` and an opaque cursor, keyset on (created_at, id), newest first. */
import type { Fault } from "../../actors/fault.ts";
import { PAGE_DEFAULT, PAGE_LIMIT, type Page, type PageCursor, type PageRequest } from "../../actors/page.ts";
import { Type } from "../../actors/schema.ts";
import { bad, good, textField, withDefault } from "../http/contract/field.ts";

/** Records per page. */
export const LIMIT = withDefault(
  Type.Integer({ minimum: 1, maximum: PAGE_LIMIT, description: "Records of one page" }),
  PAGE_DEFAULT,
);

const BAD_CURSOR: Fault = { kind: "invalid_cursor" };
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const ID = /^[A-Za-z0-9_-]{1,128}$/;

/** The cursor of a list; `decode` returns undefined for a cursor that is not of this list. */
export const cursorField = <T>(decode: (text: string) => T | undefined) =>
  textField<T>({ type: "string", description: "`next_cursor` of the previous page" }, (text) => {
    const cursor = decode(text);
    return cursor === undefined ? bad("Invalid cursor for this list", BAD_CURSOR) : good(cursor);
  });

/** The cursor of a list with whole numbers as positions. */
export const placeCursor = (plural: string, maximum: number) =>
  cursorField<number>((text) => {
    const place = parsed(text);
    if (place?.length !== 2 || place[0] !== plural) return undefined;
    const [, at] = place;
    return Number.isInteger(at) && Number(at) >= 0 && Number(at) <= maximum ? Number(at) : undefined;
  });
export const placeText = (plural: string, place: number): string => text([plural, place]);

/** The query of a paged list. `plural` names the list, as in `pageView`: cursors of other lists are invalid. */
export const pageQuery = (plural: string) => ({
  limit: LIMIT,
  cursor: cursorField<PageCursor>((text) => decode(plural, text)),
});

/** The page that a query requests. */
export const pageOf = ({
  limit,
  cursor,
}: {
  readonly limit: number;
  readonly cursor: PageCursor | undefined;
}): PageRequest => ({ limit, after: cursor ?? null });

/** `{<plural>: […], next_cursor?}`. */
export function pageView<P extends string, T, V>(plural: P, page: Page<T>, view: (record: T) => V): PageView<P, V> {
  const next = page.next === null ? {} : { next_cursor: encode(plural, page.next) };
  return { ...({ [plural]: page.records.map(view) } as Record<P, V[]>), ...next };
}
type PageView<P extends string, V> = Readonly<Record<P, readonly V[]>> & { readonly next_cursor?: string };

const encode = (plural: string, { createdAt, id }: PageCursor): string => text([plural, createdAt, id]);

function decode(plural: string, given: string): PageCursor | undefined {
  const [list, createdAt, id] = parsed(given) ?? [];
  if (list !== plural) return undefined;
  if (typeof createdAt !== "string" || typeof id !== "string" || !TIME.test(createdAt) || !ID.test(id))
    return undefined;
  return { createdAt, id };
}

const text = (parts: readonly unknown[]): string => Buffer.from(JSON.stringify(parts)).toString("base64url");

function parsed(given: string): readonly unknown[] | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(given, "base64url").toString());
    return Array.isArray(parts) ? parts : undefined;
  } catch {
    return undefined;
  }
}
