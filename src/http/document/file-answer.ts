/**
 * Answers that are files (GEN-12): complete, in part, or not at all because the caller has it cached (RFC 9110).
 *
 *   If-None-Match is the file's tag ──▶ 304
 *   Range, and If-Range (where it is sent) is the file's tag ─┬─ within the file ──▶ 206, from a stream of the part
 *                                                             └─ past its end ────▶ 416 `range_not_satisfiable`
 *   anything else ──▶ 200, from a stream of the whole
 *
 * Only single ranges are served. A header with several ranges, or an invalid one, is ignored, as the standard
 * allows.
 */
import { ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { isKnown } from "./document.ts";

/** Bytes from `first` to `last`, both included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** A file in some store. */
export interface FileSource {
  readonly bytes: number;
  /** Identifies these bytes; without quotes. */
  readonly tag: string;
  readonly contentType: string;
  /** Opens the bytes of the range, or all bytes. Called only if they are sent. */
  open(range: ByteRange | null): ReadableStream<Uint8Array>;
}

/** The request headers of `FILE_HEADERS`, parsed. */
export interface FileHeaders {
  readonly "if-none-match": string | undefined;
  readonly range: string | undefined;
  readonly "if-range": string | undefined;
}

/** The answer with the file; `headers` are added to it. */
export function fileAnswer(
  source: FileSource,
  asked: FileHeaders,
  headers: Readonly<Record<string, string>> = {},
): Outcome<Response> {
  const etag = `"${source.tag}"`;
  const common = { etag, "accept-ranges": "bytes", ...headers };
  const known = asked["if-none-match"];
  if (known !== undefined && isKnown(known, etag)) return ok(new Response(null, { status: 304, headers: common }));
  const isSame = asked["if-range"] === undefined || asked["if-range"] === etag;
  const range = asked.range !== undefined && isSame ? rangeOf(asked.range, source.bytes) : null;
  if (range === "unsatisfiable") return refuse({ kind: "range_not_satisfiable", bytes: source.bytes });
  const length = range === null ? source.bytes : range.last - range.first + 1;
  const body = source.open(range);
  const about = { "content-type": source.contentType, "content-length": String(length), ...common };
  if (range === null) return ok(new Response(body, { headers: about }));
  const contentRange = `bytes ${range.first}-${range.last}/${source.bytes}`;
  return ok(new Response(body, { status: 206, headers: { ...about, "content-range": contentRange } }));
}

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/i;

/** The range in a header; null if it has none that can be served. */
export function rangeOf(header: string, bytes: number): ByteRange | "unsatisfiable" | null {
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
