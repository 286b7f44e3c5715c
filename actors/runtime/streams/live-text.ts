/** The text of a message while it is being written, in pieces, and what turns publish of it (SSE-3). */
import type { StoredEvent, TextMark } from "../store.ts";

/** Names a text: an attempt of a message. */
export interface TextName {
  readonly messageId: string;
  readonly attempt: number;
}
export const isSameText = (a: TextName | null | undefined, b: TextName | null | undefined): boolean =>
  a?.messageId === b?.messageId && a?.attempt === b?.attempt;

export interface LiveText extends TextName {
  /** How much of it a reader of all events had when it began. */
  readonly base: number;
  /** Piece i starts at starts[i]. The newest pieces are kept as they arrived; earlier ones are joined. */
  starts: number[];
  pieces: string[];
  /** How many pieces are joined. */
  joined: number;
  length: number;
  /** Where the kept text begins. */
  from: number;
}

/**
 * Pieces are joined when together they have this many characters: a separate piece costs three times its own
 * characters.
 */
const JOINED_CHARS = 1024;

export const newLiveText = (name: TextName, base: number): LiveText => ({
  messageId: name.messageId,
  attempt: name.attempt,
  base,
  starts: [],
  pieces: [],
  joined: 0,
  length: 0,
  from: 0,
});

/** Adds a piece. Recent pieces are joined from time to time, so that little work is left for the end. */
export function append(live: LiveText, piece: string): void {
  const { starts, pieces, joined } = live;
  starts.push(live.length);
  pieces.push(piece);
  live.length += piece.length;
  if (live.length - starts[joined]! < JOINED_CHARS) return;
  if (pieces.length > joined + 1) {
    pieces.push(pieces.splice(joined).join(""));
    starts.length = joined + 1;
  }
  live.joined++;
}

/**
 * Drops everything before the first piece that begins at or after this position; returns the number of dropped
 * characters.
 */
export function trim(live: LiveText, position: number): number {
  const next = live.starts.findIndex((start) => start >= position);
  const cut = next === -1 ? live.pieces.length : next;
  live.pieces = live.pieces.slice(cut);
  live.starts = live.starts.slice(cut);
  live.joined = Math.max(0, live.joined - cut);
  const { from } = live;
  live.from = live.starts[0] ?? live.length;
  return live.from - from;
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

/** A finished text is kept in pieces of at least this many characters, because readers may still return to it. */
export const KEPT_PIECE_CHARS = 16 * 1024;

/** Joins the pieces of a finished text: an actor keeps it for as long as it lives. */
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

/** An output for the readers of a stream after the commit, in the order of its publication. */
export type Publication =
  | { readonly kind: "event"; readonly event: StoredEvent }
  | {
      readonly kind: "begin";
      readonly messageId: string;
      readonly attempt: number;
      readonly text: string;
      readonly known: number;
    }
  | { readonly kind: "add"; readonly messageId: string; readonly text: string }
  | { readonly kind: "end"; readonly messageId: string };

/** The live text after these publications. */
export function markAfter(mark: TextMark | null, publications: readonly Publication[]): TextMark | null {
  let live = mark;
  for (const said of publications) {
    if (said.kind === "begin") {
      const { messageId, attempt, text, known } = said;
      const base = isSameText(live, said) ? live!.base : known;
      live = { messageId, attempt, base, position: text.length };
    } else if (said.kind === "add" && live?.messageId === said.messageId) {
      live = { ...live, position: live.position + said.text.length };
    } else if (said.kind === "end" && live?.messageId === said.messageId) live = null;
  }
  return live;
}
