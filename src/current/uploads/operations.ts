/** Uploads on the current surface: list, upload, read, download, delete (FILE-1 to FILE-4). */
import { invalid, mapOutcome, type Outcome, refuse } from "../../../actors/fault.ts";
import { newId } from "../../../actors/ids.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { isoTime, Nullable, Timestamp, Type } from "../../../actors/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { UPLOAD_BYTES, UPLOAD_NAME } from "../../../actors/upload/terms.ts";
import { type Upload, uploadRef } from "../../../actors/upload/schema.ts";
import type { ContentCheck } from "../../../actors/workspace/ports.ts";
import { created, done } from "../../http/commit/commit.ts";
import { NOT_BLANK, streamedBody } from "../../http/contract/body-schema.ts";
import { Count, fieldsFrom, Id, listOf, noun, Text } from "../../http/contract/noun.ts";
import { type Shown } from "../../http/contract/operation.ts";
import { FILE_HEADERS } from "../../http/contract/request-headers.ts";
import { operation } from "../../operations/operation.ts";
import type { Services } from "../../operations/services.ts";
import { roomFor } from "../../work/content-room.ts";
import { knownContent, LOOKED_BYTES, TAKEN_TYPES } from "../../work/media-type.ts";
import { pageOf, pageQuery, shownPage } from "../paging.ts";
import { UploadId } from "../path-ids.ts";
import { permittedActions, RECORD, recordView } from "../record.ts";
import { DIGEST_HEADER } from "../workspaces/content-range.ts";
import { fileResponse } from "../workspaces/file-response.ts";
import { FILE_BYTES } from "../workspaces/file-schema.ts";

export const UploadedFile = noun("UploadedFile", "A file that messages can refer to by `file_id`", {
  id: Id("upl", "The file's id"),
  name: Text("Name from the sender", "invoice.pdf"),
  media_type: Text("Media type, detected from the first bytes", "application/pdf"),
  size: Count("Size in bytes"),
  sha256: Text("SHA-256 of the content, in hex", "9f86d081884c7d65"),
  created_by: Id("usr", "Person who uploaded it; nobody else can see it"),
  expires_at: Nullable(
    Type.String({ ...Timestamp, description: "When it will be removed; null once a message refers to it" }),
  ),
  ...RECORD,
});

const UploadedFileList = listOf("UploadedFileList", "files", UploadedFile);

const uploadParams = { id: UploadId };

export const uploadOperations = {
  listUploads: operation(
    {
      method: "GET",
      path: "/api/files",
      scope: "chats:read",
      summary: "List your uploaded files",
      query: pageQuery("files"),
      answers: { 200: UploadedFileList },
    },
    async ({ uploads, clock, readCommitted }, { principal }, { query }) => {
      const read = () => uploads.pageUploads(principal, isoTime(clock.now()), pageOf(query));
      return shownPage("files", readCommitted(principal.organizationId, read), (upload) =>
        uploadedFileView(upload, principal),
      );
    },
  ),

  createUpload: operation(
    {
      method: "POST",
      path: "/api/files",
      scope: "chats:write",
      summary: "Upload a file for a message",
      description:
        "The body is the file: a PNG, JPEG, GIF or WebP image, a PDF, or text in UTF-8. Its media type is detected from its first bytes. A file that no message refers to is removed after 7 days.",
      query: { name: Type.String({ pattern: NOT_BLANK, maxLength: UPLOAD_NAME, description: "Name of the file" }) },
      headers: DIGEST_HEADER,
      body: streamedBody(UPLOAD_BYTES),
      answers: { 201: UploadedFile },
      emits: "resource.created",
    },
    async (services, change, { query, headers, body }) => {
      const { contents } = services;
      const { organizationId, userId } = change.principal;
      const { name } = query;
      if (name === undefined)
        return invalid("/name", "name must be given: what the file is called, as ?name=invoice.pdf");
      if ((body.length ?? 0) > UPLOAD_BYTES) return refuse({ kind: "payload_too_large", limitBytes: UPLOAD_BYTES });
      change.keepOpen(UPLOADING_QUIET_SECONDS);
      let mime = "";
      // Checked before it is stored: a refused upload takes no space on the disk.
      const check: ContentCheck = async (content) => {
        const { sha256, size, head } = content;
        if (headers["repr-digest"] !== undefined && headers["repr-digest"] !== sha256)
          return invalid("/repr-digest", "The content does not match Repr-Digest");
        if (size === 0) return invalid("/body", "The file is empty");
        const known = knownContent(await head(LOOKED_BYTES), size, contents.mimeOf(name, body.contentType));
        if (known === null)
          return invalid("/body", `Messages do not take this type of content; they take ${TAKEN_TYPES}`);
        mime = known.mime;
        return roomFor(services, organizationId, content);
      };
      const received = await body.hashedBy((pieces) => contents.receive(organizationId, pieces, UPLOAD_BYTES, check));
      if (!received.ok) return received;
      const { sha256, size } = received.value;
      const command = { kind: "create_upload", name, content: { sha256, size, mime }, userId } as const;
      return change.commit([ask(uploadRef(organizationId, newId("upl")), command)], (upload) =>
        created(uploadedFileView(upload, change.principal)),
      );
    },
  ),

  getUpload: operation(
    {
      method: "GET",
      path: "/api/files/{id}",
      scope: "chats:read",
      summary: "Read an uploaded file's metadata",
      params: uploadParams,
      answers: { 200: UploadedFile },
    },
    async (services, { principal }, { params: { id } }) => {
      return mapOutcome(await readUpload(services, principal, id), (upload) => uploadedFileView(upload, principal));
    },
  ),

  readUpload: operation(
    {
      method: "GET",
      path: "/api/files/{id}/content",
      scope: "chats:read",
      summary: "Download an uploaded file",
      params: uploadParams,
      headers: FILE_HEADERS,
      answers: { 200: FILE_BYTES, 206: FILE_BYTES, 304: null },
    },
    async (services, { principal }, { params: { id }, headers }) => {
      const upload = await readUpload(services, principal, id);
      return upload.ok ? fileResponse(services, upload.value, headers) : upload;
    },
  ),

  deleteUpload: operation(
    {
      method: "DELETE",
      path: "/api/files/{id}",
      scope: "chats:write",
      summary: "Delete an uploaded file",
      description: "New messages can no longer refer to the file. Messages that already do keep its content.",
      params: uploadParams,
      answers: { 200: UploadedFile },
      emits: "resource.deleted",
    },
    (_, change, { params: { id } }) => {
      const { organizationId, userId } = change.principal;
      return change.commit([ask(uploadRef(organizationId, id), { kind: "delete_upload", userId })], (upload) =>
        done({ ...uploadedFileView(upload, change.principal), allowed_actions: [] }),
      );
    },
  ),
};

/** An upload is abandoned after so much silence. */
const UPLOADING_QUIET_SECONDS = 60;

const readUpload = (
  { system }: Pick<Services, "system">,
  { organizationId, userId }: Principal,
  id: string,
): Promise<Outcome<Upload>> => system.dispatch(uploadRef(organizationId, id), { kind: "read_upload", userId });

const uploadedFields = fieldsFrom(UploadedFile);

function uploadedFileView(upload: Upload, by: Principal): Shown<typeof UploadedFile> {
  const self = `/api/files/${upload.id}`;
  return {
    ...uploadedFields(upload),
    media_type: upload.mime,
    ...recordView(upload, { self, content: `${self}/content` }, permittedActions(by, "chats:write", ["delete"])),
  };
}
