/** The commands and replies of an upload's actor. Only the person who created an upload can find it. */
import type { StoredContent } from "../workspace/schema.ts";
import type { Upload } from "./schema.ts";
import type { Page, PageRequest } from "../page.ts";

export type UploadCommand =
  | {
      readonly kind: "create_upload";
      readonly name: string;
      readonly content: StoredContent;
      readonly userId: string;
    }
  | { readonly kind: "read_upload"; readonly userId: string }
  /** A message of this commit refers to it, so it no longer expires. `field` is the place in the message. */
  | { readonly kind: "use_upload"; readonly userId: string; readonly field: string }
  /** Content that messages refer to stays with them. */
  | { readonly kind: "delete_upload"; readonly userId: string };

export interface UploadProtocol {
  readonly command: UploadCommand;
  readonly replies: {
    create_upload: Upload;
    read_upload: Upload;
    use_upload: Upload;
    delete_upload: Upload;
  };
}

/** Lists of committed uploads. */
export interface UploadDirectory {
  /** The uploads of this person that exist at `now` (ISO 8601), newest first. */
  pageUploads(
    of: { readonly organizationId: string; readonly userId: string },
    now: string,
    page: PageRequest,
  ): Promise<Page<Upload>>;
}
