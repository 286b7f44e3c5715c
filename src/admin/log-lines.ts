/** Finds the lines of one request in a log of JSON lines. */

/** The lines that name the id in any of their fields, in their order; what is no JSON is passed over. */
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
  // Most lines are of others: only those that have it at all are parsed.
  if (!line.includes(requestId)) return false;
  try {
    return has(JSON.parse(line), requestId);
  } catch {
    return false;
  }
}

const has = (value: unknown, id: string): boolean =>
  value === id || (typeof value === "object" && value !== null && Object.values(value).some((inner) => has(inner, id)));
