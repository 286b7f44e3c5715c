/** Uploads on the current surface: list, upload, read, download, delete (FILE-1 to FILE-4). */
import { invalid, mapped, type Outcome, refuse } from "../../../actors/fault.ts";
import { newId } from "../../../actors/ids.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { isoTime } from "../../../actors/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { UPLOAD_BYTES } from "../../../actors/upload/terms.ts";
import { type Upload, uploadRef } from "../../../actors/upload/schema.ts";
import type { ContentCheck } from "../../../actors/workspace/ports.ts";
import type { Handlers, Input, Shown } from "../../http/contract/operation.ts";
import { type Change, type Commit, created, done } from "../../http/commit/commit.ts";
import { lookUp } from "../../log/look-up.ts";
import type { Services } from "../../operations/services.ts";
import { roomFor } from "../../work/content-room.ts";
import { knownContent, LOOKED_BYTES, TAKEN_TYPES } from "../../work/media-type.ts";
import { pageOf, pageView } from "../paging.ts";
import { permitted, recordView } from "../record.ts";
import { fileResponse } from "../workspaces/file-response.ts";
import type { UploadedFile, uploadOperations } from "./operations.ts";

type UploadOperations = typeof uploadOperations.operations;

/** An upload is abandoned after so much silence. */
const QUIET_SECONDS = 60;

export const uploadHandlers: Handlers<UploadOperations, Services> = {
  async listUploads({ system, uploads, clock, log }, { principal }, { query }) {
    const settled = await system.settled(principal.organizationId);
    if (!settled.ok) return settled;
    const list = await lookUp(log, uploads.pageUploads(principal, isoTime(clock.now()), pageOf(query)));
    return mapped(list, (page) => pageView("files", page, (upload) => uploadView(upload, principal)));
  },

  createUpload: (services, change, input) => createUpload(services, change, input),

  async getUpload(services, { principal }, { params: { id } }) {
    return mapped(await found(services, principal, id), (upload) => uploadView(upload, principal));
  },

  async readUpload(services, { principal }, { params: { id }, headers }) {
    const upload = await found(services, principal, id);
    return upload.ok ? fileResponse(services, upload.value, headers) : upload;
  },

  deleteUpload: (_, change, { params: { id } }) => {
    const { organizationId, userId } = change.principal;
    return change.commit([ask(uploadRef(organizationId, id), { kind: "delete_upload", userId })], (upload) =>
      done({ ...uploadView(upload, change.principal), allowed_actions: [] }),
    );
  },
};

const found = (
  { system }: Pick<Services, "system">,
  { organizationId, userId }: Principal,
  id: string,
): Promise<Outcome<Upload>> => system.dispatch(uploadRef(organizationId, id), { kind: "read_upload", userId });

async function createUpload(
  services: Services,
  change: Change,
  { query, headers, body }: Input<UploadOperations["createUpload"]>,
): Promise<Outcome<Commit>> {
  const { contents } = services;
  const { organizationId, userId } = change.principal;
  const { name } = query;
  if (name === undefined) return invalid("/name", "name must be given: what the file is called, as ?name=invoice.pdf");
  if ((body.length ?? 0) > UPLOAD_BYTES) return refuse({ kind: "payload_too_large", limitBytes: UPLOAD_BYTES });
  change.keepOpen(QUIET_SECONDS);
  let mime = "";
  // Checked before it is stored: a refused upload takes no space on the disk.
  const check: ContentCheck = async (content) => {
    const { sha256, size, head } = content;
    if (headers["repr-digest"] !== undefined && headers["repr-digest"] !== sha256)
      return invalid("/repr-digest", "The content has another digest than Repr-Digest says");
    if (size === 0) return invalid("/body", "The file is empty");
    const known = knownContent(await head(LOOKED_BYTES), size, contents.mimeOf(name, body.contentType));
    if (known === null) return invalid("/body", `Messages do not take this type of content; they take ${TAKEN_TYPES}`);
    mime = known.mime;
    return roomFor(services, organizationId, content);
  };
  const received = await body.hashedBy((pieces) => contents.receive(organizationId, pieces, UPLOAD_BYTES, check));
  if (!received.ok) return received;
  const { sha256, size } = received.value;
  const command = { kind: "create_upload", name, content: { sha256, size, mime }, userId } as const;
  return change.commit([ask(uploadRef(organizationId, newId("upl")), command)], (upload) =>
    created(uploadView(upload, change.principal)),
  );
}

function uploadView(upload: Upload, by: Principal): Shown<typeof UploadedFile> {
  const self = `/api/files/${upload.id}`;
  return {
    id: upload.id,
    name: upload.name,
    media_type: upload.mime,
    size: upload.size,
    sha256: upload.sha256,
    created_by: upload.createdBy,
    expires_at: upload.expiresAt,
    ...recordView(upload, { self, content: `${self}/content` }, permitted(by, "chats:write", ["delete"])),
  };
}
