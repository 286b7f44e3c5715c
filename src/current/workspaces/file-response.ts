/**
 * The content of a file as an answer (GEN-12): complete, in part, or not at all because the caller has it cached
 * (RFC 9110). Whatever the file is, the browser runs none of it: it is sandboxed without scripts, its type is not
 * sniffed, and it is downloaded rather than shown.
 *
 *   If-None-Match is the file's tag ──▶ 304
 *   Range, and If-Range (where it is sent) is the file's tag ─┬─ within the file ──▶ 206
 *                                                             └─ past its end ────▶ 416 `range_not_satisfiable`
 *   anything else ──▶ 200
 *
 * Only single ranges are served. A header with several ranges, or an invalid one, is ignored, as the standard
 * allows.
 */
import { notFound, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import type { FileContents } from "../../../actors/workspace/ports.ts";
import type { HttpLog } from "../../log/port.ts";
import { noteContent } from "../../http/request/forwarding.ts";
import { isKnown } from "../../http/document/document.ts";
import { etagOf } from "./conditions.ts";

/** The request headers of `FILE_HEADERS`, parsed. */
interface FileHeaders {
  readonly "if-none-match": string | undefined;
  readonly range: string | undefined;
  readonly "if-range": string | undefined;
}

/** Bytes from `first` to `last`, both included. */
interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** The file to serve. */
export interface ServedFile {
  readonly organizationId: string;
  readonly name: string;
  readonly sha256: string;
  readonly size: number;
  readonly mime: string;
}

/** Options for answers that are not downloads. */
export interface ShownFile {
  /** Shown in the browser instead of downloaded. */
  readonly isShown?: boolean;
  /** Replaces the headers that prevent execution. */
  readonly headers?: Readonly<Record<string, string>>;
}

const HARMLESS = {
  "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "accept-ranges": "bytes",
} as const;

export async function fileResponse(
  { contents, log }: { readonly contents: FileContents; readonly log: HttpLog },
  file: ServedFile,
  asked: FileHeaders,
  { isShown = false, headers: more = {} }: ShownFile = {},
): Promise<Outcome<Response>> {
  const { organizationId, sha256, size, mime, name } = file;
  const etag = etagOf(file);
  const headers = { ...HARMLESS, etag, "cache-control": "private, no-cache", ...more };
  if (isHeld(file, asked)) return ok(new Response(null, { status: 304, headers }));
  const range = partOf(file, asked);
  if (range === "unsatisfiable") return refuse({ kind: "range_not_satisfiable", bytes: size });
  const { first, last } = range ?? { first: 0, last: size - 1 };
  const body = await contents.read({ organizationId, sha256 }, { start: first, end: last + 1 });
  if (body === null) {
    log.error({ organizationId, sha256 }, "the content of a file is missing");
    return notFound("file");
  }
  const content = { organizationId, sha256, start: first, end: last + 1 };
  const served = {
    ...headers,
    "content-type": mime,
    ...(isShown ? {} : { "content-disposition": dispositionOf(name) }),
    "content-length": String(last - first + 1),
  };
  if (range !== null) {
    const contentRange = `bytes ${first}-${last}/${size}`;
    const part = new Response(body, { status: 206, headers: { ...served, "content-range": contentRange } });
    return ok(body instanceof Blob ? noteContent(part, content) : part);
  }
  // Bun itself answers ranges of a file, even if If-Range forbids it. It leaves a stream alone that is not of a
  // file.
  const whole =
    body instanceof Blob && asked.range !== undefined ? body.stream().pipeThrough(new TransformStream()) : body;
  const response = new Response(whole, { headers: served });
  return ok(whole instanceof Blob ? noteContent(response, content) : response);
}

/** Whether the answer has no content: the caller has it already, or asks for a range beyond its end. */
export const isUnsent = (file: Pick<ServedFile, "sha256" | "size">, asked: FileHeaders): boolean =>
  isHeld(file, asked) || partOf(file, asked) === "unsatisfiable";

function isHeld(file: Pick<ServedFile, "sha256">, asked: FileHeaders): boolean {
  const known = asked["if-none-match"];
  return known !== undefined && isKnown(known, etagOf(file));
}

function partOf(file: Pick<ServedFile, "sha256" | "size">, asked: FileHeaders): ByteRange | "unsatisfiable" | null {
  const isSame = asked["if-range"] === undefined || asked["if-range"] === etagOf(file);
  return asked.range !== undefined && isSame ? rangeOf(asked.range, file.size) : null;
}

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/i;

/** The range in a header; null if no range can be served. */
function rangeOf(header: string, bytes: number): ByteRange | "unsatisfiable" | null {
  const [, from = "", to = ""] = RANGE.exec(header.replaceAll(" ", "")) ?? [];
  if (from === "" && to === "") return null;
  if (from === "") {
    // A suffix range. An empty file satisfies any suffix: all of it is sent.
    if (bytes === 0 && Number(to) > 0) return null;
    const length = Math.min(Number(to), bytes);
    return length === 0 ? "unsatisfiable" : { first: bytes - length, last: bytes - 1 };
  }
  const first = Number(from);
  const last = to === "" ? bytes - 1 : Math.min(Number(to), bytes - 1);
  if (to !== "" && Number(to) < first) return null;
  return first >= bytes ? "unsatisfiable" : { first, last };
}

/** The name in ASCII for old clients, and in full for all others (RFC 6266). */
function dispositionOf(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, "_");
  const whole = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`;
}
