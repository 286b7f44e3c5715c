/**
 * Reads the answer of Anthropic's messages: a list of blocks by index, each with a start, deltas and a stop. Unknown
 * parts are ignored, as its documentation requires. The stop reason with its token counts is the end, whether
 * `message_stop` follows or not.
 */
import { GrowingText } from "../../../actors/growing-text.ts";
import type { CitationMade } from "../answer-citations.ts";
import type { AnswerSink, CountedTokens, EndReason } from "../answer.ts";
import {
  fieldsBeside,
  frameList,
  frameObject,
  frameText,
  isFrame,
  optionalNumber,
  optionalObject,
  optionalText,
  UnreadableFrame,
  untrustedField,
  type WireFrame,
} from "./frame.ts";
import { frameFault } from "../provider-faults.ts";
import { isErrorFrame } from "../provider-words.ts";
import { countIn } from "./cached-tokens.ts";
import { callArguments } from "./call-arguments.ts";
import type { FrameReader } from "./wire-format.ts";

interface OpenToolUse {
  readonly id: string;
  readonly name: string;
  readonly fields: object;
  input: string;
}

/** A block of reasoning. It is sent back unchanged, with its signature. */
interface OpenThinking {
  readonly block: WireFrame;
  readonly text: GrowingText;
  signature: string | undefined;
}

const KNOWN_TOOL_USE_FIELDS: ReadonlySet<string> = new Set(["type", "id", "name", "input"]);

export class MessageEvents implements FrameReader {
  private readonly sink: AnswerSink;
  private readonly calls = new Map<number, OpenToolUse>();
  private readonly thoughts = new Map<number, OpenThinking>();
  private stopReason: string | undefined;
  /** The parts of the input: Anthropic reports them apart from each other. */
  private freshTokens = 0;
  private cacheReads = 0;
  private cacheWrites = 0;
  private hourWrites = 0;
  private serviceTier: unknown;

  constructor(sink: AnswerSink) {
    this.sink = sink;
  }

  take(frame: unknown): void {
    if (!isFrame(frame)) return;
    switch (untrustedField(frame, "type")) {
      case "content_block_delta":
        return this.delta(frame);
      case "content_block_start":
        return this.start(frame);
      case "content_block_stop":
        return this.stop(blockIndex(frame));
      case "message_start":
        return this.began(frameObject(untrustedField(frame, "message")));
      case "message_delta":
        return this.ends(frame);
      case "message_stop":
        return this.ended();
      case "message":
        return this.whole(frame);
      default:
        if (isErrorFrame(frame)) throw frameFault(frame);
    }
  }

  whole(answer: unknown): void {
    if (!isFrame(answer)) return;
    if (untrustedField(answer, "type") !== "message") {
      if (isErrorFrame(answer)) throw frameFault(answer);
      return;
    }
    this.began(answer);
    for (const [index, block] of frameList(answer, "content").entries()) this.wholeBlock(index, frameObject(block));
    this.stopReason = optionalText(answer, "stop_reason") ?? this.stopReason;
    this.sink.usage(this.counted(optionalObject(answer, "usage") ?? {}));
    this.ended();
  }

  /** The end has its own frame; a stream without a stop reason is incomplete. */
  ended(): void {
    if (this.stopReason === undefined) return;
    // Blocks that were cut have no stop.
    for (const index of this.calls.keys()) this.stop(index);
    this.sink.end(messageEndReason(this.stopReason));
  }

  private wholeBlock(index: number, block: WireFrame): void {
    this.start({ index, content_block: block });
    if (untrustedField(block, "type") === "text") {
      this.sink.text(frameText(block, "text"));
      const citations = untrustedField(block, "citations");
      if (Array.isArray(citations)) for (const citation of citations) this.sink.cite(messageCitation(citation));
    }
    this.stop(index);
  }

  private delta(frame: WireFrame): void {
    const delta = frameObject(untrustedField(frame, "delta"));
    switch (untrustedField(delta, "type")) {
      case "text_delta":
        return this.sink.text(frameText(delta, "text"));
      case "thinking_delta": {
        const text = frameText(delta, "thinking");
        this.thoughts.get(blockIndex(frame))?.text.add(text);
        return this.sink.reasoning(text);
      }
      case "signature_delta": {
        const thought = this.thoughts.get(blockIndex(frame));
        if (thought !== undefined) thought.signature = (thought.signature ?? "") + frameText(delta, "signature");
        return;
      }
      case "citations_delta":
        return this.sink.cite(messageCitation(untrustedField(delta, "citation")));
      case "input_json_delta":
        return this.input(blockIndex(frame), frameText(delta, "partial_json"));
      default:
    }
  }

  private start(frame: WireFrame): void {
    const block = frameObject(untrustedField(frame, "content_block"));
    const type = untrustedField(block, "type");
    if (type === "text") return this.sink.beginText();
    if (type === "redacted_thinking") return this.sink.part(block);
    if (type === "thinking") return this.startThought(blockIndex(frame), block);
    if (type !== "tool_use") return;
    this.sink.beginCall();
    const index = blockIndex(frame);
    const fields = fieldsBeside(block, (name) => !KNOWN_TOOL_USE_FIELDS.has(name));
    this.calls.set(index, { id: frameText(block, "id"), name: frameText(block, "name"), fields, input: "" });
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

  private startThought(index: number, block: WireFrame): void {
    const text = new GrowingText();
    this.thoughts.set(index, { block, text, signature: undefined });
    const begun = frameText(block, "thinking");
    if (begun === "") return;
    text.add(begun);
    this.sink.reasoning(begun);
  }

  /** Reasoning without a signature is not taken back. */
  private stopThought({ block, text, signature = frameText(block, "signature") }: OpenThinking): void {
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

  private began(message: WireFrame): void {
    const usage = optionalObject(message, "usage");
    if (usage === undefined) return;
    this.countInput(usage);
    // Counts even if the answer breaks off.
    this.sink.usage(this.counted({}));
  }

  private ends(frame: WireFrame): void {
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

  private countInput(usage: WireFrame): void {
    this.freshTokens = positive(optionalNumber(usage, "input_tokens")) ?? this.freshTokens;
    this.cacheReads = positive(optionalNumber(usage, "cache_read_input_tokens")) ?? this.cacheReads;
    this.cacheWrites = positive(optionalNumber(usage, "cache_creation_input_tokens")) ?? this.cacheWrites;
    this.serviceTier = untrustedField(usage, "service_tier") ?? this.serviceTier;
    this.hourWrites = countIn(untrustedField(usage, "cache_creation"), "ephemeral_1h_input_tokens") ?? this.hourWrites;
  }

  private counted(usage: WireFrame): CountedTokens {
    return {
      inputTokens: this.freshTokens + this.cacheReads + this.cacheWrites,
      outputTokens: optionalNumber(usage, "output_tokens"),
      cachedInputTokens: this.cacheReads,
      cacheWriteTokens: this.cacheWrites,
      hourWriteTokens: this.hourWrites,
      serviceTier: this.serviceTier,
    };
  }
}

const positive = (count: number | undefined): number | undefined => (count === undefined ? count : Math.max(0, count));

/** A citation covers its whole block, and gives its position in the source. */
function messageCitation(citation: unknown): CitationMade {
  const type = untrustedField(citation, "type");
  const [title, citedText] = [untrustedField(citation, "title"), untrustedField(citation, "cited_text")];
  if (type === "web_search_result_location")
    return { type: "url", url: untrustedField(citation, "url"), title, citedText };
  if (type === "search_result_location")
    return { type: "url", url: untrustedField(citation, "source"), title, citedText };
  const pageAfter = untrustedField(citation, "end_page_number");
  return {
    type: "document",
    title: untrustedField(citation, "document_title"),
    documentIndex: untrustedField(citation, "document_index"),
    firstPage: untrustedField(citation, "start_page_number"),
    lastPage: typeof pageAfter === "number" ? pageAfter - 1 : undefined,
    citedText,
  };
}

function blockIndex(frame: WireFrame): number {
  const index = optionalNumber(frame, "index");
  if (index === undefined) throw new UnreadableFrame("`index` is missing");
  return index;
}

function messageEndReason(reason: string): EndReason {
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
