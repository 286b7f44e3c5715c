/** Lists of connections (port: `ConnectionDirectory`). */
import { and, asc, eq, gt, isNull } from "drizzle-orm";
import type { ConnectionDirectory } from "../../actors/connection/protocol.ts";
import { type Connection, OF_ORGANIZATION } from "../../actors/connection/schema.ts";
import type { Page, PageRequest } from "../../actors/page.ts";
import { connection } from "../tables/people.ts";
import { givenFilters, type Walks } from "./index-walk.ts";
import { OverTables } from "./over-tables.ts";

const CONNECTIONS: Walks = {
  table: connection,
  indexes: [[connection.ownerId]],
  standing: isNull(connection.removedAt),
};

export class PostgresConnectionDirectory extends OverTables implements ConnectionDirectory {
  pageConnections(
    { organizationId, userId }: { readonly organizationId: string; readonly userId: string },
    page: PageRequest,
  ): Promise<Page<Connection>> {
    const filters = givenFilters([connection.ownerId, [userId, OF_ORGANIZATION]]);
    return this.page<Connection>(CONNECTIONS, organizationId, page, { filters });
  }

  connectionsOf(
    { organizationId, userId }: { readonly organizationId: string; readonly userId: string },
    after: string,
    limit: number,
  ): Promise<readonly string[]> {
    const test = and(
      eq(connection.organizationId, organizationId),
      eq(connection.ownerId, userId),
      isNull(connection.removedAt),
      gt(connection.id, after),
    );
    return this.column<string>(["load", organizationId], connection.id, test, { order: [asc(connection.id)], limit });
  }
}
