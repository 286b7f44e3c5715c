/** The source of an event stream's text: a cursor that renders the events after it. */

/** The source has nothing now: ask again after its `onChange`. */
export const QUIET = Symbol("quiet");
export const isEventStream = ({ headers }: Response): boolean =>
  headers.get("content-type")?.startsWith("text/event-stream") === true;
export type StreamPiece = string | Uint8Array;

/** What takes the pieces of a stream: a socket, or a reader in this process. */
export interface StreamSink {
  /** A promise: there is no room for more until it resolves. */
  write(piece: StreamPiece): number | Promise<number>;
  end(): unknown;
}

/** A reader in this process. */
export interface InnerReader extends StreamSink {
  /** Aborted when it reads no more. */
  readonly signal: AbortSignal;
  /**
   * A source may leave records here, and have a comment in place of their text: the reader takes them with the next
   * piece.
   */
  readonly inbox: unknown[];
}

/** Why a stream ends early. */
export type Interruption = "shutdown" | "failure" | "revoked" | "slow_consumer" | "expired";

/** The same as reasons of `stream.closing`. */
export const CLOSING_REASON_OF = {
  shutdown: "deploy",
  failure: "unavailable",
  revoked: "revoked",
  slow_consumer: "slow_consumer",
  expired: "expired",
} as const satisfies Readonly<Record<Interruption, string>>;

export interface EventSource {
  /**
   * New events, encoded; an empty piece if there is nothing yet but more to ask for; null when the stream is over. A
   * returned piece counts as sent: a caller that drops it loses it.
   */
  next(): StreamPiece | typeof QUIET | null | Promise<StreamPiece | null>;
  /** Runs once when `next` may return more than `QUIET`. */
  onChange?(run: () => void): void;
  /**
   * Whether its reader reads at the moment of the change. Otherwise it reads at the end of this turn of the loop, so
   * that readers of many changes get them in one write.
   */
  readonly isImmediate?: boolean;
  /** Whether its reader lags so far that it is disconnected (SSE-5). */
  readonly isTooSlow?: boolean;
  /** Itself, if its reader may share it with others after catching up; null if the reader must wait alone. */
  shared?(): SharedSource | null;
  /** Ends a waiting `next` and releases what it holds. Idempotent. */
  close(): void;
  /** The final event of a stream that ends early. */
  lastWords(reason: Interruption): string;
}

/** A source that many readers can share while they get the same events. */
export interface SharedSource extends EventSource {
  onChange(run: () => void): void;
  /** The stream that it is a position in; only positions in the same stream can be equal. */
  readonly stream: object;
  /** Whether the other source will yield the same from here on, and the same last words. */
  isWith(other: SharedSource): boolean;
  /** A copy at the same position. */
  fork(): SharedSource;
}
