/** What an upload's actor can be asked, and what it answers. To everybody but the person who made it, it is not there. */
import type { Content } from "../workspace/schema.ts";
import type { Upload } from "./schema.ts";

export type UploadCommand =
  | {
      readonly kind: "create_upload";
      readonly name: string;
      readonly content: Content;
      readonly userId: string;
    }
  | { readonly kind: "read_upload"; readonly userId: string }
  /** A message of this commit names it: from now on it does not expire. `field` names where the message does. */
  | { readonly kind: "use_upload"; readonly userId: string; readonly field: string }
  /** What messages have of it stays with them. */
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
