/**
 * The files of this service: where bodies are received, and where content is stored. By default both are below
 * the data folder. `FILES_DIR` moves them into a folder that replicas share; `FILES_URL` moves the content to
 * S3, with bodies still received on this disk.
 *
 *   <data folder>/files/staging/…    bodies that are arriving
 *   <data folder>/files/uploads/…    content that arrives in parts
 *   <data folder>/files/blobs/…      content, without FILES_URL
 *   <data folder>/files/children/…   files that children of the sandbox are reading
 */
import { mkdir, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { isPassing, mapOutcome, ok, type Outcome, refuse } from "../../actors/fault.ts";
import type { Clock } from "../../actors/runtime/ports.ts";
import { STORAGE_FULL } from "../../actors/runtime/turns/write-admission.ts";
import { SHARD_UNAVAILABLE } from "../../actors/runtime/placement/shards.ts";
import { SEARCHED_BYTES } from "../../actors/workspace/limits.ts";
import type {
  ArrivedContent,
  BlobClaims,
  BlobKey,
  BlobStore,
  ByteSpan,
  ByteSource,
  ContentCheck,
  ContentSlice,
  FileContents,
  ReceivedContent,
  UnfinishedUpload,
  UploadName,
  UploadProgress,
} from "../../actors/workspace/ports.ts";
import { LocalBlobStore } from "./local-blobs.ts";
import { PartialUploads, PARTIAL_UPLOAD_MS } from "./partial-uploads.ts";
import { S3BlobStore, type S3Settings } from "./s3-blobs.ts";
import { type StagedFile, Staging } from "./staging.ts";
import { mimeOf, readableText } from "./file-type.ts";

export interface FilesSettings {
  /** The data folder. */
  readonly folder: string;
  /** The folder that replicas share; null: `files` in the data folder. */
  readonly shared?: string | null;
  /** Null: content is stored on a disk. */
  readonly s3: S3Settings | null;
}

/** A staged file of this age belongs to no request any more; an upload takes minutes. */
const STAGED_MS = 3_600_000;

interface FilesParts {
  readonly blobs: BlobStore;
  readonly staging: Staging;
  readonly uploads: PartialUploads;
  readonly children: string;
  readonly claims: BlobClaims;
  /** Called with the error if content could not be stored. */
  readonly onFailure: (err: unknown) => void;
}

type OpenParts = Pick<FilesParts, "claims" | "onFailure"> & {
  readonly clock: Pick<Clock, "now">;
  readonly hasRoom?: (() => boolean) | undefined;
};

/** Content arrived for an organization that has been erased meanwhile. None of it is stored. */
export class OrganizationErased extends Error {
  override readonly name = "OrganizationErased";

  constructor(organizationId: string) {
    super(`the organization ${organizationId} was erased`);
  }
}

export class Files implements FileContents {
  readonly blobs: BlobStore;
  readonly staging: Staging;
  /** A folder on the file system of the content, so that content can be linked into it. */
  readonly children: string;
  private readonly uploads: PartialUploads;
  private readonly claims: BlobClaims;
  private readonly onFailure: FilesParts["onFailure"];

  constructor({ blobs, staging, uploads, children, claims, onFailure }: FilesParts) {
    this.blobs = blobs;
    this.children = children;
    this.staging = staging;
    this.uploads = uploads;
    this.claims = claims;
    this.onFailure = onFailure;
  }

  /**
   * Removes leftovers of earlier requests from this disk: abandoned bodies, and expired uploads. `now` is wall
   * clock in ms. Returns the number of files.
   */
  async sweep(now: number): Promise<number> {
    return (await this.staging.sweep(now - STAGED_MS)) + (await this.uploads.sweep(now - PARTIAL_UPLOAD_MS));
  }

  /** Receives a body of at most `maxBytes` and stores it. A body that is refused, also by `check`, leaves nothing. */
  async receive(
    organizationId: string,
    body: ByteSource,
    maxBytes: number,
    check: ContentCheck | null = null,
  ): Promise<Outcome<ReceivedContent>> {
    const received = await this.unlessFull(() => this.staging.receive(body, maxBytes));
    if (!received.ok) return received;
    const staged = received.value;
    let isTaken = check === null;
    try {
      const checked = (await check?.(arrivedContent(staged))) ?? ok(null);
      isTaken = checked.ok;
      if (!checked.ok) return checked;
    } finally {
      if (!isTaken) await this.staging.discard(staged);
    }
    return this.keep(organizationId, staged);
  }

  async receivePart<T>(
    name: UploadName,
    part: ContentSlice | null,
    complete: (content: ReceivedContent) => Promise<Outcome<T>>,
  ): Promise<Outcome<UploadProgress | { readonly kind: "completed"; readonly value: T }>> {
    const store = async (whole: string) => {
      // The upload stays until the commit: a crash before it costs the client nothing.
      const { path } = await this.staging.linked(whole);
      const content = await this.keep(name.organizationId, { path, size: name.size, sha256: name.sha256 });
      const value = content.ok ? await complete(content.value) : content;
      return { value, isOver: value.ok || !isPassing(value.fault) };
    };
    const taken = await this.unlessFull(() => this.uploads.take(name, part, store));
    if (!taken.ok || taken.value.kind === "partial") return taken as Outcome<UploadProgress>;
    return mapOutcome(taken.value.value, (value) => ({ kind: "completed", value }) as const);
  }

  unfinished(organizationId: string): Promise<readonly UnfinishedUpload[]> {
    return this.uploads.unfinished(organizationId);
  }

  async endUnfinished(organizationId: string, ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.uploads.end(organizationId, id);
  }

  async hold(key: BlobKey): Promise<boolean> {
    await this.claims.claim(key);
    return (await this.blobs.size(key)) !== null;
  }

  read(key: BlobKey, range?: ByteSpan): Promise<Blob | ReadableStream<Uint8Array> | null> {
    return this.blobs.read(key, range);
  }

  place(key: BlobKey, path: string): Promise<boolean> {
    return this.blobs.place(key, path);
  }

  mimeOf(name: string, given: string): string {
    return mimeOf(name, given);
  }

  /** Removes all content of an organization. It must not receive any more. */
  async removeAll(organizationId: string): Promise<void> {
    await this.uploads.removeAll(organizationId);
    await this.blobs.removeAll(organizationId);
  }

  /**
   * Stores a staged file. It is removed again unless a commit refers to it within an hour. `unavailable` if the
   * database or the store cannot be reached.
   */
  private async keep(organizationId: string, staged: StagedFile): Promise<Outcome<ReceivedContent>> {
    try {
      return ok(await this.stored(organizationId, staged));
    } catch (err) {
      if (err instanceof OrganizationErased) throw err;
      this.onFailure(err);
      return refuse(isFull(err) ? STORAGE_FULL : SHARD_UNAVAILABLE);
    }
  }

  /** Turns the error of a full disk into a refusal, even if the disk monitor has not noticed yet. */
  private async unlessFull<T>(step: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    try {
      return await step();
    } catch (err) {
      if (!isFull(err)) throw err;
      this.onFailure(err);
      return refuse(STORAGE_FULL);
    }
  }

  private async stored(organizationId: string, staged: StagedFile): Promise<ReceivedContent> {
    const { path, size, sha256 } = staged;
    try {
      const text = await readableText(Bun.file(path), SEARCHED_BYTES);
      const key = { organizationId, sha256 };
      await this.claims.claim(key, size);
      await this.blobs.put(key, path);
      // The claim came first: so an erasure that began since then is either seen here, or will find this
      // content.
      if (!(await this.claims.stands(key))) {
        await this.blobs.remove(key);
        throw new OrganizationErased(organizationId);
      }
      return { sha256, size, text };
    } finally {
      await this.staging.discard(staged);
    }
  }
}

const arrivedContent = ({ path, sha256, size }: StagedFile): ArrivedContent => ({
  sha256,
  size,
  head: (bytes) => Bun.file(path).slice(0, bytes).bytes(),
});

/** Out of space, or out of quota. */
const isFull = (err: unknown): boolean =>
  err instanceof Error && "code" in err && (err.code === "ENOSPC" || err.code === "EDQUOT");

/** Opens the folders, or the connection to S3. `hasRoom`: whether the storage accepts more. */
export async function openFiles(
  { folder, s3, shared = null }: FilesSettings,
  { claims, clock, onFailure, hasRoom }: OpenParts,
): Promise<Files> {
  const root = shared ?? join(folder, "files");
  const staging = new Staging(join(root, "staging"), hasRoom);
  await staging.prepare();
  const uploads = new PartialUploads(join(root, "uploads"), () => clock.now(), hasRoom);
  await uploads.prepare();
  // One per process: in a shared folder, the files of other replicas' children must stay.
  const children = join(
    root,
    shared === null ? "children" : `children-${Bun.hash(`${hostname()} ${folder}`).toString(36)}`,
  );
  // Leftovers of a process that is gone.
  await rm(children, { recursive: true, force: true });
  const parts = { staging, uploads, children, claims, onFailure };
  if (s3 !== null) return new Files({ ...parts, blobs: new S3BlobStore(s3) });
  const blobs = join(root, "blobs");
  await mkdir(blobs, { recursive: true, mode: 0o700 });
  return new Files({ ...parts, blobs: new LocalBlobStore(blobs) });
}
