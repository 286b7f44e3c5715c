/** What messages and jobs have of stored content: each attachment is a row, which the sweep of contents looks at. */
import type { Tx } from "../runtime/actor.ts";
import { type Attachment, attachmentTable } from "./schema.ts";
import type { AttachmentBlock } from "./terms.ts";

/** Keeps the content of this block as long as its message. `id` is its own: `<message>/<name>`. */
export function attach(
  tx: Tx,
  of: Pick<Attachment, "id" | "chatId" | "messageId">,
  { sha256, size, media_type: mime }: AttachmentBlock,
): void {
  tx.create(attachmentTable, { ...of, sha256, size, mime });
}
