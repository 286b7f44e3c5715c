/** Whether content is text, and its beginning. */

/** The first bytes of a file as text; null where they are not UTF-8, or have NUL as only binary files do. */
export async function readableText(file: Blob, maxBytes: number): Promise<string | null> {
  const bytes = new Uint8Array(await file.slice(0, maxBytes).arrayBuffer());
  // A character may be cut at the end of what was read, but not at the end of the file.
  const isCut = file.size > bytes.length;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}
