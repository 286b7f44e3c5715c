/** Operations on uploads, which messages refer to (FILE-1 to FILE-4). */
import { UPLOAD_BYTES, UPLOAD_NAME } from "../../../actors/upload/terms.ts";
import { Nullable, Timestamp, Type } from "../../../actors/schema.ts";
import { NOT_BLANK, streamed } from "../../http/contract/body-schema.ts";
import { Count, Id, listOf, noun, Text } from "../../http/contract/noun.ts";
import { media, operationGroup } from "../../http/contract/operation.ts";
import { FILE_HEADERS } from "../../http/contract/request-headers.ts";
import { pageQuery } from "../paging.ts";
import { UploadId } from "../path-ids.ts";
import { RECORD } from "../record.ts";
import { DIGEST_HEADER } from "../workspaces/content-range.ts";

const BYTES = media({ "*/*": Type.String({ description: "The bytes of the file, with its media type" }) });

export const UploadedFile = noun("UploadedFile", "A file for messages to refer to, as `file_id`", {
  id: Id("upl", "The file's id"),
  name: Text("What its sender calls it", "invoice.pdf"),
  media_type: Text("What its first bytes say that it is", "application/pdf"),
  size: Count("Bytes"),
  sha256: Text("The digest of its content, in hex", "9f86d081884c7d65"),
  created_by: Id("usr", "The person who uploaded it; nobody else finds it"),
  expires_at: Nullable(Type.String({ ...Timestamp, description: "When it is removed; null once a message has it" })),
  ...RECORD,
});
const UploadedFileList = listOf("UploadedFileList", "files", UploadedFile);
const params = { id: UploadId };

export const uploadOperations = operationGroup("Uploads", "Files that messages refer to", {
  listUploads: {
    method: "GET",
    path: "/api/files",
    scope: "chats:read",
    summary: "List your uploaded files",
    query: pageQuery("files"),
    answers: { 200: UploadedFileList },
    errors: ["invalid_request", "invalid_cursor"],
  },
  createUpload: {
    method: "POST",
    path: "/api/files",
    scope: "chats:write",
    summary: "Upload a file for a message",
    description:
      "The body is the file: a PNG, JPEG, GIF or WebP image, a PDF, or text in UTF-8. Its first bytes decide what it is. A file that no message refers to is removed after 7 days.",
    query: { name: Type.String({ pattern: NOT_BLANK, maxLength: UPLOAD_NAME, description: "What it is called" }) },
    headers: DIGEST_HEADER,
    body: streamed(UPLOAD_BYTES),
    answers: { 201: UploadedFile },
    errors: ["invalid_request"],
    emits: "resource.created",
  },
  getUpload: {
    method: "GET",
    path: "/api/files/{id}",
    scope: "chats:read",
    summary: "Read what is known of an uploaded file",
    params,
    answers: { 200: UploadedFile },
    errors: ["not_found"],
  },
  readUpload: {
    method: "GET",
    path: "/api/files/{id}/content",
    scope: "chats:read",
    summary: "Download an uploaded file",
    params,
    headers: FILE_HEADERS,
    answers: { 200: BYTES, 206: BYTES, 304: null },
    errors: ["not_found", "range_not_satisfiable"],
  },
  deleteUpload: {
    method: "DELETE",
    path: "/api/files/{id}",
    scope: "chats:write",
    summary: "Delete an uploaded file",
    description: "No further message can refer to it. Messages that do so already keep its content.",
    params,
    answers: { 200: UploadedFile },
    errors: ["not_found"],
    emits: "resource.deleted",
  },
});
