/**
 * A document that anybody may read and that is the same for everybody until the service changes: its
 * bytes, their entity tag, how long it may be kept. A client that has it already gets 304 (RFC 9110).
 */
import { COMPRESSED_FROM_BYTES, compressedToKeep, type Encoding, encodingFor } from "./encoding.ts";

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
  private readonly isLong: boolean;
  private readonly encoded = new Map<Encoding, Promise<Uint8Array<ArrayBuffer>>>();

  constructor(body: string | Uint8Array<ArrayBuffer>, { contentType, cacheControl, headers }: DocumentForm) {
    const hash = new Bun.CryptoHasher("sha256").update(body).digest("base64url");
    this.etag = `"${hash.slice(0, TAG_CHARACTERS)}"`;
    this.body = body;
    this.isLong = body.length > COMPRESSED_FROM_BYTES;
    const vary = this.isLong ? { vary: "accept-encoding" } : {};
    this.headers = { "content-type": contentType, "cache-control": cacheControl, etag: this.etag, ...vary, ...headers };
  }

  /** A document of JSON. */
  static json(value: object, form: DocumentForm = JSON_FORM): PublicDocument {
    return new PublicDocument(JSON.stringify(value), form);
  }

  /** The document for a caller with these request headers (`DOCUMENT_HEADERS`). */
  async answer(asked: DocumentRequest): Promise<Response> {
    const { "content-type": contentType = "", ...headers } = this.headers;
    const encoding = this.isLong ? encodingFor(asked["accept-encoding"] ?? null) : null;
    // Encoded, these are other bytes: only a weak tag may name both.
    const etag = encoding === null ? this.etag : `W/${this.etag}`;
    const known = asked["if-none-match"];
    if (known !== undefined && isKnown(known, this.etag))
      return new Response(null, { status: 304, headers: { ...headers, etag } });
    const whole = { ...headers, etag, "content-type": contentType };
    if (encoding === null) return new Response(this.body, { headers: whole });
    let encoded = this.encoded.get(encoding);
    if (encoded === undefined) {
      encoded = compressedToKeep(this.body, encoding);
      this.encoded.set(encoding, encoded);
    }
    return new Response(await encoded, { headers: { ...whole, "content-encoding": encoding } });
  }
}

/** What a caller says of a document that it asks for. */
export interface DocumentRequest {
  readonly "if-none-match": string | undefined;
  readonly "accept-encoding": string | undefined;
}

/** Whether the caller has these bytes; tags are compared weakly, as the standard wants here. */
export function isKnown(given: string, etag: string): boolean {
  return given.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag);
}

/** Makes a document by the first request for it: only then is it known where the service is reached. */
export function oncePer<K extends object, T>(make: (key: K) => T): (key: K) => T {
  const made = new WeakMap<K, { readonly value: T }>();
  return (key) => {
    const known = made.get(key) ?? { value: make(key) };
    made.set(key, known);
    return known.value;
  };
}
