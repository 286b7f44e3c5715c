/** The contract as it is committed: the bytes of `docs/openapi.json`, read by the first request (DOC-1). */
import { JSON_FORM, PublicDocument } from "../http/document.ts";
import type { Visit } from "../http/surface.ts";

const FILE = new URL("../../docs/openapi.json", import.meta.url);
let read: Promise<PublicDocument> | null = null;

export async function contract(visit: Visit): Promise<Response> {
  const document = await (read ??= Bun.file(FILE)
    .bytes()
    .then((bytes) => new PublicDocument(bytes, JSON_FORM)));
  return document.answer(visit);
}
