/** Finds the log lines of one request, in a log of JSON lines. */

/** The lines that have the id in any field, in order; lines that are not JSON are skipped. */
export async function* linesOf(requestId: string, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (names(line, requestId)) yield line;
  }
  if (names(rest, requestId)) yield rest;
}

function names(line: string, requestId: string): boolean {
  // Most lines belong to other requests: parse only those that contain the id.
  if (!line.includes(requestId)) return false;
  try {
    return has(JSON.parse(line), requestId);
  } catch {
    return false;
  }
}

const has = (value: unknown, id: string): boolean =>
  value === id || (typeof value === "object" && value !== null && Object.values(value).some((inner) => has(inner, id)));
