/** Implements the file tools' port (`src/runner/tools/file-service.ts`) over the actors and the content. */
import type { QuotaReports } from "../../actors/usage/quota.ts";
import { countUnreferred, receiveWithin, writeReceived } from "../work/content-room.ts";
import { moveRoom } from "../work/move-room.ts";
import { invalid, mapOutcome, notFound, ok, type Outcome } from "../../actors/fault.ts";
import type { ToolContext } from "../../actors/job/ports.ts";
import { jobRef } from "../../actors/job/schema.ts";
import type { ActorRef } from "../../actors/runtime/actor.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import type { DataQueries } from "../../actors/workspace/data-queries.ts";
import type { FileDirectory, PlaceQuery } from "../../actors/workspace/directory.ts";
import { type FilePath, parseDirectory, parseNewPath, parsePath } from "../../actors/workspace/path.ts";
import type { FileContents } from "../../actors/workspace/ports.ts";
import type { Cause, Found, Precondition } from "../../actors/workspace/protocol.ts";
import { type FilePlace, workspaceRef } from "../../actors/workspace/schema.ts";
import type { ChangedToolFile, FileService, ToolFile } from "../runner/tools/file-service.ts";

/** Bytes of one read of a file. */
const FILE_PART_BYTES = 32 * 1024;
/** Bytes of a file to edit: all of it is in memory during the edit. */
const EDITED_BYTES = 4 * 1024 * 1024;
const TOOL_FOUND_FILES = 25;
/** Bytes of a query's rows, so that they fit into a tool's result. */
const QUERIED_ROWS_BYTES = 24 * 1024;

interface FileServiceParts {
  readonly system: TroupeSystem;
  readonly files: FileDirectory;
  readonly contents: FileContents;
  readonly quotas: Pick<QuotaReports, "room" | "unreferred">;
  readonly queries: DataQueries;
}

export function actorFileService(parts: FileServiceParts): FileService {
  return {
    async list(context, { path: text, isRecursive, limit }) {
      const path = parseDirectory(text);
      if (!path.ok) return path;
      const at = await jobWorkspace(parts, context);
      if (!at.ok) return at;
      const { organizationId } = context;
      const found = await parts.system.dispatch(at.value, { kind: "read_place", path: path.value });
      if (!found.ok) return found;
      const { place } = found.value;
      if (place.node.kind !== "directory") return ok([toolFile(found.value)]);
      const settled = await parts.system.settled(organizationId);
      if (!settled.ok) return settled;
      const from = { organizationId, directoryId: place.node.id, directory: found.value.path };
      return ok((await parts.files.listPlaces({ ...from, isRecursive, after: null, limit })).map(toolFile));
    },

    async search(context, text) {
      const at = await jobWorkspace(parts, context);
      if (!at.ok) return at;
      const settled = await parts.system.settled(context.organizationId);
      if (!settled.ok) return settled;
      const { organizationId, id: workspaceId } = at.value;
      const found = await parts.files.search({ organizationId, workspaceId }, text, TOOL_FOUND_FILES);
      return ok(found.map(({ excerpt, ...place }) => ({ ...toolFile(place), excerpt })));
    },

    async read(context, path, offset) {
      const file = await fileOfJob(parts, context, path);
      if (!file.ok) return file;
      const { size } = file.value.place.node;
      const end = Math.min(size, offset + FILE_PART_BYTES);
      const text = await filePartText(parts, context, file.value.place, { start: Math.min(offset, size), end });
      if (!text.ok) return text;
      return ok({ path: file.value.path, text: text.value, size, nextOffset: end < size ? end : null });
    },

    async write(context, text, content) {
      const path = parseNewPath(text);
      return path.ok
        ? writeFromTool(parts, context, { path: path.value, text: content, precondition: { kind: "none" } })
        : path;
    },

    async replace(context, { path: text, oldText, newText }) {
      const path = parsePath(text);
      if (!path.ok) return path;
      const file = await fileOfJob(parts, context, text);
      if (!file.ok) return file;
      const { node } = file.value.place;
      if (node.size > EDITED_BYTES) return invalid("/path", `The file is larger than ${EDITED_BYTES} bytes`);
      const before = await exactText(parts, context, file.value.place);
      if (!before.ok) return before;
      const parted = before.value.split(oldText);
      if (parted.length !== 2)
        return invalid(
          "/old_text",
          `The text occurs ${parted.length - 1} times in the file; it must occur exactly once`,
        );
      const precondition = { kind: "present", sha256: [node.sha256] } as const;
      return writeFromTool(parts, context, {
        path: path.value,
        text: parted.join(newText),
        mime: node.mime,
        precondition,
      });
    },

    async query(context, { query, params, database, limit, budget, signal }) {
      const at = await jobWorkspace(parts, context);
      if (!at.ok) return at;
      const { organizationId, id: workspaceId } = at.value;
      const asked = { organizationId, workspaceId, query, params, database, limit, budget, signal };
      return parts.queries.run({ ...asked, format: "json", maxBytes: QUERIED_ROWS_BYTES });
    },

    async move(context, { from, to, overwrite }) {
      const source = parsePath(from, "from");
      if (!source.ok) return source;
      const target = parseNewPath(to, "to");
      if (!target.ok) return target;
      const at = await jobWorkspace(parts, context);
      if (!at.ok) return at;
      const paths = { from: source.value, to: target.value };
      const listPlaces = async (query: PlaceQuery) => ok(await parts.files.listPlaces(query));
      const seen = await moveRoom({ system: parts.system, listPlaces }, at.value, paths);
      if (!seen.ok) return seen;
      const command = {
        kind: "move_place",
        ...paths,
        overwrite,
        seen: seen.value,
        cause: toolCause(context),
      } as const;
      return mapOutcome(await parts.system.dispatch(at.value, command), (moved) => changedFile(context, moved));
    },
  };
}

/** The workspace that the job of the call works in. */
export async function jobWorkspace(
  { system }: Pick<FileServiceParts, "system">,
  { organizationId, jobId }: ToolContext,
): Promise<Outcome<ActorRef<"workspace">>> {
  const job = await system.dispatch(jobRef(organizationId, jobId), { kind: "read_job" });
  if (!job.ok) return job;
  const { workspaceId } = job.value;
  return workspaceId === null ? notFound("workspace") : ok(workspaceRef(organizationId, workspaceId));
}

/** There is no request to emit the event of the change, so the turn emits it. */
const toolCause = ({ agentId }: ToolContext): Cause => ({ by: { type: "agent", id: agentId }, tells: true });

const toolFile = ({ path, place: { node } }: Found): ToolFile => ({
  path,
  kind: node.kind,
  size: node.kind === "file" ? node.size : node.bytes,
});

const ARTIFACT_ID_CHARACTERS = 21;

function changedFile({ jobId }: ToolContext, found: Found): ChangedToolFile {
  const { node, name } = found.place;
  const file = toolFile(found);
  if (node.kind !== "file") return { ...file, artifact: null };
  // A file is one artifact of a job, even if it is renamed or a call is repeated.
  const digest = new Bun.CryptoHasher("sha256").update(`${jobId}:${node.id}`).digest("base64url");
  const id = `art_${digest.slice(0, ARTIFACT_ID_CHARACTERS)}`;
  const { path } = found;
  return { ...file, artifact: { id, kind: "file", name, path, mime: node.mime, size: node.size } };
}

async function fileOfJob(
  parts: FileServiceParts,
  context: ToolContext,
  text: string,
): Promise<Outcome<Found<FilePlace>>> {
  const path = parsePath(text);
  if (!path.ok) return path;
  const at = await jobWorkspace(parts, context);
  if (!at.ok) return at;
  const found = await parts.system.dispatch(at.value, { kind: "read_place", path: path.value });
  if (!found.ok) return found;
  const { place } = found.value;
  if (place.node.kind !== "file") return invalid("/path", `\`${found.value.path}\` is a directory`);
  return ok({ path: found.value.path, place: place as FilePlace });
}

/** A part of a file as text; characters cut at its ends become U+FFFD. */
async function filePartText(
  { contents }: FileServiceParts,
  { organizationId }: ToolContext,
  { node }: FilePlace,
  range: { readonly start: number; readonly end: number },
): Promise<Outcome<string>> {
  const body = await contents.read({ organizationId, sha256: node.sha256 }, range);
  if (body === null) return notFound("file");
  const text = await new Response(body).text();
  return text.includes("\0") ? invalid("/path", "The file is not text") : ok(text);
}

/** The whole text, which is written again as the same bytes: nothing that is no UTF-8, and a byte order mark stays. */
async function exactText(
  { contents }: FileServiceParts,
  { organizationId }: ToolContext,
  { node }: FilePlace,
): Promise<Outcome<string>> {
  const body = await contents.read({ organizationId, sha256: node.sha256 });
  if (body === null) return notFound("file");
  const bytes = await new Response(body).bytes();
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? invalid("/path", "The file is not text") : ok(text);
  } catch {
    return invalid("/path", "The file is not UTF-8, so an edit would damage it");
  }
}

interface ToolWrite {
  readonly path: FilePath;
  readonly text: string;
  /** The current media type of the file; from its name by default. */
  readonly mime?: string;
  readonly precondition: Precondition;
}

async function writeFromTool(
  parts: FileServiceParts,
  context: ToolContext,
  { path, text, mime: former, precondition }: ToolWrite,
): Promise<Outcome<ChangedToolFile>> {
  const { contents, system } = parts;
  const at = await jobWorkspace(parts, context);
  if (!at.ok) return at;
  const { organizationId } = context;
  const received = await receiveWithin(parts, organizationId, new Blob([text]).stream(), Number.MAX_SAFE_INTEGER);
  if (!received.ok) return received;
  const command = writeReceived(contents, received.value, { path, former, precondition, cause: toolCause(context) });
  const written = await system.dispatch(at.value, command);
  countUnreferred(parts, organizationId, { written, size: received.value.size });
  return mapOutcome(written, (change) => changedFile(context, change));
}
