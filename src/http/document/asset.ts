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
  /** Both forms, ready for every answer. */
  private forms: Promise<{ readonly gzip: Blob; readonly plain: Blob }> | null = null;

  constructor(source: AssetSource) {
    this.source = source;
    this.version = source.sha256.slice(0, ADDRESS_CHARACTERS);
  }

  /** `encodings` is the client's `Accept-Encoding`. */
  async answer(encodings: string | null): Promise<Response> {
    const { gzip, plain } = await (this.forms ??= this.read());
    const isCompressed = encodingFor(encodings, ["gzip"]) === "gzip";
    return new Response(isCompressed ? gzip : plain, {
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

  private async read(): Promise<{ readonly gzip: Blob; readonly plain: Blob }> {
    const bytes = await Bun.file(this.source.file).bytes();
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return { gzip: new Blob([bytes]), plain: new Blob([await new Response(plain).arrayBuffer()]) };
  }
}
