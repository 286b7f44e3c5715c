/**
 * The stream of a response, and its continuation after a sequence number.
 *
 * Numbers are the same for every reader, however the text comes in pieces: an event counts one, and a delta counts the
 * units of its text. So a reader that begins again sends what follows a number to the character. A number also has a
 * check of the text before it. If a step began again with different text meanwhile, the check fails, and the stream ends
 * with an error in place of text that does not belong together: then the client reads the response itself. A run that has
 * failed before its client had any text of a message just ends with that failure.
 *
 * Reasoning comes with the commit of its step: behind the text of the step for a reader who was there, before it for one
 * who reads only what is stored. Here it always follows the text, so that both have the same numbers.
 *
 *   sequence_number = (events + units of text) * 2^20 + check of the open message's text
 */
import type { Interruption } from "../../http/stream/event-source.ts";
import { sseNote } from "../../http/stream/sse.ts";
import { endingOf, type RunFrames } from "../runs/followed-run.ts";
import type { RunItem } from "../runs/run-item.ts";
import type { RunPart } from "../runs/run-translation.ts";
import { RESTARTED, STREAM_ERRORS } from "./run-errors.ts";
import { errorEvent, type ResponseEvent, type ResponseState } from "./response-state.ts";
import { ResponseWriter } from "./response-table.ts";

const CHECK_SIZE = 2 ** 20;
/** FNV-1a. */
const HASH_START = 2_166_136_261;
const HASH_FACTOR = 16_777_619;

function hashed(hash: number, text: string): number {
  let next = hash;
  for (let at = 0; at < text.length; at++) next = Math.imul(next ^ text.charCodeAt(at), HASH_FACTOR);
  return next;
}

const checkOf = (hash: number): number => (hash >>> 0) % CHECK_SIZE;

export class ResponseFrames implements RunFrames {
  hasEnded = false;
  private readonly writer: ResponseWriter;
  /** The position and the check that the client has; -1: none. */
  private readonly known: { readonly position: number; readonly check: number };
  private position = 0;
  private hash = HASH_START;
  /** Reasoning whose step has no complete text yet. */
  private reasoning: RunItem[] = [];

  /** `after`: the sequence number of the last event that the client has; null: none. */
  constructor(state: ResponseState, after: number | null, part: Pick<RunPart, "endsAtApprovals"> = {}) {
    this.writer = new ResponseWriter(state, part);
    this.known =
      after === null
        ? { position: -1, check: 0 }
        : { position: Math.floor(after / CHECK_SIZE), check: after % CHECK_SIZE };
  }

  opening(): string {
    const response = this.writer.state.view();
    return this.event({ type: "response.created", response }) + this.event({ type: "response.in_progress", response });
  }

  frames(item: RunItem): string {
    return this.inOrder(item).reduce((text, one) => (this.hasEnded ? text : text + this.framesOf(one)), "");
  }

  private inOrder(item: RunItem): readonly RunItem[] {
    if (item.kind === "reasoning") {
      this.reasoning.push(item);
      return [];
    }
    if (this.reasoning.length === 0 || item.kind === "text") return [item];
    const before = this.reasoning;
    this.reasoning = [];
    return item.kind === "text_done" ? [item, ...before] : [...before, item];
  }

  private framesOf(item: RunItem): string {
    let text = "";
    for (const event of this.writer.take(item)) {
      if (this.hasEnded) return text;
      text += event["type"] === "response.output_text.delta" ? this.delta(event) : this.event(event);
    }
    // The client has a number past the end: its text cannot be the run's.
    if (endingOf(item) !== "no" && !this.hasEnded && this.position < this.known.position)
      text += this.rendered(errorEvent(RESTARTED));
    if (this.writer.isRestarted) this.hasEnded = true;
    return text;
  }

  interrupted(reason: Interruption): string {
    return this.rendered(errorEvent(STREAM_ERRORS[reason]));
  }

  private event(event: ResponseEvent): string {
    if (event.type === "response.failed" && this.isClientWithoutText) this.skipToClient();
    this.position++;
    if (event["type"] === "response.output_item.added") this.hash = HASH_START;
    if (this.position < this.known.position) return "";
    if (this.position === this.known.position) return this.checked();
    return this.rendered(event);
  }

  /** The part of a delta that the client does not have. */
  private delta(event: ResponseEvent): string {
    const text = String(event["delta"]);
    const start = this.position;
    const end = start + text.length;
    const { position } = this.known;
    if (position <= start) {
      this.position = end;
      this.hash = hashed(this.hash, text);
      return this.rendered(event);
    }
    const had = text.slice(0, position - start);
    this.hash = hashed(this.hash, had);
    this.position = start + had.length;
    const wrong = this.position === position ? this.checked() : "";
    const rest = text.slice(had.length);
    if (rest === "" || this.hasEnded) return wrong;
    this.position = end;
    this.hash = hashed(this.hash, rest);
    return this.rendered({ ...event, delta: rest });
  }

  /** The reader is where the client was: nothing, or an error if the client's text is another one. */
  private checked(): string {
    if (this.check === this.known.check) return "";
    this.hasEnded = true;
    return this.rendered(errorEvent(RESTARTED));
  }

  private get check(): number {
    return checkOf(this.hash);
  }

  /**
   * Whether the client is ahead only by the frames that open a message: it has none of its text. An attempt began that
   * message, and the run has failed before any of it was stored.
   */
  private get isClientWithoutText(): boolean {
    return this.known.position > this.position && this.known.check === checkOf(HASH_START);
  }

  private skipToClient(): void {
    this.position = this.known.position;
    this.hash = HASH_START;
  }

  private rendered(event: ResponseEvent): string {
    return sseNote(event.type, { ...event, sequence_number: this.position * CHECK_SIZE + this.check });
  }
}
