/** The upload's actor: who may refer to it, and how long it is kept. Its content never changes. */
import { invalid, notFound, ok, type Outcome } from "../fault.ts";
import type { ActorDefinition, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { UNUSED_UPLOAD_MS } from "./terms.ts";
import type { UploadProtocol } from "./protocol.ts";
import { type Upload, uploadTable } from "./schema.ts";

export const uploadActor: ActorDefinition<UploadProtocol> = {
  kind: "upload",
  needs: ({ id }) => [{ table: uploadTable.name, id }],
  handlers: {
    create_upload(tx, { name, content, userId }) {
      if (tx.read(uploadTable, tx.self.id) !== null) return invalid("/id", "This file exists already");
      return ok(
        tx.create(uploadTable, {
          id: tx.self.id,
          name,
          ...content,
          createdBy: userId,
          usedAt: null,
          expiresAt: isoTime(tx.now + UNUSED_UPLOAD_MS),
          deletedAt: null,
        }),
      );
    },

    read_upload: (tx, { userId }) => presentUpload(tx, userId),

    use_upload(tx, { userId, field }) {
      const upload = presentUpload(tx, userId);
      if (!upload.ok) return invalid(field, noUpload(tx.self.id));
      if (upload.value.usedAt !== null) return upload;
      return ok(tx.update(uploadTable, { ...upload.value, usedAt: isoTime(tx.now), expiresAt: null }));
    },

    delete_upload(tx, { userId }) {
      const upload = presentUpload(tx, userId);
      return upload.ok ? ok(tx.update(uploadTable, { ...upload.value, deletedAt: isoTime(tx.now) })) : upload;
    },
  },
};

/** For the sender of a message that refers to it. */
export const noUpload = (id: string): string => `There is no file ${id} of yours; upload one with POST /api/files`;

function presentUpload(tx: Tx, userId: string): Outcome<Upload> {
  const upload = tx.read(uploadTable, tx.self.id);
  const isGone =
    upload === null ||
    upload.createdBy !== userId ||
    upload.deletedAt !== null ||
    (upload.expiresAt !== null && Date.parse(upload.expiresAt) <= tx.now);
  return isGone ? notFound("file") : ok(upload);
}
