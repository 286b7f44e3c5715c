/** Files as models read and write them: as text if the bytes are text, else as Base64. */
import { invalid, ok, type Outcome, refuse } from "../../actors/fault.ts";
import type { Json } from "../../actors/schema.ts";
import type { Caller } from "../http/request/caller.ts";
import type { LocalInput } from "../http/input/local-input.ts";
import type { Invoke } from "../http/request/operations.ts";
import type { ToolAnswer } from "./call-parts.ts";
import { READ_BYTES } from "./tools.ts";

type FileArguments = Readonly<Record<string, Json>>;

/** A part of the file named by `input`. */
export async function readContent(
  invoke: Invoke,
  caller: Caller,
  input: LocalInput,
  { offset = 0, length = READ_BYTES.default }: FileArguments,
): Promise<Outcome<ToolAnswer>> {
  if (!isWithin(offset, 0, Number.MAX_SAFE_INTEGER))
    return invalid("/offset", "offset must be a whole number, 0 or more");
  if (!isWithin(length, 1, READ_BYTES.most))
    return invalid("/length", `length must be a whole number from 1 to ${READ_BYTES.most}`);
  const read = await invoke("readFile", caller, {
    ...input,
    headers: { ...input.headers, range: `bytes=${offset}-${offset + length - 1}` },
  });
  // An empty file has no valid range.
  const whole = !read.ok && read.fault.kind === "range_not_satisfiable" && offset === 0;
  const answer = whole ? await invoke("readFile", caller, input) : read;
  if (!answer.ok) return answer;
  const response = answer.value as Response;
  const bytes = await response.bytes();
  const mime = response.headers.get("content-type") ?? "application/octet-stream";
  const size = wholeSize(response, bytes.byteLength);
  return ok(shownContent({ path: String(input.query?.["path"]), mime, size, offset, bytes }));
}

interface ReadPart {
  readonly path: string;
  readonly mime: string;
  readonly size: number;
  readonly offset: number;
  readonly bytes: Uint8Array;
}

function shownContent({ path, mime, size, offset, bytes }: ReadPart): ToolAnswer {
  const isWhole = offset === 0 && bytes.byteLength === size;
  const text = decodeText(bytes, offset + bytes.byteLength < size);
  const taken = text === null ? bytes.byteLength : Buffer.byteLength(text);
  const next = offset + taken < size ? offset + taken : null;
  const value = { path, mime, size, next_offset: next };
  if (text !== null) return { value: { ...value, text }, content: [{ type: "text", text }] };
  const base64 = Buffer.from(bytes).toString("base64");
  const answer = { value: { ...value, base64 } };
  return isWhole && mime.startsWith("image/")
    ? { ...answer, content: [{ type: "image", data: base64, mimeType: mime }] }
    : answer;
}

/** The bytes as text; null if they are not text. A part may end within a character, which is left to the next part. */
function decodeText(bytes: Uint8Array, hasMore: boolean): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: hasMore });
    return text.includes("\0") || (text === "" && bytes.byteLength > 0) ? null : text;
  } catch {
    return null;
  }
}

/** Size of the whole file. */
const wholeSize = (response: Response, bytes: number): number =>
  Number(/\/(\d+)$/.exec(response.headers.get("content-range") ?? "")?.[1] ?? bytes);

/** The input of a write, with the content from the arguments. */
export function writtenContent(input: LocalInput, { text, base64, mime }: FileArguments): Outcome<LocalInput> {
  if ((text === undefined) === (base64 === undefined)) return invalid("/text", "Give either text or base64");
  const content = text ?? base64;
  if (typeof content !== "string")
    return invalid(text === undefined ? "/base64" : "/text", "The content must be a string");
  if (mime !== undefined && (typeof mime !== "string" || !MIME.test(mime)))
    return invalid("/mime", "mime must be a media type, such as text/plain");
  if (text !== undefined && !content.isWellFormed())
    return refuse({ kind: "invalid_json", message: "text has a lone surrogate" });
  if (base64 !== undefined && !isBase64(content))
    return invalid("/base64", "base64 must be complete Base64, of A-Z, a-z, 0-9, + and /");
  const body = text === undefined ? Buffer.from(content, "base64") : Buffer.from(content);
  return ok({
    ...input,
    body,
    headers: { ...input.headers, ...(mime === undefined ? {} : { "content-type": mime }) },
  });
}

const MIME = /^[\w.+-]{1,64}\/[\w.+-]{1,64}(?:\s*;\s*charset=[\w-]{1,32})?$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Whether the base64 text is complete: of a truncated one, the decoder would drop the rest. Padding may be omitted. */
function isBase64(content: string): boolean {
  const text = content.replaceAll(/\s/g, "");
  return BASE64.test(text) && (text.endsWith("=") ? text.length % 4 === 0 : text.length % 4 !== 1);
}

const isWithin = (value: Json, least: number, most: number): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= least && value <= most;
