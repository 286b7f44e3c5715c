/**
 * Detects the type of content by its first bytes, because its name and declared type prove nothing. Messages accept
 * images that models can see, PDF, and text.
 */
import type { BlobKey, FileContents } from "../../actors/workspace/ports.ts";

export type AttachmentKind = "image" | "file";

/** The detected type of content. */
export interface KnownContent {
  readonly kind: AttachmentKind;
  /** In lower case and without parameters. */
  readonly mime: string;
}

/** Bytes of content that are examined. */
export const LOOKED_BYTES = 64 * 1024;
/** For people. */
export const TAKEN_TYPES = "PNG, JPEG, GIF and WebP images, PDF documents, and text in UTF-8";

const PDF = "application/pdf";
const TEXT_MEDIA_TYPE = /^text\/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}$/;
const latin = (head: Uint8Array, from: number, to: number): string => String.fromCharCode(...head.subarray(from, to));

/**
 * Detects the type by the first bytes of content of `size` bytes; `declared` says which kind of text it is. Null if
 * messages do not accept it.
 */
export function knownContent(head: Uint8Array, size: number, declared: string): KnownContent | null {
  const image = imageType(head);
  if (image !== null) return { kind: "image", mime: image };
  // Some programs write a few bytes before the header, and readers accept that (ISO 32000, annex H). A text may mention
  // the header too.
  const pdfAt = latin(head, 0, 1_024).indexOf("%PDF-");
  const isWords = isText(head, size);
  if (pdfAt === 0 || (pdfAt > 0 && !isWords)) return { kind: "file", mime: PDF };
  if (!isWords) return null;
  const type = (declared.split(";")[0] ?? "").trim().toLowerCase();
  return { kind: "file", mime: TEXT_MEDIA_TYPE.test(type) ? type : "text/plain" };
}

function imageType(head: Uint8Array): string | null {
  if (latin(head, 0, 8) === "\x89PNG\r\n\x1a\n") return "image/png";
  if (latin(head, 0, 3) === "\xff\xd8\xff") return "image/jpeg";
  if (/^GIF8[79]a/.test(latin(head, 0, 6))) return "image/gif";
  return latin(head, 0, 4) === "RIFF" && latin(head, 8, 12) === "WEBP" ? "image/webp" : null;
}

/** UTF-8 without NUL. A character may be cut at the end of what was read, but not at the end of the content. */
function isText(head: Uint8Array, size: number): boolean {
  if (head.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: head.length < size });
    return true;
  } catch {
    return false;
  }
}

/** The first bytes of stored content; null if it does not exist. Rejects if the store cannot be reached. */
export async function readHead(
  contents: Pick<FileContents, "read">,
  key: BlobKey,
  size: number,
): Promise<Uint8Array | null> {
  const found = await contents.read(key, { start: 0, end: Math.min(size, LOOKED_BYTES) });
  return found === null ? null : new Uint8Array(await new Response(found).arrayBuffer());
}
