/**
 * Content in S3, or in a store with the same protocol, by Bun's own client. `FILES_URL` says where:
 * `s3://bucket/prefix?endpoint=https://…&region=…`. It uploads content without checking whether it is already
 * there: for small files a check costs as much as the upload, and large files are rarely equal.
 */
import { rm, writeFile } from "node:fs/promises";
import { S3Client } from "bun";
import type { BlobKey, BlobStore, ByteSpan } from "../../actors/workspace/ports.ts";
import { blobName, organizationFolder } from "./blob-name.ts";

export interface S3Settings {
  readonly bucket: string;
  /** Prefix of every name; empty, or ending with a slash. */
  readonly prefix: string;
  readonly endpoint?: string;
  readonly region?: string;
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
}

/** The bucket of FILES_URL; null without one. */
export function s3Of({
  filesUrl,
  filesAccessKeyId: accessKeyId,
  filesSecretAccessKey: secretAccessKey,
}: {
  readonly filesUrl?: string;
  readonly filesAccessKeyId?: string;
  readonly filesSecretAccessKey?: string;
}): S3Settings | null {
  if (filesUrl === undefined) return null;
  const url = new URL(filesUrl);
  const endpoint = url.searchParams.get("endpoint");
  const region = url.searchParams.get("region");
  const folder = url.pathname.replaceAll(/^\/+|\/+$/g, "");
  return {
    bucket: url.hostname,
    prefix: folder === "" ? "" : `${folder}/`,
    ...(endpoint === null ? {} : { endpoint }),
    ...(region === null ? {} : { region }),
    ...(accessKeyId === undefined ? {} : { accessKeyId }),
    ...(secretAccessKey === undefined ? {} : { secretAccessKey }),
  };
}

/** Part size of a multipart upload: the memory of one upload is this times the parts in flight. */
const S3_PART_BYTES = 8 * 1024 * 1024;
const PARTS_IN_FLIGHT = 2;
/** Attempts per part before the upload fails. */
const S3_PART_ATTEMPTS = 3;

/** Names per page of a listing, and concurrent deletions. */
const S3_LIST_PAGE = 1_000;
const REMOVED_AT_ONCE = 16;

export class S3BlobStore implements BlobStore {
  private readonly client: S3Client;
  private readonly prefix: string;

  constructor({ prefix, ...options }: S3Settings) {
    this.client = new S3Client(options);
    this.prefix = prefix;
  }

  async put(key: BlobKey, path: string): Promise<void> {
    try {
      await this.send(key, path);
    } finally {
      await rm(path, { force: true });
    }
  }

  private async send(key: BlobKey, path: string): Promise<void> {
    const file = Bun.file(path);
    if (file.size <= S3_PART_BYTES) {
      await this.client.write(this.nameOf(key), await file.bytes());
      return;
    }
    const writer = this.client
      .file(this.nameOf(key))
      .writer({ partSize: S3_PART_BYTES, queueSize: PARTS_IN_FLIGHT, retry: S3_PART_ATTEMPTS });
    for (let start = 0; start < file.size; start += S3_PART_BYTES) {
      await writer.write(await file.slice(start, start + S3_PART_BYTES).bytes());
      await writer.flush();
    }
    await writer.end();
  }

  async size(key: BlobKey): Promise<number | null> {
    const found = await this.client.stat(this.nameOf(key)).catch(nullIfNoObject);
    return found?.size ?? null;
  }

  async read(key: BlobKey, range?: ByteSpan): Promise<ReadableStream<Uint8Array> | Blob | null> {
    if ((await this.size(key)) === null) return null;
    // The store refuses an empty range.
    if (range !== undefined && range.start >= range.end) return new Blob([]);
    const file = this.client.file(this.nameOf(key));
    // Bun ignores the range 0-0.
    if (range?.start === 0 && range.end === 1) return new Blob([(await file.slice(0, 2).bytes()).slice(0, 1)]);
    // Not the S3 file itself: a response with it would redirect to the store.
    return (range === undefined ? file : file.slice(range.start, range.end)).stream();
  }

  async place(key: BlobKey, path: string): Promise<boolean> {
    const body = await this.read(key);
    if (body === null) return false;
    await writeFile(path, body instanceof Blob ? body.stream() : body, { flag: "wx", mode: 0o600 });
    return true;
  }

  async remove(key: BlobKey): Promise<void> {
    await this.client.delete(this.nameOf(key)).catch(nullIfNoObject);
  }

  async removeAll(organizationId: string): Promise<void> {
    const prefix = `${this.prefix}${organizationFolder(organizationId)}/`;
    for (;;) {
      // The listed objects are deleted before the next listing, so each listing starts at the front.
      const { contents = [] } = await this.client.list({ prefix, maxKeys: S3_LIST_PAGE });
      if (contents.length === 0) return;
      for (let at = 0; at < contents.length; at += REMOVED_AT_ONCE)
        await Promise.all(contents.slice(at, at + REMOVED_AT_ONCE).map(({ key }) => this.client.delete(key)));
    }
  }

  private nameOf(key: BlobKey): string {
    return `${this.prefix}${blobName(key)}`;
  }
}

function nullIfNoObject(cause: unknown): null {
  if (cause instanceof Error && "code" in cause && (cause.code === "NoSuchKey" || cause.code === "ENOENT")) return null;
  throw cause;
}
