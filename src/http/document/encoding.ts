/**
 * Content codings of answers (RFC 9110): documents and JSON over 1 KiB are compressed for clients that accept
 * zstd or gzip. Event streams and files never are.
 */
import Negotiator from "negotiator";
import { BoundedMap } from "../../../actors/bounded-map.ts";

/** In order of preference if the client accepts both equally. */
const ENCODINGS = ["zstd", "gzip"] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Shorter bodies gain nothing: they fit into one packet uncompressed. */
export const COMPRESSED_FROM_BYTES = 1_024;
/** Longer bodies are compressed in pieces off the event loop; this many bytes take about a millisecond. */
const COMPRESSED_AT_ONCE_BYTES = 64 * 1_024;
/** For a single answer, so the fastest level. */
const FAST = { level: 1 } as const;

/** Size of the cache of parsed `Accept-Encoding` headers; each kind of client sends its own. */
const REMEMBERED_HEADERS = 256;
const rememberedEncodings = new BoundedMap<Encoding | "identity">(REMEMBERED_HEADERS);

/** An option missing in the library's types: the preference among equally accepted codings. */
interface Preferring {
  encodings(available: string[], options: { readonly preferred: string[] }): string[];
}

/** The coding in `offered` that the header prefers; null for none. */
export function encodingFor(header: string | null, offered: readonly Encoding[] = ENCODINGS): Encoding | null {
  if (header === null) return null;
  const key = `${offered.length} ${header}`;
  let chosen = rememberedEncodings.get(key);
  if (chosen === undefined) {
    const asked: Preferring = new Negotiator({ headers: { "accept-encoding": header } });
    const word = asked.encodings([...offered, "identity"], { preferred: [...offered] })[0];
    chosen = offered.find((encoding) => encoding === word) ?? "identity";
    rememberedEncodings.set(key, chosen);
  }
  return chosen === "identity" ? null : chosen;
}

const compressedStream = (body: Blob, encoding: Encoding): ReadableStream =>
  body.stream().pipeThrough(new CompressionStream(encoding as ConstructorParameters<typeof CompressionStream>[0]));

/** The body of a single answer, compressed fast. */
export function compressText(text: string, encoding: Encoding): Uint8Array<ArrayBuffer> | ReadableStream {
  if (text.length > COMPRESSED_AT_ONCE_BYTES) return compressedStream(new Blob([text]), encoding);
  return encoding === "zstd" ? new Uint8Array(Bun.zstdCompressSync(text, FAST)) : Bun.gzipSync(text, FAST);
}

/** A body that is cached and sent often, compressed well. */
export const compressedToKeep = async (body: Blob, encoding: Encoding): Promise<Blob> =>
  new Blob([await new Response(compressedStream(body, encoding)).arrayBuffer()]);
