/** Pages of lists (GEN-3): `limit` and an opaque cursor, keyset on (created_at, id), newest first. */
import { type Fault, invalid, ok, type Outcome, refuse } from "../../actors/fault.ts";
import { PAGE_DEFAULT, PAGE_LIMIT, type Page, type PageCursor, type PageRequest } from "../../actors/page.ts";
import { Type } from "../../actors/schema.ts";

/** What a query says of the page, as schemas. */
export const LIMIT_QUERY = Type.Integer({
  minimum: 1,
  maximum: PAGE_LIMIT,
  default: PAGE_DEFAULT,
  description: "Records of one page",
});
export const PAGE_QUERY = {
  limit: LIMIT_QUERY,
  cursor: Type.String({ description: "`next_cursor` of the page before" }),
};

const BAD_CURSOR: Fault = { kind: "invalid_cursor" };
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const ID = /^[A-Za-z0-9_-]{1,128}$/;

/** The page that a query asks for; `plural` names the list, as in `pageView`: only its own cursors count. */
export function pageRequest(query: URLSearchParams, plural: string): Outcome<PageRequest> {
  const limit = limitOf(query, PAGE_DEFAULT);
  if (!limit.ok) return limit;
  const text = query.get("cursor");
  const after = text === null || text === "" ? null : decode(plural, text);
  if (after === undefined) return refuse(BAD_CURSOR);
  return ok({ limit: limit.value, after });
}

/** `limit` of a query, from 1 to 100. */
export function limitOf(query: URLSearchParams, fallback: number): Outcome<number> {
  return integerOf(query, "limit", { min: 1, max: PAGE_LIMIT, fallback });
}

/** A whole number of a query within bounds. */
export function integerOf(
  query: URLSearchParams,
  name: string,
  { min, max, fallback }: { readonly min: number; readonly max: number; readonly fallback: number },
): Outcome<number> {
  const text = query.get(name);
  if (text === null || text === "") return ok(fallback);
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max
    ? ok(value)
    : invalid(`/${name}`, `${name} must be a whole number from ${min} to ${max}`);
}

/** `{<plural>: […], next_cursor?}`. */
export function pageView<P extends string, T, V>(plural: P, page: Page<T>, view: (record: T) => V): PageView<P, V> {
  const next = page.next === null ? {} : { next_cursor: encode(plural, page.next) };
  return { ...({ [plural]: page.records.map(view) } as Record<P, V[]>), ...next };
}
type PageView<P extends string, V> = Readonly<Record<P, readonly V[]>> & { readonly next_cursor?: string };

const encode = (plural: string, { createdAt, id }: PageCursor): string =>
  Buffer.from(JSON.stringify([plural, createdAt, id])).toString("base64url");

function decode(plural: string, text: string): PageCursor | undefined {
  try {
    const [list, createdAt, id] = JSON.parse(Buffer.from(text, "base64url").toString()) as unknown[];
    if (list !== plural) return undefined;
    if (typeof createdAt !== "string" || typeof id !== "string" || !TIME.test(createdAt) || !ID.test(id))
      return undefined;
    return { createdAt, id };
  } catch {
    return undefined;
  }
}
