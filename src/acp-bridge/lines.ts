/** The lines of a stream of bytes, as text. */

/** Bytes of one line: the service takes messages of at most 16 MiB. */
const LINE_BYTES = 32 * 1024 * 1024;

/** Lines that are not blank. Ends with the stream; throws at a line that is too long. */
export async function* editorLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let length = 0;
  for await (const piece of stream) {
    const [first = "", ...others] = decoder.decode(piece, { stream: true }).split("\n");
    parts.push(first);
    length += first.length;
    if (length > LINE_BYTES) throw new Error(`A line has more than ${LINE_BYTES} characters`);
    for (const next of others) {
      const line = parts.join("").trim();
      if (line !== "") yield line;
      parts = [next];
      length = next.length;
    }
  }
  const line = parts.join("").trim();
  if (line !== "") yield line;
}
