/**
 * Chats, jobs and files of workspaces as resources (MCP-4):
 *
 *   troupe://chats/{chat_id}                        the chat and its newest messages
 *   troupe://jobs/{job_id}                          the job
 *   troupe://workspaces/{workspace_id}/files/{+path}
 *
 * The list has the chats, then the jobs, that the token may read, newest first. Clients find files by `list_files`.
 */
import { invalid, mapOutcome, ok, type Outcome, refuse } from "../../actors/fault.ts";
import { hasScope } from "../../actors/organization/principal.ts";
import type { JsonObject } from "../../actors/schema.ts";
import type { Caller } from "../http/request/caller.ts";
import { readContent } from "./file-content.ts";
import type { Invoke } from "../http/request/operations.ts";
import { READ_BYTES } from "./tools.ts";
import { JSON_MEDIA_TYPE } from "../http/request/exchange.ts";

const CHAT_URIS = "troupe://chats/";
const JOB_URIS = "troupe://jobs/";
const WORKSPACE_URIS = "troupe://workspaces/";
/** Resources per page. */
const RESOURCES_PAGE = 50;

export const RESOURCE_TEMPLATES = [
  {
    name: "chat",
    title: "Chat",
    uriTemplate: `${CHAT_URIS}{chat_id}`,
    description: "A conversation: its record and its newest messages",
    mimeType: JSON_MEDIA_TYPE,
  },
  {
    name: "job",
    title: "Job",
    uriTemplate: `${JOB_URIS}{job_id}`,
    description: "A long-running work record: status, result, approvals",
    mimeType: JSON_MEDIA_TYPE,
  },
  {
    name: "file",
    title: "File",
    uriTemplate: `${WORKSPACE_URIS}{workspace_id}/files/{+path}`,
    description: "A file of a workspace, up to 512 KiB",
  },
];

export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
}
export interface ResourcePage {
  readonly resources: ListedResource[];
  readonly nextCursor?: string;
}

interface Shelf {
  readonly key: "chats" | "jobs";
  readonly operation: string;
  readonly scope: string;
  readonly prefix: string;
}
const SHELVES: readonly Shelf[] = [
  { key: "chats", operation: "listChats", scope: "chats:read", prefix: CHAT_URIS },
  { key: "jobs", operation: "listJobs", scope: "jobs:read", prefix: JOB_URIS },
];

/** A page of the list; its cursor is `<shelf>:<cursor of the operation>`. */
export async function listResources(
  invoke: Invoke,
  caller: Caller,
  cursor: string | undefined,
): Promise<Outcome<ResourcePage>> {
  const open = SHELVES.filter(({ scope }) => hasScope(caller.principal.scopes, scope));
  const [key = "", inner = ""] = splitOnce(cursor ?? "", ":");
  const at = cursor === undefined ? 0 : open.findIndex((shelf) => shelf.key === key);
  const shelf = open[at];
  if (shelf === undefined) return cursor === undefined ? ok({ resources: [] }) : refuse({ kind: "invalid_cursor" });
  const query = { limit: RESOURCES_PAGE, ...(inner === "" ? {} : { cursor: inner }) };
  const page = await invoke(shelf.operation, caller, { query });
  return mapOutcome(page, (answer) => {
    const { next_cursor: next, [shelf.key]: records } = answer as {
      readonly next_cursor?: string;
      readonly chats?: readonly ListedRecord[];
      readonly jobs?: readonly ListedRecord[];
    };
    const following = open[at + 1];
    const resources = (records ?? []).map((record) => listedResource(shelf, record));
    if (next !== undefined) return { resources, nextCursor: `${shelf.key}:${next}` };
    return following === undefined ? { resources } : { resources, nextCursor: `${following.key}:` };
  });
}

interface ListedRecord {
  readonly id: string;
  readonly title: string;
  readonly status: string;
}

const listedResource = ({ key, prefix }: Shelf, { id, title, status }: ListedRecord): ListedResource => ({
  uri: prefix + id,
  name: id,
  title,
  description: `${key === "chats" ? "Chat" : "Job"}, ${status}`,
  mimeType: JSON_MEDIA_TYPE,
});

export type ResourceContent =
  | { readonly uri: string; readonly mimeType: string; readonly text: string }
  | { readonly uri: string; readonly mimeType: string; readonly blob: string };

/** The content at the URI. */
export async function readResource(invoke: Invoke, caller: Caller, uri: string): Promise<Outcome<ResourceContent>> {
  const named = recordOf(uri);
  if (named === null) return refuse({ kind: "not_found", noun: "route" });
  const { kind, id } = named;
  if (kind === "job") return asJson(uri, await invoke("getJob", caller, { params: { id } }));
  if (kind === "file") return fileContent(invoke, caller, { uri, id, path: named.path });
  const [chat, messages] = await Promise.all([
    invoke("getChat", caller, { params: { id } }),
    invoke("listMessages", caller, { params: { id } }),
  ]);
  if (!chat.ok) return chat;
  return asJson(
    uri,
    mapOutcome(messages, (page) => ({ chat: chat.value, ...(page as JsonObject) })),
  );
}

/** The URI of a file in a workspace. */
export const fileUri = (workspaceId: string, path: string): string =>
  `${WORKSPACE_URIS}${workspaceId}/files/${path.split("/").map(encodeURIComponent).join("/")}`;

/** The record that a URI names; null if the URI is not one of ours. */
export type NamedRecord =
  | { readonly kind: "chat" | "job"; readonly id: string }
  | { readonly kind: "file"; readonly id: string; readonly path: string };

export function recordOf(uri: string): NamedRecord | null {
  if (uri.startsWith(CHAT_URIS)) return { kind: "chat", id: uri.slice(CHAT_URIS.length) };
  if (uri.startsWith(JOB_URIS)) return { kind: "job", id: uri.slice(JOB_URIS.length) };
  const file = /^troupe:\/\/workspaces\/([^/]+)\/files\/(.+)$/s.exec(uri);
  if (file === null) return null;
  const [, id = "", path = ""] = file;
  try {
    return { kind: "file", id, path: decodeURIComponent(path) };
  } catch {
    return null;
  }
}

const asJson = (uri: string, read: Outcome<object>): Outcome<ResourceContent> =>
  mapOutcome(read, (record) => ({ uri, mimeType: JSON_MEDIA_TYPE, text: JSON.stringify(record) }));

async function fileContent(
  invoke: Invoke,
  caller: Caller,
  { uri, id, path }: { readonly uri: string; readonly id: string; readonly path: string },
): Promise<Outcome<ResourceContent>> {
  const read = await readContent(invoke, caller, { params: { id }, query: { path } }, { length: READ_BYTES.most });
  if (!read.ok) return read;
  const { mime, size, text, base64, next_offset: next } = read.value.value;
  if (next !== null)
    return invalid("/uri", `The file has ${String(size)} bytes, too many for a resource; read_file reads it in parts`);
  const mimeType = String(mime);
  return ok(
    typeof text === "string"
      ? { uri, mimeType, text }
      : { uri, mimeType, blob: typeof base64 === "string" ? base64 : "" },
  );
}

function splitOnce(text: string, by: string): readonly string[] {
  const at = text.indexOf(by);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
