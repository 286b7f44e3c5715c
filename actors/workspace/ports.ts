/**
 * The workspaces' port to content storage. One suite (`test/contract/blob-store.ts`) runs on every implementation.
 *
 * Content is stored by its digest, and before the commit that refers to it, so a crash leaves at most an unreferenced
 * blob. It is claimed before it is stored. The sweep removes a blob only while its claim is old and nothing refers to
 * it, and holds the claim meanwhile. So an upload never refers to content that the sweep removes
 * (`docs/decisions/0022-files-are-a-tree-of-places.md`).
 */
import type { Outcome } from "../fault.ts";
import type { MaybePromise } from "../maybe-promise.ts";

/**
 * Names content of one organization. Equal content of two organizations is stored twice, so neither learns about the
 * other's.
 */
export interface BlobKey {
  readonly organizationId: string;
  /** SHA-256 in lower-case hex. */
  readonly sha256: string;
}

/** Bytes from `start` up to, but not including, `end`. */
export interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

export interface BlobStore {
  /**
   * Stores the local file at `path` as the content of `key`. Consumes the file: it is deleted even on failure. Its
   * bytes must be on the disk already (fdatasync). Once this resolves, the content survives a crash and every `read`
   * finds it. Storing existing content again changes nothing. Rejects when the store fails.
   */
  put(key: BlobKey, path: string): Promise<void>;
  /** The size in bytes; null if the content does not exist. */
  size(key: BlobKey): Promise<number | null>;
  /**
   * The content, or a range within its size; null if it does not exist. A `Blob` is read lazily. Content that is
   * removed meanwhile may end early.
   */
  read(key: BlobKey, range?: ByteSpan): Promise<Blob | ReadableStream<Uint8Array> | null>;
  /**
   * Places the content as a read-only file at `path` on this machine, where nothing exists yet; false if the content
   * does not exist. The file stays readable when the content is removed. `path` is below the folder that `put` takes
   * its files from.
   */
  place(key: BlobKey, path: string): Promise<boolean>;
  /** Removes content; does nothing if it does not exist. */
  remove(key: BlobKey): Promise<void>;
  /** Removes all content of an organization that stores nothing any more. */
  removeAll(organizationId: string): Promise<void>;
}

/** Claims on content, stored in the database. */
export interface BlobClaims {
  /**
   * Declares that this content is about to be referred to. Once this resolves, the sweep keeps the content for an hour.
   * `size`: for content that is about to be stored.
   */
  claim(key: BlobKey, size?: number): Promise<void>;
  /** Whether the claim still exists: an erasure of the organization removes it. */
  stands(key: BlobKey): Promise<boolean>;
}

/** The next bytes, or the end. */
export type BytesRead =
  | { readonly done: false; readonly value: Uint8Array }
  | { readonly done: true; readonly value?: Uint8Array | undefined };

/** Incoming bytes, read once and piece by piece: a body, or the reader of a stream. */
export interface ByteReader {
  /** Nobody else uses the memory of its pieces, so the reader of a piece may release it. Omitted: somebody may. */
  readonly givesMemory?: boolean;
  read(): Promise<BytesRead>;
  /** Leaves the rest unread and ends a pending read. */
  cancel(reason?: unknown): Promise<void>;
}

/** The source of content; null: empty content. */
export type ByteSource = ByteReader | ReadableStream<Uint8Array> | null;

/** Content that was received and stored, before a commit refers to it. */
export interface ReceivedContent {
  readonly sha256: string;
  readonly size: number;
  /** Its text for the search; null if it has none. */
  readonly text: string | null;
}

/** Content that has arrived completely and is not stored yet. */
export interface ArrivedContent {
  readonly sha256: string;
  readonly size: number;
  /** Its first bytes, at most this many. */
  readonly head: (bytes: number) => Promise<Uint8Array>;
}

/** Refuses content that must not be stored. */
export type ContentCheck = (content: ArrivedContent) => MaybePromise<Outcome<unknown>>;

/** The upload of a part: the same content for the same path is the same upload. */
export interface UploadName {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly path: string;
  /** Equal for all spellings of the path. */
  readonly pathKey: string;
  /** SHA-256 of the whole content, in lower-case hex. */
  readonly sha256: string;
  /** Bytes of the whole content. */
  readonly size: number;
  /** The person who sends the part. */
  readonly userId: string;
}

/** An upload whose parts have not all arrived. */
export interface UnfinishedUpload {
  readonly id: string;
  /** The person who has begun it; null for one from a release that did not note it. */
  readonly userId: string | null;
  readonly workspaceId: string;
  readonly path: string;
  readonly sha256: string;
  /** Bytes of the whole content. */
  readonly size: number;
  /** Bytes that have arrived. */
  readonly offset: number;
  readonly startedAt: string;
  readonly expiresAt: string;
}

/** Bytes `first` to `last` of the content, both inclusive. */
export interface ContentSlice {
  readonly first: number;
  readonly last: number;
  readonly body: ByteSource;
}

/** The progress of an upload. */
export interface UploadProgress {
  readonly kind: "partial";
  /** Bytes received so far, and so the first byte of the next part. */
  readonly offset: number;
  readonly size: number;
  readonly sha256: string;
  /** Null if nothing has been received yet. */
  readonly expiresAt: string | null;
}

/** Receives and reads content for operations and tools. */
export interface FileContents {
  /** Receives a body of at most `maxBytes` and stores it. If it is refused, also by `check`, nothing is left of it. */
  receive(
    organizationId: string,
    body: ByteSource,
    maxBytes: number,
    check?: ContentCheck,
  ): Promise<Outcome<ReceivedContent>>;
  /**
   * Receives a part of a larger content, or with null only returns the upload's progress. `complete` gets the content
   * once no part is missing; if it refuses for a passing reason, the upload stays as it is. Refuses
   * `upload_offset_mismatch` if the part does not begin where the upload ended.
   */
  receivePart<T>(
    name: UploadName,
    part: ContentSlice | null,
    complete: (content: ReceivedContent) => Promise<Outcome<T>>,
  ): Promise<Outcome<UploadProgress | { readonly kind: "completed"; readonly value: T }>>;
  /** The unfinished uploads of an organization, newest first. */
  unfinished(organizationId: string): Promise<readonly UnfinishedUpload[]>;
  /** Ends unfinished uploads, and the requests that write to them. Ids of others are ignored. */
  endUnfinished(organizationId: string, ids: readonly string[]): Promise<void>;
  /** Claims stored content for a commit that will refer to it; false if the content does not exist. */
  hold(key: BlobKey): Promise<boolean>;
  /** Like `BlobStore.read`. */
  read(key: BlobKey, range?: ByteSpan): Promise<Blob | ReadableStream<Uint8Array> | null>;
  /** Like `BlobStore.place`. */
  place(key: BlobKey, path: string): Promise<boolean>;
  /** The media type of a file: the given one if it is specific, else the one for its name. */
  mimeOf(name: string, given: string): string;
}
