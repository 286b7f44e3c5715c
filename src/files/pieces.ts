/**
 * Memory for receiving content. It is reused, and shared with the writing thread. New memory for each chunk
 * would have to be cleared, and then collected as garbage, which stops the event loop; memory transferred to a
 * thread and back counts as new each time.
 */

/** Filled by one chunk or two; hashing it takes a third of a millisecond. */
export const UPLOAD_PIECE_BYTES = 512 * 1024;
/** Pool size while nobody writes: as many as a few concurrent uploads use. */
export const KEPT_PIECES = 16;
/** Smaller chunks are left to garbage collection: releasing them costs more. */
const RELEASED_BYTES = 64 * 1024;

/** Memory of the process; the thread knows it by its id. */
export interface SharedPiece {
  readonly id: number;
  readonly memory: SharedArrayBuffer;
  readonly bytes: Uint8Array;
}

const keptPieces: SharedPiece[] = [];
let lastPieceId = 0;

export function takePiece(): SharedPiece {
  const piece = keptPieces.pop();
  if (piece !== undefined) return piece;
  const memory = new SharedArrayBuffer(UPLOAD_PIECE_BYTES);
  return { id: ++lastPieceId, memory, bytes: new Uint8Array(memory) };
}

/** Returns a piece to the pool: nobody may use it any more. */
export const givePiece = (piece: SharedPiece): void => void keptPieces.push(piece);

/** Drops pooled pieces beyond `KEPT_PIECES`; returns their ids. */
export const trimPieces = (): readonly number[] => keptPieces.splice(KEPT_PIECES).map(({ id }) => id);

/**
 * Releases the memory of a chunk that nobody else uses. Otherwise it would count as used until it is collected.
 * A chunk that is only a view of part of a buffer is left alone.
 */
export function release({ buffer, byteLength }: Uint8Array): void {
  if (byteLength < RELEASED_BYTES || byteLength !== buffer.byteLength) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
