/** A file that ships with the service, compressed. Its address contains its hash, so it can be cached for ever. */
import { encodingFor } from "./encoding.ts";

export interface AssetSource {
  /** The file, already compressed with gzip. */
  readonly file: URL;
  /** SHA-256 of its uncompressed content, in hex. */
  readonly sha256: string;
  readonly contentType: string;
}

/** Characters of the hash in an address: 64 bits distinguish the versions of a file. */
const ADDRESS_CHARACTERS = 16;

export class Asset {
  /** The part of the address that changes with the content. */
  readonly version: string;
  private readonly source: AssetSource;
  private compressed: Promise<Uint8Array<ArrayBuffer>> | null = null;

  constructor(source: AssetSource) {
    this.source = source;
    this.version = source.sha256.slice(0, ADDRESS_CHARACTERS);
  }

  /** `encodings` is the client's `Accept-Encoding`. */
  async answer(encodings: string | null): Promise<Response> {
    const bytes = await (this.compressed ??= Bun.file(this.source.file).bytes());
    const isCompressed = encodingFor(encodings, ["gzip"]) === "gzip";
    return new Response(isCompressed ? bytes : Bun.gunzipSync(bytes), {
      headers: {
        "content-type": this.source.contentType,
        ...(isCompressed && { "content-encoding": "gzip" }),
        "cache-control": "public, max-age=31536000, immutable",
        etag: `W/"${this.version}"`,
        vary: "accept-encoding",
        "x-content-type-options": "nosniff",
      },
    });
  }
}
