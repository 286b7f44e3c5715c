/** Whether content is text, and how it begins. */

/** The first bytes of a file as text; null if they are not UTF-8, or contain NUL, as only binary files do. */
export async function readableText(file: Blob, maxBytes: number): Promise<string | null> {
  const bytes = new Uint8Array(await file.slice(0, maxBytes).arrayBuffer());
  // The limit may cut a character; the end of the file may not.
  const isCut = file.size > bytes.length;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}
