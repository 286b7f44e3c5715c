/**
 * Uploads and attachments. An upload is content that a person has sent for messages to refer to. An attachment is
 * what a message has of some content: it names it by its digest, so nothing changes under the message.
 *
 *   POST /api/files ─▶ upload ──(a message names it)──▶ attachment ─▶ content in the blob store
 *                        └── nobody names it for 7 days, or it is deleted ─▶ gone
 */
import { type ActorRef, table, type Tx } from "../runtime/actor.ts";
import { Nullable, RecordBase, type Static, Timestamp, Type } from "../schema.ts";
import { Content } from "../workspace/schema.ts";
import type { AttachmentBlock } from "./terms.ts";

export const Upload = Type.Object({
  ...RecordBase,
  name: Type.String(),
  ...Content.properties,
  /** Only this person finds it and sends it. */
  createdBy: Type.String(),
  /** When a message first named it; null: none has. */
  usedAt: Nullable(Timestamp),
  /** Null once a message has named it. */
  expiresAt: Nullable(Timestamp),
  deletedAt: Nullable(Timestamp),
});
export type Upload = Static<typeof Upload>;

/** What a message of a chat has of some content: while the row is there, the sweep leaves the content alone. */
export const Attachment = Type.Object({
  /** `<message>/<name>`. */
  ...RecordBase,
  chatId: Type.String(),
  messageId: Type.String(),
  ...Content.properties,
});
export type Attachment = Static<typeof Attachment>;

export const uploadTable = table<Upload>("upload");
export const attachmentTable = table<Attachment>("attachment");

export const uploadRef = (organizationId: string, id: string): ActorRef<"upload"> => ({
  kind: "upload",
  organizationId,
  id,
});

/** Keeps the content of this block as long as its message. `id` is its own: `<message>/<name>`. */
export function attach(
  tx: Tx,
  of: Pick<Attachment, "id" | "chatId" | "messageId">,
  { sha256, size, media_type: mime }: AttachmentBlock,
): void {
  tx.create(attachmentTable, { ...of, sha256, size, mime });
}
