/**
 * Memory into which content is received. It is used again and again: memory that is new for each chunk has to be
 * cleared, and to be found again by the collector of garbage, which stops the loop for that.
 */

/** Filled in one go or two; a third of a millisecond to hash. */
export const PIECE_BYTES = 512 * 1024;
/** Kept while nobody needs them: what several uploads at once give and take. */
const KEPT_PIECES = 16;

const kept: ArrayBuffer[] = [];

export const takePiece = (): ArrayBuffer => kept.pop() ?? new ArrayBuffer(PIECE_BYTES);

/** Nobody uses it any more. */
export function givePiece(piece: ArrayBuffer): void {
  if (kept.length < KEPT_PIECES && piece.byteLength === PIECE_BYTES) kept.push(piece);
}
