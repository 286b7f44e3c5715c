/** What a file is, for everybody who shows it: its media type, and whether it is text. */
import { textOfBytes } from "../../actors/clean-text.ts";

/** Uninformative types: what programs send when they do not know the type. */
const SAYS_NOTHING = new Set(["", "application/octet-stream", "application/x-www-form-urlencoded"]);
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}$/;
/** Types for extensions that Bun does not know. */
const BY_EXTENSION: Readonly<Record<string, string>> = {
  md: "text/markdown",
  jsonl: "application/x-ndjson",
  ndjson: "application/x-ndjson",
  tsv: "text/tab-separated-values",
  parquet: "application/vnd.apache.parquet",
};

/** The media type without parameters: the given one if it is informative, else by the name's extension. */
export function mimeOf(name: string, given: string): string {
  const type = mediaTypeName(given);
  if (!SAYS_NOTHING.has(type) && MEDIA_TYPE.test(type)) return type;
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  return BY_EXTENSION[extension] ?? mediaTypeName(Bun.file(name).type);
}

const mediaTypeName = (given: string): string => (given.split(";")[0] ?? "").trim().toLowerCase();

/** The first bytes of a file as text; null if they are not UTF-8, or contain NUL, as only binary files do. */
export async function readableText(file: Blob, maxBytes: number): Promise<string | null> {
  const bytes = new Uint8Array(await file.slice(0, maxBytes).arrayBuffer());
  // The limit may cut a character; the end of the file may not.
  return textOfBytes(bytes, file.size > bytes.length);
}
