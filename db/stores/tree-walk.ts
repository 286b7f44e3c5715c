/**
 * A page of everything below a directory, ordered by the bytes of the paths. It reads only directories whose paths can
 * be in the page, and of each no more than a page, so a page costs the same however large the tree is. `b` and its
 * contents may be apart: `b.txt` comes before `b/1.txt`.
 */
import type { ListedPlace, PlaceQuery } from "../../actors/workspace/directory.ts";
import type { Sql } from "../client.ts";

/** Directories in one statement. */
const WALKED_AT_ONCE = 16;

interface OpenedDirectory {
  readonly id: string;
  /** The prefix of the paths of its names: its path and a slash, or nothing for the root. */
  readonly prefix: string;
  readonly depth: number;
}

interface ListedRow {
  readonly directoryId: string;
  readonly place: ListedPlace["place"];
  /** Not listed again: it is or was on an earlier page, but its contents may come after that page. */
  readonly isPassed: boolean;
}

export interface TreeWalk extends Omit<PlaceQuery, "isRecursive"> {
  /** The most nested directories. */
  readonly maxDepth: number;
}

/**
 * The page after `after`: `limit` places, or fewer at the end of the tree. Throws when the database cannot be reached.
 */
export async function walkTree(sql: Sql, walk: TreeWalk): Promise<readonly ListedPlace[]> {
  const { directoryId, directory, limit, maxDepth } = walk;
  let unread: OpenedDirectory[] = [{ id: directoryId, prefix: directory === "" ? "" : `${directory}/`, depth: 1 }];
  let page: ListedPlace[] = [];
  for (;;) {
    const last = page.length < limit ? null : page.at(-1)!.path;
    unread = unread.filter(({ prefix }) => last === null || inBytes(prefix, last) < 0);
    unread.sort((a, b) => inBytes(a.prefix, b.prefix));
    const directories = unread.splice(0, WALKED_AT_ONCE);
    if (directories.length === 0) return page;
    const found: ListedPlace[] = [];
    for (const { directoryId: id, place, isPassed } of await children(sql, walk, directories)) {
      const { prefix, depth } = directories.find((opened) => opened.id === id)!;
      const path = `${prefix}${place.name}`;
      if (!isPassed) found.push({ path, place });
      if (place.node.kind === "directory" && depth < maxDepth)
        unread.push({ id: place.node.id, prefix: `${path}/`, depth: depth + 1 });
    }
    page = [...page, ...found].sort((a, b) => inBytes(a.path, b.path)).slice(0, limit);
  }
}

/** The first names of each directory that come after the previous page. */
function children(
  sql: Sql,
  { organizationId, after, limit }: TreeWalk,
  directories: readonly OpenedDirectory[],
): Promise<readonly ListedRow[]> {
  const ids = directories.map(({ id }) => id);
  const from = directories.map(({ prefix }) => restOf(after, prefix) ?? "");
  const way = directories.find(({ prefix }) => restOf(after, prefix) !== null);
  const passed = way === undefined ? [] : passedNames(restOf(after, way.prefix) ?? "");
  return sql<ListedRow[]>`
    select d.id as "directoryId", p.body as place, false as "isPassed"
    from unnest(${ids}::text[], ${from}::text[]) as d (id, after)
    cross join lateral (
      select body from workspace_place
      where organization_id = ${organizationId} and directory_id = d.id and node_id is not null
        and name collate "C" > d.after collate "C"
      order by name collate "C" limit ${limit}) p
    union all
    select directory_id, body, true from workspace_place
    where organization_id = ${organizationId} and directory_id = ${way?.id ?? ""} and node_id is not null
      and name collate "C" = any(${passed}::text[]) and kind = 'directory'`;
}

/**
 * The part after the prefix in the last path of the previous page; null if everything below the prefix comes after that
 * path.
 */
const restOf = (after: string | null, prefix: string): string | null =>
  after?.startsWith(prefix) === true ? after.slice(prefix.length) : null;

/** Names that are `rest` or come before it, while `name/…` may come after it: `b` for `b.txt` and for `b/1.txt`. */
function passedNames(rest: string): readonly string[] {
  const names: string[] = [];
  for (let end = 1; end <= rest.length; end++) {
    const next = rest[end];
    if (next === undefined || next <= "/") names.push(rest.slice(0, end));
    if (next === "/") break;
  }
  return names;
}

/** Compares like PostgreSQL's collation "C": by code points, which in UTF-8 is by bytes. */
function inBytes(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; i++)
    if (a.charCodeAt(i) !== b.charCodeAt(i)) return rankOf(a.charCodeAt(i)) - rankOf(b.charCodeAt(i));
  return a.length - b.length;
}

/** Surrogates encode the highest code points, but are not the highest code units. */
const rankOf = (unit: number): number => (unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit);
