/**
 * The program of the thread that writes large content: it hashes each piece and writes it to its file while the
 * loop receives the next one. Pieces are memory that both threads share, so nothing is copied between them.
 * Orders for one file run in order.
 *
 * Files are synced in small steps while they arrive, one file at a time. Otherwise many uploads that end
 * together would hand the disk everything in one burst, and the commits of the database would wait behind it on
 * the same disk.
 *
 *   open ─write▶ … ─`SYNC_EVERY_BYTES` written─▶ in the queue of syncs ─▶ synced ─▶ …
 *     └─end▶ in the queue, before unfinished files ─▶ synced to its last byte ─▶ ended
 */
import { closeSync, fdatasync, openSync, writeSync } from "node:fs";

/**
 * The orders of the event loop's thread. `id` names a file from `open` until it has ended or been dropped;
 * `piece` names a piece of memory.
 */
export type WritingOrder =
  | { readonly kind: "piece"; readonly piece: number; readonly memory: SharedArrayBuffer }
  /** These pieces are not used any more. */
  | { readonly kind: "forget"; readonly pieces: readonly number[] }
  | { readonly kind: "open"; readonly id: number; readonly path: string }
  | { readonly kind: "write"; readonly id: number; readonly piece: number; readonly length: number }
  | { readonly kind: "end"; readonly id: number }
  | { readonly kind: "drop"; readonly id: number };

export type WritingReport =
  /** The piece may be filled again. Reported after a failure too. */
  | { readonly kind: "written"; readonly id: number; readonly piece: number }
  /** All of the file is on the disk. */
  | { readonly kind: "ended"; readonly id: number; readonly sha256: string }
  | { readonly kind: "failed"; readonly id: number; readonly code: string | null; readonly message: string }
  | { readonly kind: "dropped"; readonly id: number };

/** Bytes of one file per sync. */
const SYNC_EVERY_BYTES = 8 * 1024 * 1024;

interface OpenFile {
  readonly id: number;
  readonly fd: number;
  readonly hasher: Bun.CryptoHasher;
  unsynced: number;
  isQueued: boolean;
  isSyncing: boolean;
  hasEnded: boolean;
  /** Nobody wants the file any more; it is closed after its sync. */
  isDropped: boolean;
}

const files = new Map<number, OpenFile>();
const pieceMemory = new Map<number, Uint8Array>();
/** Files that wait for their sync: complete ones, and unfinished ones. */
const endingFiles: OpenFile[] = [];
const going: OpenFile[] = [];
let isBusy = false;

function takeOrder(order: WritingOrder): void {
  switch (order.kind) {
    case "piece":
      return void pieceMemory.set(order.piece, new Uint8Array(order.memory));
    case "forget":
      for (const piece of order.pieces) pieceMemory.delete(piece);
      // Nothing else here produces garbage, so no collection would start by itself.
      Bun.gc(false);
      return;
    default:
      return takeFor(order, files.get(order.id));
  }
}

type FileOrder = Extract<WritingOrder, { readonly id: number }>;

function takeFor(order: FileOrder, file: OpenFile | undefined): void {
  switch (order.kind) {
    case "open":
      return attempt(order.id, () => beginFile(order));
    case "write":
      if (file !== undefined)
        attempt(order.id, () => writeBytes(file, pieceMemory.get(order.piece)!.subarray(0, order.length)));
      return reportWriting({ kind: "written", id: order.id, piece: order.piece });
    case "end":
      // The failure of this file was already reported.
      if (file === undefined) return;
      file.hasEnded = true;
      return queueSync(file);
    case "drop":
      if (file !== undefined) leaveFile(file);
      return reportWriting({ kind: "dropped", id: order.id });
  }
}

function beginFile({ id, path }: { readonly id: number; readonly path: string }): void {
  const fd = openSync(path, "wx", 0o600);
  const hasher = new Bun.CryptoHasher("sha256");
  const state = { isQueued: false, isSyncing: false, hasEnded: false, isDropped: false };
  files.set(id, { id, fd, hasher, unsynced: 0, ...state });
}

/** Loops, because a write may be partial. */
function writeBytes(file: OpenFile, bytes: Uint8Array): void {
  file.hasher.update(bytes);
  for (let written = 0; written < bytes.byteLength;) written += writeSync(file.fd, bytes, written);
  file.unsynced += bytes.byteLength;
  if (file.unsynced >= SYNC_EVERY_BYTES) queueSync(file);
}

function queueSync(file: OpenFile): void {
  if (file.isQueued && !file.hasEnded) return;
  file.isQueued = true;
  (file.hasEnded ? endingFiles : going).push(file);
  syncNext();
}

/** One sync at a time. */
function syncNext(): void {
  if (isBusy) return;
  const file = endingFiles.shift() ?? going.shift();
  if (file === undefined) return;
  // The file has failed or was dropped, or its last sync has overtaken this one.
  if (files.get(file.id) !== file) return syncNext();
  isBusy = true;
  file.isQueued = false;
  file.isSyncing = true;
  file.unsynced = 0;
  const isLast = file.hasEnded;
  fdatasync(file.fd, (err) => {
    isBusy = false;
    file.isSyncing = false;
    afterSync(file, { err, isLast });
    syncNext();
  });
}

function afterSync(file: OpenFile, { err, isLast }: { readonly err: Error | null; readonly isLast: boolean }): void {
  if (file.isDropped) closeSync(file.fd);
  else if (err !== null) fail(file.id, err);
  else if (isLast) {
    leaveFile(file);
    reportWriting({ kind: "ended", id: file.id, sha256: file.hasher.digest("hex") });
  }
}

function attempt(id: number, step: () => void): void {
  try {
    step();
  } catch (err) {
    fail(id, err);
  }
}

function fail(id: number, err: unknown): void {
  const file = files.get(id);
  if (file !== undefined) leaveFile(file);
  const code = err instanceof Error && "code" in err && typeof err.code === "string" ? err.code : null;
  reportWriting({ kind: "failed", id, code, message: err instanceof Error ? err.message : String(err) });
}

/** Forgets the file. If it is being synced, it is closed afterwards: until then its descriptor must not be reused. */
function leaveFile(file: OpenFile): void {
  files.delete(file.id);
  if (file.isSyncing) file.isDropped = true;
  else closeSync(file.fd);
}

const reportWriting = (message: WritingReport): void => postMessage(message);

// The event loop's thread imports this module for its types.
if (!Bun.isMainThread)
  globalThis.addEventListener("message", ({ data }: MessageEvent<WritingOrder>) => takeOrder(data));
