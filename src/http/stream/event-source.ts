/** Where the text of an event stream comes from: a cursor that renders what follows it. */

/** A source that has nothing now: it is asked again after its `onChange`. */
export const QUIET = Symbol("quiet");
export type Piece = string | Uint8Array;

/** Why a stream ends before it is over. */
export type Interruption = "shutdown" | "failure" | "revoked" | "slow_consumer" | "expired";

export interface EventSource {
  /**
   * What is new, as encoded events; an empty piece where there is nothing yet, but more to ask for; null
   * when the stream is over. A piece that is answered counts as told: who drops it loses it.
   */
  next(): Piece | typeof QUIET | null | Promise<Piece | null>;
  /** Runs once when `next` may have more than `QUIET`. */
  onChange?(run: () => void): void;
  /**
   * Whether its reader reads in the moment of the change. Else it reads at the end of this turn of the loop,
   * so that readers of many changes get them in one write.
   */
  readonly isImmediate?: boolean;
  /** Whether its reader is so far behind that it is let go (SSE-5). */
  readonly isTooSlow?: boolean;
  /** Itself, where its reader may wait together with others once it has all; null where it waits alone. */
  shared?(): SharedSource | null;
  /** Ends a waiting `next` and gives up what it holds. Idempotent. */
  close(): void;
  /** The last words of a stream that ends before it is over. */
  lastWords(reason: Interruption): string;
}

/** A source that can stand for many readers, for as long as they are told the same. */
export interface SharedSource extends EventSource {
  onChange(run: () => void): void;
  /** What it is a place in; only places in the same stream can be the same. */
  readonly stream: object;
  /** Whether the other will say the same from here on, and the same last words. */
  isWith(other: SharedSource): boolean;
  /** Another one at the same place. */
  fork(): SharedSource;
}
