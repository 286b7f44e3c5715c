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
