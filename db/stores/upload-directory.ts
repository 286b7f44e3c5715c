/** Lists of uploads (port: `UploadDirectory`). */
import { gt, isNull, or } from "drizzle-orm";
import type { Page, PageRequest } from "../../actors/page.ts";
import type { UploadDirectory } from "../../actors/upload/protocol.ts";
import type { Upload } from "../../actors/upload/schema.ts";
import { upload } from "../tables/workspaces.ts";
import { givenFilters, type Walks } from "./index-walk.ts";
import { OverTables } from "./over-tables.ts";

const UPLOADS: Walks = { table: upload, indexes: [[upload.createdBy]], standing: isNull(upload.deletedAt) };

export class PostgresUploadDirectory extends OverTables implements UploadDirectory {
  pageUploads(
    { organizationId, userId }: { readonly organizationId: string; readonly userId: string },
    now: string,
    page: PageRequest,
  ): Promise<Page<Upload>> {
    const tests = [or(isNull(upload.endsAt), gt(upload.endsAt, now))];
    return this.page<Upload>(UPLOADS, organizationId, page, {
      filters: givenFilters([upload.createdBy, userId]),
      tests,
    });
  }
}
