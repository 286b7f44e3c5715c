/** A file that ships with the service, compressed, under an address that has its hash: it may be kept for ever. */
import { encodingFor } from "./encoding.ts";

export interface AssetSource {
  /** The file, compressed with gzip. */
  readonly file: URL;
  /** SHA-256 of what is in it, in hex. */
  readonly sha256: string;
  readonly contentType: string;
}

/** Characters of the hash in an address: 64 bits tell versions of one file apart. */
const ADDRESS_CHARACTERS = 16;

export class Asset {
  /** The part of its address that changes with its content. */
  readonly version: string;
  private readonly source: AssetSource;
  private compressed: Promise<Uint8Array<ArrayBuffer>> | null = null;

  constructor(source: AssetSource) {
    this.source = source;
    this.version = source.sha256.slice(0, ADDRESS_CHARACTERS);
  }

  /** `encodings` is what the client takes (`Accept-Encoding`). */
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
