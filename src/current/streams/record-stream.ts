/**
 * The stream of one chat or job: a reader's cursor, its frames, and its end (SSE-3 to SSE-6).
 *
 *   replay ─▶ live ─┬─ the job or the awaited chat turn has ended, or the chat is deleted ──▶ `stream.end`
 *                   └─ ended by the service ──▶ `stream.closing`, with the cursor to resume from
 */
import type { StreamItem } from "../../../actors/runtime/streams/replay.ts";
import type { Subscription } from "../../../actors/runtime/streams/subscription.ts";
import {
  CLOSING_REASON_OF,
  type Interruption,
  type StreamPiece,
  QUIET,
  type SharedSource,
} from "../../http/stream/event-source.ts";
import { type StreamKind, cursorAfter, writeOf } from "./frames.ts";
import { sseNote } from "../../http/stream/sse.ts";

/** When a stream ends. `seq`: after this event, or at once if the reader has it already. */
export type StreamEnd =
  | { readonly kind: "never" }
  | { readonly kind: "at_seq"; readonly seq: number }
  /** After the event that `endOf` names; `endOf` is called after events of these types until it names one. */
  | {
      readonly kind: "asked";
      readonly after: ReadonlySet<string>;
      readonly endOf: () => Promise<number | null>;
    };

/** Reasons for `stream.closing`. */
export const CLOSING_REASONS = ["deploy", "unavailable", "revoked", "slow_consumer", "expired", "moved"] as const;
type ClosingReason = (typeof CLOSING_REASONS)[number];

export class RecordStream implements SharedSource {
  private readonly kind: StreamKind;
  private readonly subscription: Subscription;
  private ending: StreamEnd;
  /** The cursor of what was sent; items that were only fetched do not count. */
  private cursor: string;
  private fetched: readonly StreamItem[] | null = null;
  private mayHaveEnded = false;
  private isOver = false;

  /** `cursor` is where it begins. */
  constructor(kind: StreamKind, subscription: Subscription, ending: StreamEnd, cursor: string) {
    this.kind = kind;
    this.subscription = subscription;
    this.ending = ending;
    this.cursor = cursor;
  }

  next(): StreamPiece | typeof QUIET | null | Promise<StreamPiece | null> {
    if (this.isOver) return null;
    if (this.mayHaveEnded) return this.askForEnd();
    const { ending, subscription, fetched } = this;
    if (fetched !== null) return this.pieceOf(fetched);
    if (subscription.isLost) return this.over(this.closing("moved"));
    if (ending.kind === "at_seq" && subscription.seq >= ending.seq) return this.over(END);
    const items = subscription.take();
    if (items === null) return this.fetch();
    return items.length === 0 ? QUIET : this.pieceOf(items);
  }

  /** With a lost subscription there is nothing to wait for: the reader gets the end as soon as it has room. */
  onChange(run: () => void): void {
    if (!this.subscription.isLost) this.subscription.onChange(run);
  }

  get isTooSlow(): boolean {
    return this.subscription.isTooSlow;
  }

  get stream(): object {
    return this.subscription.stream;
  }

  /** Null for a stream with its own end: it waits for that alone. */
  shared(): SharedSource | null {
    return this.ending.kind === "never" && !this.isOver ? this : null;
  }

  isWith(other: RecordStream): boolean {
    const isBetween = this.fetched !== null || other.fetched !== null || this.shared() === null;
    return (
      !isBetween &&
      this.kind === other.kind &&
      this.cursor === other.cursor &&
      this.subscription.isWith(other.subscription)
    );
  }

  fork(): SharedSource {
    const fork = new RecordStream(this.kind, this.subscription.fork(), this.ending, this.cursor);
    fork.fetched = this.fetched;
    return fork;
  }

  close(): void {
    this.subscription.close();
  }

  lastWords(reason: Interruption): string {
    return this.closing(CLOSING_REASON_OF[reason]);
  }

  private closing(reason: ClosingReason): string {
    return sseNote("stream.closing", { reason, resume_after: this.cursor });
  }

  private async fetch(): Promise<StreamPiece> {
    const items = await this.subscription.nextPage();
    if (items.length > 0) this.fetched = items;
    return "";
  }

  private pieceOf(items: readonly StreamItem[]): StreamPiece {
    const { ending } = this;
    this.fetched = null;
    this.cursor = cursorAfter(items.at(-1)!);
    const { bytes, isFarewell } = writeOf(this.kind, items);
    if (isFarewell) this.ending = { kind: "at_seq", seq: 0 };
    else if (ending.kind === "asked")
      this.mayHaveEnded = items.some((item) => item.kind === "event" && ending.after.has(item.event.type));
    return bytes;
  }

  private async askForEnd(): Promise<StreamPiece> {
    const { ending } = this;
    const seq = ending.kind === "asked" ? await ending.endOf() : null;
    if (seq !== null) this.ending = { kind: "at_seq", seq };
    this.mayHaveEnded = false;
    return "";
  }

  private over(words: string): string {
    this.isOver = true;
    return words;
  }
}

const END = sseNote("stream.end", {});
