/** Lists of uploads (port: `UploadDirectory`). */
import { gt, isNull, or } from "drizzle-orm";
import type { Page, PageRequest } from "../../actors/page.ts";
import type { UploadDirectory } from "../../actors/upload/protocol.ts";
import type { Upload } from "../../actors/upload/schema.ts";
import { OverDatabase } from "../client.ts";
import { upload } from "../tables/workspaces.ts";
import { filterWalk, givenFilters, type Walks } from "./index-walk.ts";
import { readListPage } from "./paging.ts";

const UPLOADS: Walks = { table: upload, indexes: [[upload.createdBy]], standing: isNull(upload.deletedAt) };

export class PostgresUploadDirectory extends OverDatabase implements UploadDirectory {
  pageUploads(
    { organizationId, userId }: { readonly organizationId: string; readonly userId: string },
    now: string,
    page: PageRequest,
  ): Promise<Page<Upload>> {
    const list = filterWalk(UPLOADS, organizationId, givenFilters([upload.createdBy, userId]));
    const tests = [or(isNull(upload.endsAt), gt(upload.endsAt, now))];
    return readListPage<Upload>({ database: this.database, organizationId }, { ...list, tests }, page);
  }
}
