/** Lists of connections (port: `ConnectionDirectory`). */
import { and, asc, eq, gt, isNull } from "drizzle-orm";
import type { ConnectionDirectory } from "../../actors/connection/protocol.ts";
import { type Connection, OF_ORGANIZATION } from "../../actors/connection/schema.ts";
import type { Page, PageRequest } from "../../actors/page.ts";
import { OverDatabase } from "../client.ts";
import { connection } from "../tables/people.ts";
import { filterWalk, givenFilters, type Walks } from "./index-walk.ts";
import { readListPage } from "./paging.ts";

const CONNECTIONS: Walks = {
  table: connection,
  indexes: [[connection.ownerId]],
  standing: isNull(connection.removedAt),
};

export class PostgresConnectionDirectory extends OverDatabase implements ConnectionDirectory {
  pageConnections(
    { organizationId, userId }: { readonly organizationId: string; readonly userId: string },
    page: PageRequest,
  ): Promise<Page<Connection>> {
    const list = filterWalk(CONNECTIONS, organizationId, givenFilters([connection.ownerId, [userId, OF_ORGANIZATION]]));
    return readListPage<Connection>({ database: this.database, organizationId }, list, page);
  }

  async connectionsOf(
    { organizationId, userId }: { readonly organizationId: string; readonly userId: string },
    after: string,
    limit: number,
  ): Promise<readonly string[]> {
    const rows = await this.database.reading("load", organizationId, ({ query }) =>
      query
        .select({ id: connection.id })
        .from(connection)
        .where(
          and(
            eq(connection.organizationId, organizationId),
            eq(connection.ownerId, userId),
            isNull(connection.removedAt),
            gt(connection.id, after),
          ),
        )
        .orderBy(asc(connection.id))
        .limit(limit),
    );
    return rows.map(({ id }) => id);
  }
}
