/**
 * The text of a run as its reader has it (V1-3, DIA-4). A step that begins again repeats what was shown, or says
 * something else: its common beginning is left out, and where it differs, a frame says from where on the text is another
 * one. Text is never held back: while a text repeats what was shown, there is nothing to send.
 *
 *   committed ─▶ tail: shown, and no step has committed it yet
 *                 └─ confirmed: how much of the tail the running attempt has said too
 */

import { GrowingText } from "../../actors/growing-text.ts";

/** A message for the client: more text, or first that its text ends at `position`. */
export interface ShownPiece {
  readonly text: string;
  /** Where the text of the client is cut before `text` is added, in UTF-16 units; null: nowhere. */
  readonly position: number | null;
}

const NO_PIECE: ShownPiece = { text: "", position: null };

export class ShownText {
  private committed = 0;
  private tail = new GrowingText();
  /** Null: all of the tail is of the running attempt. */
  private confirmed: number | null = null;

  /** Where the text of the running attempt ends. */
  get end(): number {
    return this.committed + (this.confirmed ?? this.tail.length);
  }

  /** Whether any text is committed. */
  get hasCommitted(): boolean {
    return this.committed > 0;
  }

  /** Whether text was shown that no block has yet. */
  get hasTail(): boolean {
    return this.tail.length > 0;
  }

  /** Another attempt begins: it continues from the committed text. */
  restart(): void {
    if (this.tail.length > 0) this.confirmed = 0;
  }

  /** The running attempt adds text. */
  add(text: string): ShownPiece {
    if (text === "") return NO_PIECE;
    if (this.confirmed !== null) return this.addAgain(text, this.confirmed);
    this.tail.add(text);
    return { text, position: null };
  }

  /** A block of the text is committed: whatever was not shown of it is shown now. */
  commit(text: string): ShownPiece {
    const shown = this.add(text.slice(this.confirmed ?? this.tail.length));
    this.committed += text.length;
    this.tail = new GrowingText(this.tail.after(text.length));
    if (this.confirmed !== null) this.confirmed = Math.max(0, this.confirmed - text.length);
    if (this.tail.length === 0) this.confirmed = null;
    return shown;
  }

  /** Nothing more of the running attempt belongs to the text that was shown. */
  settle(): ShownPiece {
    if (this.confirmed === null) return NO_PIECE;
    this.tail = new GrowingText(this.tail.toString().slice(0, this.confirmed));
    this.confirmed = null;
    return { text: "", position: this.end };
  }

  private addAgain(text: string, confirmed: number): ShownPiece {
    const tail = this.tail.toString();
    const same = commonLength(tail, confirmed, text);
    const end = confirmed + same;
    if (same === text.length) {
      this.confirmed = end === tail.length ? null : end;
      return NO_PIECE;
    }
    this.tail = new GrowingText(tail.slice(0, end) + text.slice(same));
    this.confirmed = null;
    return { text: text.slice(same), position: end === tail.length ? null : this.committed + end };
  }
}

/** How long `text` is the same as `known` from `at` on, in whole characters. */
function commonLength(known: string, at: number, text: string): number {
  if (known.startsWith(text, at)) return text.length;
  let same = 0;
  while (at + same < known.length && known.charCodeAt(at + same) === text.charCodeAt(same)) same++;
  const last = text.charCodeAt(same - 1);
  return last >= 0xd800 && last <= 0xdbff ? same - 1 : same;
}
