/**
 * Uploads (WSP-2, WSP-13): a whole body, or its parts one after the other. Both end in the same command, which
 * checks the caller's preconditions.
 *
 *   PUT content                                       201, 200
 *   PUT content  Content-Range: bytes 0-99/250        202 {offset: 100}
 *   PUT content  Content-Range: bytes *\/250          202 {offset: 100}, after a lost connection
 *   PUT content  Content-Range: bytes 100-249/250     201, 200
 */
import { invalid, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { ask } from "../../../actors/troupe.ts";
import { type FilePath, newPath } from "../../../actors/workspace/path.ts";
import type { ContentCheck, ReceivedContent } from "../../../actors/workspace/ports.ts";
import type { Cause, Precondition } from "../../../actors/workspace/protocol.ts";
import { workspaceRef } from "../../../actors/workspace/schema.ts";
import { accepted, type Change, type Commit, created, done } from "../../http/commit/commit.ts";
import { streamedBody } from "../../http/contract/body-schema.ts";
import type { Input } from "../../http/contract/operation.ts";
import { operation } from "../../operations/operation.ts";
import type { Services } from "../../operations/services.ts";
import { countUnreferred, roomFor } from "../../work/content-room.ts";
import { type WorkspaceId, workspaceParams } from "../path-ids.ts";
import { doneIf } from "../updating.ts";
import { currentUploads } from "../uploads/unfinished.ts";
import { WRITE_HEADERS } from "./conditions.ts";
import type { ContentRange } from "./content-range.ts";
import { ChangedFile, changedView, PathQuery, requirePath, partialUploadView, UploadView } from "./file-schema.ts";

/** The maximum of the setting FILE_MIB; the service itself refuses files above the setting. */
const MOST_BYTES = 102_400 * 1_024 * 1_024;

type WriteInput = Input<{
  params: { id: typeof WorkspaceId };
  headers: typeof WRITE_HEADERS;
  body: ReturnType<typeof streamedBody>;
}>;

/** An upload is abandoned after so much silence. */
const UPLOAD_QUIET_SECONDS = 60;
export const NO_CONDITION: Precondition = { kind: "none" };

export const writeOperations = {
  writeFile: operation(
    {
      method: "PUT",
      path: "/api/workspaces/{id}/files/content",
      scope: "workspaces:write",
      summary: "Upload a file",
      description:
        "Creates the file and missing parent directories, or replaces its content. The body is the file, and `Content-Type` its media type. A large file can be sent in parts, each with `Content-Range` and the `Repr-Digest` of the whole file. While bytes are missing, the response is 202 with the `offset` of the next part; send `Content-Range: bytes */<size>` to query it. An upload in parts may take up to a day.",
      params: workspaceParams,
      query: PathQuery,
      headers: WRITE_HEADERS,
      // Two parts of a file may have the same bytes.
      keyedHeaders: ["content-range"],
      body: streamedBody(MOST_BYTES),
      answers: { 200: ChangedFile, 201: ChangedFile, 202: UploadView },
      errors: ["forbidden", "path_exists", "upload_offset_mismatch"],
      emits: "workspace_file.changed",
    },
    async (services, change, input) => {
      const given = requirePath(input.query.path);
      if (!given.ok) return given;
      const path = newPath(given.value);
      if (!path.ok) return path;
      const { headers, body } = input;
      const { id } = input.params;
      const { fileBytes } = services.workspaceLimits;
      const range = headers["content-range"];
      const size = range?.size ?? body.length ?? 0;
      if (size > fileBytes) return refuse({ kind: "payload_too_large", limitBytes: fileBytes });
      if (headers["if-match"] !== undefined && headers["if-none-match"] !== undefined)
        return invalid(
          "/if-none-match",
          "If-None-Match: * requires that no file is at the path, and If-Match requires one: send only one of them",
        );
      const { organizationId } = change.principal;
      // Checked before anything is received: an upload to an unknown workspace is refused at once.
      const workspace = await services.system.dispatch(workspaceRef(organizationId, id), { kind: "read_workspace" });
      if (!workspace.ok) return workspace;
      // A client on a slow connection may take as long as it needs.
      change.keepOpen(UPLOAD_QUIET_SECONDS);
      const sha256 = headers["repr-digest"];
      if (range !== undefined) {
        if (sha256 === undefined)
          return invalid("/repr-digest", "An upload in parts needs Repr-Digest, the digest of the whole content");
        return uploadPart(services, change, { path: path.value, input, range, sha256 });
      }
      // Content that is refused here is not stored.
      const check: ContentCheck = (arrived) =>
        sha256 !== undefined && sha256 !== arrived.sha256
          ? invalid("/repr-digest", "The content does not match Repr-Digest")
          : roomFor(services, organizationId, arrived);
      const received = await body.hashedBy((pieces) =>
        services.contents.receive(organizationId, pieces, fileBytes, check),
      );
      if (!received.ok) return received;
      return write(services, change, { path: path.value, input, content: received.value });
    },
  ),
};

async function uploadPart(
  services: Services,
  change: Change,
  of: {
    readonly path: FilePath;
    readonly input: WriteInput;
    readonly range: ContentRange;
    readonly sha256: string;
  },
): Promise<Outcome<Commit>> {
  const { path, input, range, sha256 } = of;
  const { organizationId, userId } = change.principal;
  const workspaceId = input.params.id;
  const pathKey = path.names.map(({ key }) => key).join("/");
  const name = { organizationId, workspaceId, path: path.text, pathKey, sha256, size: range.size, userId };
  const part = range.part === null ? null : { ...range.part, body: input.body };
  if (part === null) {
    for (let next = await input.body.read(); !next.done; next = await input.body.read())
      if (next.value.byteLength > 0) return invalid("/content-range", "`bytes */<size>` must be sent without a body");
  }
  // Uploads of removed people are ended, so that others can use their places.
  if (part?.first === 0) await currentUploads(services, organizationId);
  if (part !== null) {
    const room = await roomFor(services, organizationId, name);
    if (!room.ok) return room;
  }
  const taken = await services.contents.receivePart(name, part, (content) =>
    write(services, change, { path, input, content }),
  );
  if (!taken.ok) {
    // The part may be a repetition whose first answer was lost: its idempotency key shows that.
    if (taken.fault.kind === "upload_offset_mismatch") await input.body.readForKey();
    return taken;
  }
  if (taken.value.kind === "completed") return ok(taken.value.value);
  const { offset, expiresAt } = taken.value;
  const ref = workspaceRef(organizationId, workspaceId);
  if (part === null && offset === 0) {
    // The last answer may have been lost: then the content is already there.
    const found = await services.system.dispatch(ref, { kind: "read_place", path });
    const node = found.ok ? found.value.place.node : null;
    if (node?.kind === "file" && node.sha256 === sha256)
      return change.commit([ask(ref, { kind: "read_place", path })], (place) => ({
        ...done(changedView(workspaceId, place, "updated")),
        emits: null,
      }));
  }
  const view = partialUploadView({ workspaceId, path: path.text, offset, size: range.size, sha256, expiresAt });
  return change.commit([ask(ref, { kind: "read_workspace" })], () => ({ ...accepted(view), emits: null }));
}

/** Makes the file refer to stored content. */
async function write(
  { contents, quotas }: Services,
  change: Change,
  {
    path,
    input: { params, headers, body },
    content: { text, ...content },
  }: { readonly path: FilePath; readonly input: WriteInput; readonly content: ReceivedContent },
): Promise<Outcome<Commit>> {
  const { organizationId, userId } = change.principal;
  // The request emits its own event, so the command emits none.
  const cause: Cause = { by: { type: "user", id: userId }, tells: false };
  const command = {
    kind: "write_file",
    path,
    content: { ...content, mime: contents.mimeOf(path.names.at(-1)?.name ?? "", body.contentType) },
    text,
    precondition: headers["if-match"] ?? headers["if-none-match"] ?? NO_CONDITION,
    cause,
  } as const;
  const written = await change.commit([ask(workspaceRef(organizationId, params.id), command)], (place) =>
    place.isNew
      ? created(changedView(params.id, place, "created"))
      : doneIf(!place.isUnchanged, changedView(params.id, place, "updated")),
  );
  countUnreferred({ quotas }, organizationId, { written, size: content.size });
  return written;
}
