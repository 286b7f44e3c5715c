/**
 * A document that anybody may read and that is the same for everybody until the service changes: its
 * bytes, their entity tag, how long it may be kept. Whoever has it already gets 304 (RFC 9110).
 */
import type { Visit } from "./surface.ts";

export interface DocumentForm {
  readonly contentType: string;
  readonly cacheControl: string;
  /** What every answer with it says besides. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Kept for five minutes: soon enough after an upgrade, and enough for a crawler. */
const POLICY_CACHE = "public, max-age=300";

export const JSON_FORM: DocumentForm = { contentType: "application/json", cacheControl: POLICY_CACHE };
export const TEXT_FORM: DocumentForm = { contentType: "text/plain; charset=utf-8", cacheControl: POLICY_CACHE };

/** Characters of an entity tag: 132 bits of the bytes' SHA-256. */
const TAG_CHARACTERS = 22;

export class PublicDocument {
  readonly etag: string;
  private readonly body: string | Uint8Array<ArrayBuffer>;
  private readonly headers: Readonly<Record<string, string>>;

  constructor(body: string | Uint8Array<ArrayBuffer>, { contentType, cacheControl, headers }: DocumentForm) {
    const hash = new Bun.CryptoHasher("sha256").update(body).digest("base64url");
    this.etag = `"${hash.slice(0, TAG_CHARACTERS)}"`;
    this.body = body;
    this.headers = { "content-type": contentType, "cache-control": cacheControl, etag: this.etag, ...headers };
  }

  /** A document of JSON. */
  static json(value: object, form: DocumentForm = JSON_FORM): PublicDocument {
    return new PublicDocument(JSON.stringify(value), form);
  }

  answer({ request, requestId }: Pick<Visit, "request" | "requestId">): Response {
    const { "content-type": contentType, ...others } = this.headers;
    const headers = { ...others, "x-request-id": requestId };
    if (isKnown(request.headers.get("if-none-match"), this.etag)) return new Response(null, { status: 304, headers });
    return new Response(this.body, { headers: { ...headers, "content-type": contentType ?? "" } });
  }
}

/** Whether the caller has these bytes; tags are compared weakly, as the standard wants here. */
function isKnown(given: string | null, etag: string): boolean {
  if (given === null) return false;
  return given.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag);
}

/** Makes a document by the first request for it: only then is it known where the service is reached. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
