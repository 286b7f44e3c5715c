/** Lists of connections (port: `ConnectionDirectory`). */
import { isNull } from "drizzle-orm";
import type { ConnectionDirectory } from "../../actors/connection/protocol.ts";
import { type Connection, OF_ORGANIZATION } from "../../actors/connection/schema.ts";
import type { Page, PageRequest } from "../../actors/page.ts";
import type { Database } from "../client.ts";
import { connection } from "../tables/people.ts";
import { filterWalk, givenFilters, type Walks } from "./index-walk.ts";
import { readListPage } from "./paging.ts";

const CONNECTIONS: Walks = {
  table: connection,
  indexes: [[connection.ownerId]],
  standing: isNull(connection.removedAt),
};

export class PostgresConnectionDirectory implements ConnectionDirectory {
  private readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  pageConnections(
    { organizationId, userId }: { readonly organizationId: string; readonly userId: string },
    page: PageRequest,
  ): Promise<Page<Connection>> {
    const list = filterWalk(CONNECTIONS, organizationId, givenFilters([connection.ownerId, [userId, OF_ORGANIZATION]]));
    return readListPage<Connection>({ database: this.database, organizationId }, list, page);
  }
}
