/**
 * Reads the answer of chat completions. A chunk has the delta of one choice; token counts come in a chunk of their own
 * or in any other. Servers differ in almost everything; the rows of `test/support/chat-quirks.ts` say what the clients
 * of OpenAI, of the AI SDK and of LangChain make of it, and what we do.
 *
 *   delta … ─▶ finish reason ─┬─ with its token counts, or `[DONE]` ─▶ the end
 *                             └─ nothing more, or a fault ──────────▶ the end: the answer is whole
 *
 * What has no meaning for us is ignored. If there was nothing else, the answer is refused, so that it is no empty
 * success.
 */
import { cutText } from "../../../actors/cut-text.ts";
import type { Thinking } from "../../../actors/job/model-entry.ts";
import type { AnswerSink, CountedTokens, EndReason } from "../answer.ts";
import { AnswerRefused } from "../answer-limits.ts";
import { cachedTokensIn, countIn } from "./cached-tokens.ts";
import { fieldsBeside, isFrame, untrustedField, type WireFrame } from "./frame.ts";
import { frameFault } from "../provider-faults.ts";
import { isErrorFrame } from "../provider-words.ts";
import { StreamedCalls } from "./streamed-calls.ts";
import { ThinkingText } from "./thinking-text.ts";
import type { FrameReader } from "./wire-format.ts";

/** Most servers use the first name, some servers of open models the second. */
export const REASONING = ["reasoning_content", "reasoning"] as const;
/** Fields of a delta that we read ourselves; the others are provider state. */
const KNOWN_DELTA_FIELDS: ReadonlySet<string> = new Set([
  ...REASONING,
  "role",
  "content",
  "refusal",
  "annotations",
  "tool_calls",
  "function_call",
]);
export const isUnknownDeltaField = (name: string): boolean => !KNOWN_DELTA_FIELDS.has(name);
/** Fields of a delta that are no content. */
const NO_CONTENT: ReadonlySet<string> = new Set(["role", "name", "annotations", "reasoning_details", "extra_content"]);
/** Characters of the name of a field that a message quotes. */
const MAX_FIELD_CHARS = 32;

export class ChatChunks implements FrameReader {
  private readonly sink: AnswerSink;
  private readonly calls: StreamedCalls;
  private readonly spoken: ThinkingText;
  /** The index of the choice that is the answer; undefined before its first chunk. */
  private choice: number | undefined;
  private finishReason: string | undefined;
  private usage: CountedTokens | undefined;
  private serviceTier: unknown;
  /** Pieces of text, reasoning and calls so far. */
  private pieces = 0;
  private hasCalls = false;
  private hasRefusal = false;
  /** The text of messages that came in place of deltas. */
  private messageText = "";
  /** A field with content that we cannot read. */
  private unread: string | undefined;
  private isOver = false;

  constructor(sink: AnswerSink, thinking: Thinking) {
    this.sink = sink;
    this.spoken = new ThinkingText(sink, thinking);
    this.calls = new StreamedCalls(sink);
  }

  take(value: unknown): void {
    if (Array.isArray(value)) return value.forEach((frame) => this.take(frame));
    if (this.isOver || !isFrame(value)) return;
    const choices = untrustedField(value, "choices");
    const error = untrustedField(value, "error");
    if (Boolean(error) || (!Array.isArray(choices) && isErrorFrame(value))) throw frameFault(value);
    this.serviceTier = untrustedField(value, "service_tier") ?? this.serviceTier;
    const usage = countedTokens(untrustedField(value, "usage"));
    if (usage !== undefined) this.usage = usage;
    const before = this.pieces;
    const choice = Array.isArray(choices) ? this.own(choices) : undefined;
    if (choice !== undefined) this.part(choice);
    if (this.finishReason === undefined) return;
    // Moonshot reports token counts within the choice, and Groq in its own field.
    const counted =
      usage ??
      countedTokens(untrustedField(choice, "usage")) ??
      countedTokens(untrustedField(untrustedField(value, "x_groq"), "usage"));
    if (counted !== undefined) this.usage = counted;
    // Some servers repeat both in each chunk, so content beside them is not the end.
    if (counted !== undefined && this.pieces === before) this.end();
    else this.sink.whole(() => this.end());
  }

  whole(answer: unknown): void {
    this.take(answer);
    this.ended(true);
  }

  ended(isMarked: boolean): void {
    if (this.finishReason !== undefined || (isMarked && this.pieces > 0)) this.end();
  }

  /** The part of the chunk for the one choice that we request. */
  private own(choices: readonly unknown[]): WireFrame | undefined {
    if (choices.length === 1) {
      const [only] = choices;
      if (!isFrame(only)) return undefined;
      const index = choiceIndex(only);
      this.choice ??= index;
      return index === undefined || index === this.choice ? only : undefined;
    }
    const frames = choices.filter(isFrame);
    const first = frames.find((one) => (choiceIndex(one) ?? 0) === (this.choice ?? 0)) ?? frames[0];
    if (first === undefined) return undefined;
    this.choice ??= choiceIndex(first);
    return (choiceIndex(first) ?? this.choice) === this.choice ? first : undefined;
  }

  private part(choice: WireFrame): void {
    const delta = untrustedField(choice, "delta");
    if (isFrame(delta)) this.delta(delta);
    else {
      const message = untrustedField(choice, "message");
      if (isFrame(message)) this.message(message);
      else if (isSomething(untrustedField(choice, "text"))) this.unread ??= "text";
    }
    const reason = untrustedField(choice, "finish_reason");
    // Some servers send these in place of null.
    if (typeof reason === "string" && reason !== "" && reason !== "null") this.finishReason = reason;
    if (reason === "error") throw frameFault(choice);
  }

  private delta(delta: WireFrame): void {
    const content = untrustedField(delta, "content");
    if (typeof content === "string" && isOnlyText(delta)) return this.text(content);
    this.thoughts(delta);
    if (Object.keys(delta).some(isUnknownDeltaField)) this.sink.messageFields(fieldsBeside(delta, isUnknownDeltaField));
    if (typeof content === "string") this.text(content);
    else if (content !== undefined && content !== null) this.content(content);
    const annotations = untrustedField(delta, "annotations");
    if (Array.isArray(annotations)) this.cite(annotations);
    // Some servers send `false`.
    const refusal = untrustedField(delta, "refusal");
    if (typeof refusal === "string" && refusal !== "") {
      this.hasRefusal = true;
      this.pieces += 1;
      this.sink.text(refusal);
    }
    this.callPieces(delta);
    if (this.pieces === 0) this.noteUnread(delta);
  }

  private text(text: string): void {
    if (text === "") return;
    this.pieces += 1;
    this.spoken.take(text);
  }

  private thought(text: unknown): void {
    if (typeof text !== "string" || text === "") return;
    this.pieces += 1;
    this.sink.reasoning(text);
  }

  /** Some servers send it under both names. It goes back under the same ones. */
  private thoughts(delta: WireFrame): void {
    let isShown = false;
    for (const name of REASONING) {
      const piece = untrustedField(delta, name);
      if (typeof piece !== "string" || piece === "") continue;
      this.spoken.isTold();
      if (!isShown) this.thought(piece);
      isShown = true;
      this.sink.messageText(name, piece);
    }
  }

  /** A message in place of a delta: a whole one, a part of it, or all of it so far. */
  private message(message: WireFrame): void {
    const content = untrustedField(message, "content");
    if (typeof content !== "string") return this.delta(message);
    const isMore = content.startsWith(this.messageText);
    const text = isMore ? content.slice(this.messageText.length) : content;
    this.messageText = isMore ? content : this.messageText + content;
    this.delta({ ...message, content: text });
  }

  private callPieces(delta: WireFrame): void {
    const calls = untrustedField(delta, "tool_calls");
    const pieces = Array.isArray(calls) ? (calls as readonly unknown[]) : [calls];
    for (const piece of pieces) if (isFrame(piece)) this.callPiece(piece);
    // The only call of an answer in the form before `tool_calls`; some servers send both forms.
    const made = untrustedField(delta, "function_call");
    if (!isFrame(made) || this.hasCalls) return;
    this.pieces += 1;
    this.calls.take({ index: 0, function: made });
  }

  private callPiece(piece: WireFrame): void {
    this.hasCalls = true;
    this.pieces += 1;
    this.calls.take(piece);
  }

  /** Annotations in the form of OpenAI's search models, which OpenRouter uses for others too. */
  private cite(annotations: readonly unknown[]): void {
    for (const annotation of annotations) {
      const source = untrustedField(annotation, "url_citation");
      const of = (name: string): unknown => untrustedField(source, name);
      if (untrustedField(annotation, "type") === "url_citation")
        this.sink.cite({
          type: "url",
          url: of("url"),
          title: of("title"),
          citedText: of("content"),
          start: of("start_index"),
          end: of("end_index"),
        });
    }
  }

  /** Content that is no text: parts of text and of reasoning, as Mistral's models send them, or a number. */
  private content(content: unknown): void {
    if (typeof content === "number") return this.text(String(content));
    const parts = Array.isArray(content) ? (content as readonly unknown[]) : [content];
    for (const part of parts) {
      const text = typeof part === "string" ? part : untrustedField(part, "text");
      const thinking = untrustedField(part, "thinking");
      if (typeof text === "string") this.text(text);
      else if (Array.isArray(thinking)) for (const thought of thinking) this.thought(untrustedField(thought, "text"));
      else if (typeof thinking === "string") this.thought(thinking);
      else this.unread ??= "content";
    }
  }

  private noteUnread(delta: WireFrame): void {
    for (const [name, value] of Object.entries(delta))
      if (!NO_CONTENT.has(name) && isSomething(value)) this.unread ??= cutText(name, MAX_FIELD_CHARS);
  }

  private end(): void {
    if (this.isOver) return;
    this.isOver = true;
    if (this.pieces === 0 && this.unread !== undefined)
      throw new AnswerRefused(`it has no text and no calls, only \`${this.unread}\`, which the service cannot read`);
    const reason = this.endReason();
    const isCut = reason === "length" || reason === "content_filter";
    this.spoken.end(!isCut);
    this.calls.end(isCut);
    if (this.usage !== undefined) this.sink.usage({ ...this.usage, serviceTier: this.serviceTier });
    this.sink.end(reason);
  }

  private endReason(): EndReason {
    const reason = FINISH_REASONS[(this.finishReason ?? "").toLowerCase()] ?? "other";
    return this.hasRefusal && (reason === "stop" || reason === "other") ? "refusal" : reason;
  }
}

const isSomething = (value: unknown): boolean =>
  value !== null &&
  value !== undefined &&
  value !== "" &&
  value !== false &&
  !(Array.isArray(value) && value.length === 0);

/** Whether a delta has nothing but text, as most have: its other fields need not be looked for. */
function isOnlyText(delta: WireFrame): boolean {
  for (const name in delta) if (name !== "content") return false;
  return true;
}

/** The index of a choice; undefined if it has none. */
function choiceIndex(choice: WireFrame): number | undefined {
  const index = untrustedField(choice, "index");
  const number = typeof index === "string" ? Number.parseInt(index, 10) : index;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** Undefined if it counts nothing. */
function countedTokens(usage: unknown): CountedTokens | undefined {
  if (!isFrame(usage)) return undefined;
  const inputTokens = countIn(usage, "prompt_tokens") ?? countIn(usage, "input_tokens");
  const outputTokens = countIn(usage, "completion_tokens") ?? countIn(usage, "output_tokens");
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return { inputTokens, outputTokens, ...cachedTokensIn(usage) };
}

/** Maps the finish reasons of OpenAI, and of servers that pass on those of other providers. */
const FINISH_REASONS: Readonly<Record<string, EndReason>> = {
  stop: "stop",
  stop_sequence: "stop",
  end_turn: "stop",
  eos: "stop",
  eos_token: "stop",
  length: "length",
  max_tokens: "length",
  model_length: "length",
  content_filter: "content_filter",
  safety: "content_filter",
  recitation: "content_filter",
  prohibited_content: "content_filter",
  sensitive: "content_filter",
  refusal: "refusal",
  tool_calls: "tool_use",
  tool_use: "tool_use",
  function_call: "tool_use",
};
