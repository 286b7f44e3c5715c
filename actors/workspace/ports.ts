/**
 * What workspaces need from outside: a place for content. One suite (`test/contract/blob-store.ts`) runs on
 * every implementation.
 *
 * Content is stored by its digest and before the commit that refers to it, so a crash leaves at most a
 * blob that nobody refers to. It is claimed before it is stored; the sweep removes a blob only while its
 * claim is old and nothing refers to it, and holds the claim meanwhile. So an upload never refers to
 * content that the sweep removes (`docs/decisions/0022-files-are-a-tree-of-places.md`).
 */
import type { Outcome } from "../fault.ts";
import type { MaybePromise } from "../maybe-promise.ts";

/** Names content. It belongs to one organization: equal content of two is stored twice, and neither learns of the other. */
export interface BlobKey {
  readonly organizationId: string;
  /** SHA-256 in lower-case hex. */
  readonly sha256: string;
}

/** Bytes from `start` up to and without `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface BlobStore {
  /**
   * Stores the file at `path` (on this machine) as the content of `key`, and takes the file: it is gone
   * when this ends, also when it fails. Its bytes are on the disk already (fdatasync). Once it resolves, the content
   * survives a crash and every `read` finds it. Storing what is there already changes nothing. Rejects when the store
   * fails.
   */
  put(key: BlobKey, path: string): Promise<void>;
  /** The size in bytes; null where there is no such content. */
  size(key: BlobKey): Promise<number | null>;
  /**
   * The content, or a range of it that lies within its size; null where there is none. A `Blob` is read
   * when it is used. Content that is removed meanwhile may end early.
   */
  read(key: BlobKey, range?: ByteRange): Promise<Blob | ReadableStream<Uint8Array> | null>;
  /**
   * Makes the content a file at `path` on this machine, where nothing is yet, to be read only; false where there is
   * none. It stays readable there when the content is removed. `path` is below the folder that what is put comes from.
   */
  place(key: BlobKey, path: string): Promise<boolean>;
  /** Removes content; nothing happens where there is none. */
  remove(key: BlobKey): Promise<void>;
  /** Removes all content of an organization, for which nothing is put any more. */
  removeAll(organizationId: string): Promise<void>;
}

/** Claims on content, stored in the database. */
export interface BlobClaims {
  /**
   * Says that this content is about to be referred to. Once it resolves, the sweep leaves it alone for an hour. `size`:
   * of content that is about to be stored.
   */
  claim(key: BlobKey, size?: number): Promise<void>;
  /** Whether the claim is still there: it is not once the organization was erased. */
  stands(key: BlobKey): Promise<boolean>;
}

/** A piece of some bytes, or their end. */
export type BytesRead =
  | { readonly done: false; readonly value: Uint8Array }
  | { readonly done: true; readonly value?: Uint8Array | undefined };

/** Bytes on their way, read once and piece by piece: a body, or the reader of a stream. */
export interface ByteReader {
  /** Nobody else has the memory of its pieces: who reads one may release it. Omitted: somebody may. */
  readonly givesMemory?: boolean;
  read(): Promise<BytesRead>;
  /** Leaves the rest unread. A read that waits ends. */
  cancel(reason?: unknown): Promise<void>;
}

/** Where content comes from; null: there is none, which is content without a byte. */
export type ByteSource = ByteReader | ReadableStream<Uint8Array> | null;

/** Content that was received and stored, and is to be referred to by a commit now. */
export interface ReceivedContent {
  readonly sha256: string;
  readonly size: number;
  /** What of it is text, for the search; null where it is none. */
  readonly text: string | null;
}

/** Content that has arrived whole, and is not stored yet. */
export interface ArrivedContent {
  readonly sha256: string;
  readonly size: number;
  /** Its first bytes, at most so many. */
  readonly head: (bytes: number) => Promise<Uint8Array>;
}

/** Refuses what is not to be stored. */
export type ContentCheck = (content: ArrivedContent) => MaybePromise<Outcome<unknown>>;

/** Which upload a part belongs to: the same content for the same path is the same upload. */
export interface UploadName {
  readonly organizationId: string;
  readonly workspaceId: string;
  /** Equal for all spellings of the path. */
  readonly pathKey: string;
  /** Of the whole content, in lower-case hex. */
  readonly sha256: string;
  /** Bytes of the whole content. */
  readonly size: number;
}

/** Bytes `first` to `last` of the content, both among them. */
export interface ContentPart {
  readonly first: number;
  readonly last: number;
  readonly body: ByteSource;
}

/** How far an upload is. */
export interface UploadProgress {
  readonly kind: "partial";
  /** Bytes that are there: the first one of the next part. */
  readonly offset: number;
  readonly size: number;
  readonly sha256: string;
  /** Null while nothing of it is there. */
  readonly expiresAt: string | null;
}

/** The way of content in and out, as operations and tools use it. */
export interface FileContents {
  /** Receives a body of at most `maxBytes` and stores it. Nothing is left of what is refused, by `check` too. */
  receive(
    organizationId: string,
    body: ByteSource,
    maxBytes: number,
    check?: ContentCheck,
  ): Promise<Outcome<ReceivedContent>>;
  /**
   * Receives a part of a larger content, or only says how far its upload is (null). `complete` gets the content
   * where this part was the last one that was missing; a refusal of it that may pass leaves the upload as it is.
   * Refuses `upload_offset_mismatch` where the part begins elsewhere than the upload ended.
   */
  receivePart<T>(
    name: UploadName,
    part: ContentPart | null,
    complete: (content: ReceivedContent) => Promise<Outcome<T>>,
  ): Promise<Outcome<UploadProgress | { readonly kind: "completed"; readonly value: T }>>;
  /** Claims content that is stored, for a commit that will refer to it; false where it is not there. */
  hold(key: BlobKey): Promise<boolean>;
  /** As `BlobStore.read`. */
  read(key: BlobKey, range?: ByteRange): Promise<Blob | ReadableStream<Uint8Array> | null>;
  /** As `BlobStore.place`. */
  place(key: BlobKey, path: string): Promise<boolean>;
  /** The media type of a file: as given where that says something, else by its name. */
  mimeOf(name: string, given: string): string;
}
