/**
 * Writes content to a file while it arrives, and computes its digest. It arrives in pieces of memory that are filled
 * again and again (`pieces.ts`): what fits into one is written and hashed at once, and of more a thread takes the
 * pieces (`thread-writer.ts`). Either way all of it is on the disk when `end` resolves.
 */
import { open } from "node:fs/promises";
import { givePiece, type Piece, PIECE_BYTES, release, takePiece } from "./pieces.ts";
import { type ThreadFile, ThreadWriter } from "./thread-writer.ts";

/** One for the process: a thread costs some megabytes. */
const thread = new ThreadWriter();

export class ContentWriter {
  private readonly path: string;
  private readonly ownsChunks: boolean;
  /** The first chunk, as it came, until there is a second one: small content needs no piece. */
  private first: Uint8Array | null = null;
  private piece: Piece | null = null;
  private filled = 0;
  private file: ThreadFile | null = null;

  /** Nothing is at `path` yet. `ownsChunks`: nobody else uses their memory, and it is released when they are copied. */
  constructor(path: string, ownsChunks = false) {
    this.path = path;
    this.ownsChunks = ownsChunks;
  }

  /** Resolves when more may come. Rejects when it cannot be written. */
  async add(chunk: Uint8Array): Promise<void> {
    const { first } = this;
    if (first === null && this.piece === null && this.file === null && chunk.byteLength < PIECE_BYTES) {
      this.first = chunk;
      return;
    }
    this.first = null;
    if (first !== null) await this.fill(first);
    await this.fill(chunk);
  }

  /** Resolves to the SHA-256 in lower-case hex when all of it is on the disk. */
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

  /** Resolves when nothing is written any more. Not after an `end` that has resolved. */
  async drop(): Promise<void> {
    await this.file?.drop();
    this.giveBack();
  }

  private async fill(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.byteLength;) {
      this.piece ??= takePiece();
      const part = chunk.subarray(at, at + PIECE_BYTES - this.filled);
      this.piece.bytes.set(part, this.filled);
      this.filled += part.byteLength;
      at += part.byteLength;
      // Whatever `send` waits for, the last of the chunk is copied.
      if (this.ownsChunks && at === chunk.byteLength) release(chunk);
      if (this.filled === PIECE_BYTES) await this.send();
    }
  }

  /** Hands the piece to the thread. Resolves when another one may be filled. */
  private async send(): Promise<void> {
    const { piece, filled } = this;
    if (piece === null) return;
    this.piece = null;
    this.filled = 0;
    this.file ??= thread.open(this.path);
    await this.file.write(piece, filled);
  }

  private giveBack(): void {
    if (this.piece !== null) givePiece(this.piece);
    this.piece = null;
  }
}

/** A write may take a part only. */
export async function writeWhole(handle: Awaited<ReturnType<typeof open>>, chunk: Uint8Array): Promise<void> {
  for (let written = 0; written < chunk.byteLength;) {
    const { bytesWritten } = await handle.write(chunk, written);
    written += bytesWritten;
  }
}
