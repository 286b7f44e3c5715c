/**
 * A public document that is the same for everybody until the service changes: its bytes, their entity tag, and how
 * long it may be cached. A client that has it cached gets 304 (RFC 9110).
 */
import { COMPRESSED_FROM_BYTES, compressedToKeep, type Encoding, encodingFor } from "./encoding.ts";

export interface DocumentForm {
  readonly contentType: string;
  readonly cacheControl: string;
  /** Further headers of every answer. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Cached for five minutes: short enough for upgrades, long enough for crawlers. */
const POLICY_CACHE = "public, max-age=300";

export const JSON_FORM: DocumentForm = { contentType: "application/json", cacheControl: POLICY_CACHE };
export const TEXT_FORM: DocumentForm = { contentType: "text/plain; charset=utf-8", cacheControl: POLICY_CACHE };

/** Characters of an entity tag: 132 bits of the bytes' SHA-256. */
const TAG_CHARACTERS = 22;

export class PublicDocument {
  readonly etag: string;
  /** The bytes of every answer, made once: answers share those of a blob. */
  private readonly body: Blob;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly isLong: boolean;
  private readonly encoded = new Map<Encoding, Promise<Blob>>();

  constructor(body: string | Uint8Array<ArrayBuffer>, { contentType, cacheControl, headers }: DocumentForm) {
    const hash = new Bun.CryptoHasher("sha256").update(body).digest("base64url");
    this.etag = `"${hash.slice(0, TAG_CHARACTERS)}"`;
    this.body = new Blob([body]);
    this.isLong = this.body.size > COMPRESSED_FROM_BYTES;
    const vary = this.isLong ? { vary: "accept-encoding" } : {};
    this.headers = { "content-type": contentType, "cache-control": cacheControl, etag: this.etag, ...vary, ...headers };
  }

  /** A JSON document. */
  static json(value: object, form: DocumentForm = JSON_FORM): PublicDocument {
    return new PublicDocument(JSON.stringify(value), form);
  }

  /** The document for a caller with these request headers (`DOCUMENT_HEADERS`). */
  async answer(asked: DocumentRequest): Promise<Response> {
    const { "content-type": contentType = "", ...headers } = this.headers;
    const encoding = this.isLong ? encodingFor(asked["accept-encoding"] ?? null) : null;
    // Compressed bytes differ, so only a weak tag may name both forms.
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

/** The caller's request headers for a document. */
export interface DocumentRequest {
  readonly "if-none-match": string | undefined;
  readonly "accept-encoding": string | undefined;
}

/** Whether the caller has these bytes; compares tags weakly, as the standard requires here. */
export function isKnown(given: string, etag: string): boolean {
  return given.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag);
}

/** Makes a document on the first request for it: only then is the address of the service known. */
export function oncePer<K extends object, T>(make: (key: K) => T): (key: K) => T {
  const made = new WeakMap<K, { readonly value: T }>();
  return (key) => {
    const known = made.get(key) ?? { value: make(key) };
    made.set(key, known);
    return known.value;
  };
}
