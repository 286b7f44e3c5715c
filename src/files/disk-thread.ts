/**
 * The program of the thread that writes large content: it hashes each piece and writes it to its file while the loop
 * receives the next one. Pieces are memory that both threads share, so nothing is copied between them. Orders of one
 * file are done in their order.
 *
 * Bytes go to the disk while more of them arrive, a little at a time and of one file after the other. Many uploads that
 * end together would otherwise hand the disk all that they have written in one burst, and the commits of the database,
 * which wait for the same disk, would wait behind it.
 *
 *   open ─write▶ … ─`SYNC_BYTES` written─▶ in the queue of syncs ─▶ synced ─▶ …
 *     └─end▶ in the queue, before those that go on ─▶ synced to its last byte ─▶ ended
 */
import { closeSync, fdatasync, openSync, writeSync } from "node:fs";

/** What the loop asks for. `id` names the file from `open` until it has ended or been dropped; `piece` names memory. */
export type WritingOrder =
  | { readonly kind: "piece"; readonly piece: number; readonly memory: SharedArrayBuffer }
  /** These are not used any more. */
  | { readonly kind: "forget"; readonly pieces: readonly number[] }
  | { readonly kind: "open"; readonly id: number; readonly path: string }
  | { readonly kind: "write"; readonly id: number; readonly piece: number; readonly length: number }
  | { readonly kind: "end"; readonly id: number }
  | { readonly kind: "drop"; readonly id: number };

export type WritingReport =
  /** The piece may be filled again. It comes back after a failure too. */
  | { readonly kind: "written"; readonly id: number; readonly piece: number }
  /** All of it is on the disk. */
  | { readonly kind: "ended"; readonly id: number; readonly sha256: string }
  | { readonly kind: "failed"; readonly id: number; readonly code: string | null; readonly message: string }
  | { readonly kind: "dropped"; readonly id: number };

/** Of one file: so many bytes are brought to the disk together. */
const SYNC_BYTES = 8 * 1024 * 1024;

interface OpenFile {
  readonly id: number;
  readonly fd: number;
  readonly hasher: Bun.CryptoHasher;
  unsynced: number;
  isQueued: boolean;
  isSyncing: boolean;
  hasEnded: boolean;
  /** Nobody asks for it any more; it is closed when its sync is over. */
  isDropped: boolean;
}

const files = new Map<number, OpenFile>();
const memory = new Map<number, Uint8Array>();
/** Files that wait for their sync. */
const ending: OpenFile[] = [];
const going: OpenFile[] = [];
let isBusy = false;

function take(order: WritingOrder): void {
  switch (order.kind) {
    case "piece":
      return void memory.set(order.piece, new Uint8Array(order.memory));
    case "forget":
      for (const piece of order.pieces) memory.delete(piece);
      // Nothing else here makes garbage, so nothing would look for it.
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
      return attempt(order.id, () => begin(order));
    case "write":
      if (file !== undefined) attempt(order.id, () => write(file, memory.get(order.piece)!.subarray(0, order.length)));
      return report({ kind: "written", id: order.id, piece: order.piece });
    case "end":
      // One that has failed was reported.
      if (file === undefined) return;
      file.hasEnded = true;
      return queue(file);
    case "drop":
      if (file !== undefined) leave(file);
      return report({ kind: "dropped", id: order.id });
  }
}

function begin({ id, path }: { readonly id: number; readonly path: string }): void {
  const fd = openSync(path, "wx", 0o600);
  const hasher = new Bun.CryptoHasher("sha256");
  const state = { isQueued: false, isSyncing: false, hasEnded: false, isDropped: false };
  files.set(id, { id, fd, hasher, unsynced: 0, ...state });
}

/** A write may take a part only. */
function write(file: OpenFile, bytes: Uint8Array): void {
  file.hasher.update(bytes);
  for (let written = 0; written < bytes.byteLength;) written += writeSync(file.fd, bytes, written);
  file.unsynced += bytes.byteLength;
  if (file.unsynced >= SYNC_BYTES) queue(file);
}

function queue(file: OpenFile): void {
  if (file.isQueued && !file.hasEnded) return;
  file.isQueued = true;
  (file.hasEnded ? ending : going).push(file);
  syncNext();
}

/** One sync at a time. */
function syncNext(): void {
  if (isBusy) return;
  const file = ending.shift() ?? going.shift();
  if (file === undefined) return;
  // It has failed or was dropped, or was synced to its end while it waited as one that goes on.
  if (files.get(file.id) !== file) return syncNext();
  isBusy = true;
  file.isQueued = false;
  file.isSyncing = true;
  file.unsynced = 0;
  const isLast = file.hasEnded;
  fdatasync(file.fd, (err) => {
    isBusy = false;
    file.isSyncing = false;
    synced(file, { err, isLast });
    syncNext();
  });
}

function synced(file: OpenFile, { err, isLast }: { readonly err: Error | null; readonly isLast: boolean }): void {
  if (file.isDropped) closeSync(file.fd);
  else if (err !== null) fail(file.id, err);
  else if (isLast) {
    leave(file);
    report({ kind: "ended", id: file.id, sha256: file.hasher.digest("hex") });
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
  if (file !== undefined) leave(file);
  const code = err instanceof Error && "code" in err && typeof err.code === "string" ? err.code : null;
  report({ kind: "failed", id, code, message: err instanceof Error ? err.message : String(err) });
}

/** Nothing more is done with it. A file that is being synced is closed afterwards: its number must not be another's. */
function leave(file: OpenFile): void {
  files.delete(file.id);
  if (file.isSyncing) file.isDropped = true;
  else closeSync(file.fd);
}

const report = (told: WritingReport): void => postMessage(told);

// Also imported for its types, by the thread of the loop.
if (!Bun.isMainThread) globalThis.addEventListener("message", ({ data }: MessageEvent<WritingOrder>) => take(data));
