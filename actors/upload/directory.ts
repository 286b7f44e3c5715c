/** Lists of committed uploads. */
import type { Page, PageRequest } from "../page.ts";
import type { Upload } from "./schema.ts";

export interface UploadDirectory {
  /** The uploads of this person that exist at `now` (ISO 8601), newest first. */
  pageUploads(
    of: { readonly organizationId: string; readonly userId: string },
    now: string,
    page: PageRequest,
  ): Promise<Page<Upload>>;
}
