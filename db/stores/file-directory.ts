/** Lists of workspaces and their files (port: `FileDirectory`). */
import { and, desc, eq, gte, sql } from "drizzle-orm";
import type { Page, PageRequest } from "../../actors/page.ts";
import type {
  AppPlace,
  FileDirectory,
  FoundPlace,
  ListedPlace,
  PlaceQuery,
  SharePlace,
} from "../../actors/workspace/directory.ts";
import { PATH_DEPTH } from "../../actors/workspace/path.ts";
import type { Share, Version } from "../../actors/workspace/schema.ts";
import { NO_ORGANIZATION } from "../client.ts";
import { workspaceShare, workspaceVersion } from "../tables/workspaces.ts";
import { givenFilters, type Walks } from "./index-walk.ts";
import { OverTables } from "./over-tables.ts";
import { walkTree } from "./tree-walk.ts";

/** A move can put a directory below another one, so a single move can create paths of this depth. */
const WALK_DEPTH = 2 * PATH_DEPTH;
/** Matches of a search whose paths are looked up. Some may be in deleted directories. */
const CANDIDATES = 500;
/** Options for the excerpt around a match. */
const EXCERPT = "StartSel='', StopSel='', MaxFragments=0, MaxWords=24, MinWords=8";

const prefixOf = ({ directory }: PlaceQuery): string => (directory === "" ? "" : `${directory}/`);

const SHARES: Walks = { table: workspaceShare, indexes: [[workspaceShare.workspaceId]] };

export class PostgresFileDirectory extends OverTables implements FileDirectory {
  listPlaces(query: PlaceQuery): Promise<readonly ListedPlace[]> {
    return query.isRecursive ? this.listTree(query) : this.listDirectory(query);
  }

  /** The places of one directory, in the order of its index. */
  private listDirectory(query: PlaceQuery): Promise<readonly ListedPlace[]> {
    const { organizationId, directoryId, after, limit } = query;
    const prefix = prefixOf(query);
    const name = after?.startsWith(prefix) === true ? after.slice(prefix.length) : "";
    return this.database.reading(
      "list",
      organizationId,
      ({ sql: ask }) => ask<ListedPlace[]>`
        select ${prefix}::text || name as path, body as place from workspace_place
        where organization_id = ${organizationId} and directory_id = ${directoryId} and node_id is not null
          and name collate "C" > ${name}::text collate "C"
        order by name collate "C" limit ${limit}`,
    );
  }

  private listTree(query: PlaceQuery): Promise<readonly ListedPlace[]> {
    return this.database.reading("list", query.organizationId, ({ sql }) =>
      walkTree(sql, { ...query, maxDepth: WALK_DEPTH }),
    );
  }

  async search(
    { organizationId, workspaceId }: { readonly organizationId: string; readonly workspaceId: string },
    text: string,
    limit: number,
  ): Promise<readonly FoundPlace[]> {
    // As names are stored; what is in files is as it is.
    const pattern = `%${text.normalize("NFC").replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`;
    return this.database.reading(
      "list",
      organizationId,
      ({ sql: ask }) => ask<FoundPlace[]>`
        with recursive words as (select websearch_to_tsquery('simple', ${text}) as query),
        hit as (
          (select id, directory_id, name, node_id, true as is_name from workspace_place
           where organization_id = ${organizationId} and workspace_id = ${workspaceId} and kind = 'file'
             and name ilike ${pattern} order by name limit ${CANDIDATES})
          union all
          (select p.id, p.directory_id, p.name, p.node_id, false from words, workspace_text t
           join workspace_place p on p.organization_id = t.organization_id and p.node_id = t.id
           where t.organization_id = ${organizationId} and t.workspace_id = ${workspaceId} and t.words @@ words.query
             and p.kind = 'file' and p.name not ilike ${pattern}
           order by ts_rank(t.words, words.query) desc limit ${CANDIDATES})),
        way as (
          select id, is_name, directory_id, name as path, 1 as depth from hit
          union all
          select w.id, w.is_name, d.directory_id, d.name || '/' || w.path, w.depth + 1
          from way w join workspace_place d on d.organization_id = ${organizationId} and d.node_id = w.directory_id
          where w.directory_id <> ${workspaceId} and d.kind = 'directory' and w.depth < ${WALK_DEPTH}),
        found as (
          select id, is_name, path from way where directory_id = ${workspaceId}
          order by is_name desc, path collate "C" limit ${limit})
        select found.path, p.body as place,
          case when not found.is_name then
            ts_headline('simple', t.body ->> 'text', words.query, ${EXCERPT}) end as excerpt
        from words, found join workspace_place p on p.organization_id = ${organizationId} and p.id = found.id
        left join workspace_text t on t.organization_id = ${organizationId} and t.id = p.node_id
        order by found.is_name desc, found.path collate "C"`,
    );
  }

  listVersions(organizationId: string, fileId: string, now: string): Promise<readonly Version[]> {
    const { organizationId: of, fileId: file, keptUntil, number, body } = workspaceVersion;
    const test = and(eq(of, organizationId), eq(file, fileId), gte(keptUntil, now));
    return this.column<Version>(["list", organizationId], body, test, { order: [desc(number)] });
  }

  pageShares(
    { organizationId, workspaceId }: { readonly organizationId: string; readonly workspaceId: string },
    page: PageRequest,
  ): Promise<Page<Share>> {
    const filters = givenFilters([workspaceShare.workspaceId, workspaceId]);
    const tests = [sql`${workspaceShare.body} ->> 'revokedAt' is null`];
    return this.page<Share>(SHARES, organizationId, page, { filters, tests });
  }

  async findApp(label: string): Promise<AppPlace | null> {
    const [found] = await this.database.reading(
      "lookup",
      NO_ORGANIZATION,
      ({ sql: ask }) => ask<AppPlace[]>`
        select organization_id as "organizationId", id as "workspaceId" from workspace
        where app_labels @> ${JSON.stringify([label])}::text::jsonb limit 1`,
    );
    return found ?? null;
  }

  async findShare(hash: string): Promise<SharePlace | null> {
    const { organizationId, workspaceId, id: shareId } = workspaceShare;
    const [found] = await this.database.reading("lookup", NO_ORGANIZATION, ({ query }) =>
      query
        .select({ organizationId, workspaceId, shareId })
        .from(workspaceShare)
        .where(eq(workspaceShare.hash, hash))
        .limit(1),
    );
    return found === undefined ? null : { ...found, workspaceId: found.workspaceId ?? "" };
  }
}
