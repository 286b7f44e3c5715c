/**
 * Reads the answer of Anthropic's messages: a list of blocks by index, each with a start, deltas and a stop. Unknown
 * parts are ignored, as its documentation requires. The stop reason with its token counts is the end, whether
 * `message_stop` follows or not.
 */
import { GrowingText } from "../../../actors/growing-text.ts";
import type { CitationMade } from "../answer-citations.ts";
import type { AnswerSink, CountedTokens, EndReason } from "../answer.ts";
import { field } from "../field.ts";
import { streamFault } from "../provider-faults.ts";
import { isErrorFrame } from "../provider-words.ts";
import { callArguments } from "./call-arguments.ts";
import { fieldsBeside } from "./fields-beside.ts";
import {
  type Frame,
  isFrame,
  listOf,
  objectOf,
  optionalNumber,
  optionalObject,
  optionalText,
  textOf,
  UnreadableFrame,
} from "./frame.ts";
import type { FrameReader } from "./wire-format.ts";

interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly fields: object;
  input: string;
}

/** A block of reasoning. It goes back with its signature, as it was. */
interface OpenThought {
  readonly block: Frame;
  readonly text: GrowingText;
  signature: string | undefined;
}

const KNOWN_OF_CALL: ReadonlySet<string> = new Set(["type", "id", "name", "input"]);

export class MessageEvents implements FrameReader {
  private readonly sink: AnswerSink;
  private readonly calls = new Map<number, OpenCall>();
  private readonly thoughts = new Map<number, OpenThought>();
  private stopReason: string | undefined;
  private inputTokens = 0;
  private cachedTokens = 0;

  constructor(sink: AnswerSink) {
    this.sink = sink;
  }

  take(frame: unknown): void {
    if (!isFrame(frame)) return;
    switch (field(frame, "type")) {
      case "content_block_delta":
        return this.delta(frame);
      case "content_block_start":
        return this.start(frame);
      case "content_block_stop":
        return this.stop(indexOf(frame));
      case "message_start":
        return this.began(objectOf(field(frame, "message")));
      case "message_delta":
        return this.ends(frame);
      case "message_stop":
        return this.ended();
      case "message":
        return this.whole(frame);
      default:
        if (isErrorFrame(frame)) throw streamFault(frame);
    }
  }

  whole(answer: unknown): void {
    if (!isFrame(answer)) return;
    if (field(answer, "type") !== "message") {
      if (isErrorFrame(answer)) throw streamFault(answer);
      return;
    }
    this.began(answer);
    for (const [index, block] of listOf(answer, "content").entries()) this.wholeBlock(index, objectOf(block));
    this.stopReason = optionalText(answer, "stop_reason") ?? this.stopReason;
    this.sink.usage(this.counted(optionalObject(answer, "usage") ?? {}));
    this.ended();
  }

  /** The end has its own frame; a stream without a stop reason is not whole. */
  ended(): void {
    if (this.stopReason === undefined) return;
    // Blocks that were cut have no stop.
    for (const index of this.calls.keys()) this.stop(index);
    this.sink.end(endReason(this.stopReason));
  }

  private wholeBlock(index: number, block: Frame): void {
    this.start({ index, content_block: block });
    if (field(block, "type") === "text") {
      this.sink.text(textOf(block, "text"));
      const citations = field(block, "citations");
      if (Array.isArray(citations)) for (const citation of citations) this.sink.cite(citationOf(citation));
    }
    this.stop(index);
  }

  private delta(frame: Frame): void {
    const delta = objectOf(field(frame, "delta"));
    switch (field(delta, "type")) {
      case "text_delta":
        return this.sink.text(textOf(delta, "text"));
      case "thinking_delta": {
        const text = textOf(delta, "thinking");
        this.thoughts.get(indexOf(frame))?.text.add(text);
        return this.sink.reasoning(text);
      }
      case "signature_delta": {
        const thought = this.thoughts.get(indexOf(frame));
        if (thought !== undefined) thought.signature = (thought.signature ?? "") + textOf(delta, "signature");
        return;
      }
      case "citations_delta":
        return this.sink.cite(citationOf(field(delta, "citation")));
      case "input_json_delta":
        return this.input(indexOf(frame), textOf(delta, "partial_json"));
      default:
    }
  }

  private start(frame: Frame): void {
    const block = objectOf(field(frame, "content_block"));
    const type = field(block, "type");
    if (type === "text") return this.sink.beginText();
    if (type === "redacted_thinking") return this.sink.part(block);
    if (type === "thinking") return this.startThought(indexOf(frame), block);
    if (type !== "tool_use") return;
    this.sink.beginCall();
    const index = indexOf(frame);
    const fields = fieldsBeside(block, (name) => !KNOWN_OF_CALL.has(name));
    this.calls.set(index, { id: textOf(block, "id"), name: textOf(block, "name"), fields, input: "" });
    // Empty if the arguments come in deltas.
    const input = optionalObject(block, "input");
    if (input !== undefined && Object.keys(input).length > 0) this.input(index, JSON.stringify(input));
  }

  private input(index: number, piece: string): void {
    const call = this.calls.get(index);
    if (call === undefined || piece === "") return;
    call.input += piece;
    this.sink.callInput(String(index), piece);
  }

  private startThought(index: number, block: Frame): void {
    const text = new GrowingText();
    this.thoughts.set(index, { block, text, signature: undefined });
    const begun = textOf(block, "thinking");
    if (begun === "") return;
    text.add(begun);
    this.sink.reasoning(begun);
  }

  /** Reasoning without a signature is not taken back. */
  private stopThought({ block, text, signature = textOf(block, "signature") }: OpenThought): void {
    if (signature !== "") this.sink.part({ ...block, thinking: text.toString(), signature });
  }

  private stop(index: number): void {
    const thought = this.thoughts.get(index);
    if (thought !== undefined) this.stopThought(thought);
    this.thoughts.delete(index);
    const call = this.calls.get(index);
    if (call === undefined) return;
    this.calls.delete(index);
    const { id, name, fields } = call;
    this.sink.call({ id, name, input: callArguments(call.input), fields });
  }

  private began(message: Frame): void {
    const usage = optionalObject(message, "usage");
    if (usage === undefined) return;
    this.countInput(usage);
    // Counts even if the answer breaks off.
    this.sink.usage(this.counted({}));
  }

  private ends(frame: Frame): void {
    const delta = optionalObject(frame, "delta");
    if (delta !== undefined) this.stopReason = optionalText(delta, "stop_reason") ?? this.stopReason;
    const usage = optionalObject(frame, "usage");
    if (usage !== undefined) {
      this.countInput(usage);
      this.sink.usage(this.counted(usage));
    }
    if (this.stopReason === undefined) return;
    if (usage !== undefined) this.ended();
    else this.sink.whole(() => this.ended());
  }

  private countInput(usage: Frame): void {
    this.inputTokens = optionalNumber(usage, "input_tokens") ?? this.inputTokens;
    const read = optionalNumber(usage, "cache_read_input_tokens");
    const written = optionalNumber(usage, "cache_creation_input_tokens");
    if (read !== undefined || written !== undefined) this.cachedTokens = (read ?? 0) + (written ?? 0);
  }

  private counted(usage: Frame): CountedTokens {
    return {
      inputTokens: this.inputTokens + this.cachedTokens,
      outputTokens: optionalNumber(usage, "output_tokens"),
    };
  }
}

/** A citation covers its whole block, and gives its position in the source. */
function citationOf(citation: unknown): CitationMade {
  const type = field(citation, "type");
  const [title, citedText] = [field(citation, "title"), field(citation, "cited_text")];
  if (type === "web_search_result_location") return { type: "url", url: field(citation, "url"), title, citedText };
  if (type === "search_result_location") return { type: "url", url: field(citation, "source"), title, citedText };
  const pageAfter = field(citation, "end_page_number");
  return {
    type: "document",
    title: field(citation, "document_title"),
    documentIndex: field(citation, "document_index"),
    firstPage: field(citation, "start_page_number"),
    lastPage: typeof pageAfter === "number" ? pageAfter - 1 : undefined,
    citedText,
  };
}

function indexOf(frame: Frame): number {
  const index = optionalNumber(frame, "index");
  if (index === undefined) throw new UnreadableFrame("`index` is missing");
  return index;
}

function endReason(reason: string): EndReason {
  switch (reason) {
    case "end_turn":
    case "stop_sequence":
    case "pause_turn":
      return "stop";
    case "tool_use":
      return "tool_use";
    case "max_tokens":
    case "model_context_window_exceeded":
      return "length";
    case "refusal":
      return "refusal";
    default:
      return "other";
  }
}
