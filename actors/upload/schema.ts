/**
 * Uploads and attachments. An upload is content that a person has sent for messages to refer to. An attachment is a
 * message's reference to some content by its digest, so the content never changes under the message.
 *
 *   POST /api/files ─▶ upload ──(a message refers to it)──▶ attachment ─▶ content in the blob store
 *                        └── unused for 7 days, or deleted ─▶ gone
 */
import { refTo, table, type Tx } from "../runtime/actor.ts";
import { Nullable, RecordBase, type Static, Timestamp, Type } from "../schema.ts";
import { StoredContent } from "../workspace/schema.ts";
import type { AttachmentBlock } from "./terms.ts";

export const Upload = Type.Object({
  ...RecordBase,
  name: Type.String(),
  ...StoredContent.properties,
  /** Only this person can find and send it. */
  createdBy: Type.String(),
  /** When a message first referred to it; null: none has. */
  usedAt: Nullable(Timestamp),
  /** Null once a message has referred to it. */
  expiresAt: Nullable(Timestamp),
  deletedAt: Nullable(Timestamp),
});
export type Upload = Static<typeof Upload>;

/** A message's reference to some content: while the row exists, the sweep keeps the content. */
export const Attachment = Type.Object({
  /** `<message>/<name>`. */
  ...RecordBase,
  chatId: Type.String(),
  messageId: Type.String(),
  /** The call whose result has the content, which had room when it was stored; absent: a person has sent it. */
  callId: Type.Optional(Type.String()),
  ...StoredContent.properties,
});
export type Attachment = Static<typeof Attachment>;

export const uploadTable = table<Upload>("upload");
export const attachmentTable = table<Attachment>("attachment");

export const uploadRef = refTo("upload");

/** Keeps the content of this block as long as its message. `id` is the block's own: `<message>/<name>`. */
export function attach(
  tx: Tx,
  of: Pick<Attachment, "id" | "chatId" | "messageId" | "callId">,
  { sha256, size, media_type: mime }: AttachmentBlock,
): void {
  tx.create(attachmentTable, { ...of, sha256, size, mime });
}
