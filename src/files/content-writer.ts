/**
 * Writes content to a file while it arrives, and computes its digest. Content goes through reused pieces of
 * memory (`pieces.ts`). Content that fits into one piece is written and hashed at once; for more, a thread
 * takes the pieces (`thread-writer.ts`). Either way all of it is on the disk when `end` resolves.
 */
import { open } from "node:fs/promises";
import { givePiece, type SharedPiece, UPLOAD_PIECE_BYTES, release, takePiece } from "./pieces.ts";
import { type ThreadFile, ThreadWriter } from "./thread-writer.ts";

/** One per process: a thread costs some megabytes. */
const writerThread = new ThreadWriter();

export class ContentWriter {
  private readonly path: string;
  private readonly ownsChunks: boolean;
  /** The first chunk, uncopied until a second one comes: small content needs no piece. */
  private first: Uint8Array | null = null;
  private piece: SharedPiece | null = null;
  private filled = 0;
  private file: ThreadFile | null = null;

  /** No file is at `path` yet. `ownsChunks`: the chunks' memory is not shared, so it is released after copying. */
  constructor(path: string, ownsChunks = false) {
    this.path = path;
    this.ownsChunks = ownsChunks;
  }

  /** Resolves when the next chunk may come. Rejects if the content cannot be written. */
  async add(chunk: Uint8Array): Promise<void> {
    const { first } = this;
    if (first === null && this.piece === null && this.file === null && chunk.byteLength < UPLOAD_PIECE_BYTES) {
      this.first = chunk;
      return;
    }
    this.first = null;
    if (first !== null) await this.fill(first);
    await this.fill(chunk);
  }

  /** Resolves to the SHA-256 in lower-case hex when all content is on the disk. */
  async end(): Promise<string> {
    if (this.file !== null) {
      if (this.filled > 0) await this.send();
      return this.file.end();
    }
    const bytes = this.first ?? this.piece?.bytes.subarray(0, this.filled) ?? new Uint8Array();
    const handle = await open(this.path, "wx", 0o600);
    try {
      await writeWhole(handle, bytes);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    this.giveBack();
    return sha256;
  }

  /** Resolves when nothing writes any more. Not to be called after a resolved `end`. */
  async drop(): Promise<void> {
    await this.file?.drop();
    this.giveBack();
  }

  private async fill(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.byteLength;) {
      this.piece ??= takePiece();
      const part = chunk.subarray(at, at + UPLOAD_PIECE_BYTES - this.filled);
      this.piece.bytes.set(part, this.filled);
      this.filled += part.byteLength;
      at += part.byteLength;
      // `send` may wait, but the chunk is fully copied by now.
      if (this.ownsChunks && at === chunk.byteLength) release(chunk);
      if (this.filled === UPLOAD_PIECE_BYTES) await this.send();
    }
  }

  /** Hands the piece to the thread. Resolves when another piece may be filled. */
  private async send(): Promise<void> {
    const { piece, filled } = this;
    if (piece === null) return;
    this.piece = null;
    this.filled = 0;
    this.file ??= writerThread.open(this.path);
    await this.file.write(piece, filled);
  }

  private giveBack(): void {
    if (this.piece !== null) givePiece(this.piece);
    this.piece = null;
  }
}

/** Loops, because a write may be partial. */
export async function writeWhole(handle: Awaited<ReturnType<typeof open>>, chunk: Uint8Array): Promise<void> {
  for (let written = 0; written < chunk.byteLength;) {
    const { bytesWritten } = await handle.write(chunk, written);
    written += bytesWritten;
  }
}
