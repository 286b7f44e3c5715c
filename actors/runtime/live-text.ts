/** The text of a message while it is written, in the pieces in which it came (SSE-3). */

/** Which text: an attempt of a message. */
export interface TextName {
  readonly messageId: string;
  readonly attempt: number;
}
export const isSameText = (a: TextName | null | undefined, b: TextName | null | undefined): boolean =>
  a?.messageId === b?.messageId && a?.attempt === b?.attempt;

export interface LiveText extends TextName {
  /** What every reader that has all events had of it when it began. */
  readonly base: number;
  /** Piece i starts at starts[i]; joined only from where a reader stands, so appending stays O(1). */
  starts: number[];
  pieces: string[];
  length: number;
  /** Where what is kept begins. */
  from: number;
}

/** The text between two positions. */
export function slice(live: LiveText, from: number, to: number): string {
  let low = 0;
  let high = live.starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (live.starts[middle]! <= from) low = middle;
    else high = middle - 1;
  }
  let text = "";
  for (let i = low; i < live.pieces.length && live.starts[i]! < to; i++) {
    const start = live.starts[i]!;
    const piece = live.pieces[i]!;
    if (start >= from && start + piece.length <= to) text += piece;
    else text += piece.slice(Math.max(0, from - start), to - start);
  }
  return text;
}

/** A text that is over is kept in pieces of at least so many characters: readers may still come back to it. */
export const KEPT_PIECE_CHARS = 16 * 1024;

/**
 * Joins the small pieces of a text that gets no more: each of them costs three times its own characters, and an
 * actor keeps the text for as long as it lives.
 */
export function joinPieces(live: LiveText): void {
  const { pieces, starts } = live;
  live.pieces = [];
  live.starts = [];
  let from = 0;
  let chars = 0;
  for (const [i, piece] of pieces.entries()) {
    chars += piece.length;
    if (chars < KEPT_PIECE_CHARS && i < pieces.length - 1) continue;
    live.pieces.push(pieces.slice(from, i + 1).join(""));
    live.starts.push(starts[from]!);
    from = i + 1;
    chars = 0;
  }
}
