/**
 * Anthropic's messages. An answer is a list of blocks by index, each with a start, deltas and a stop; unknown parts are
 * ignored, as its documentation requires.
 */
import { GrowingText } from "../../../actors/growing-text.ts";
import type { CitationMade } from "../answer-citations.ts";
import type { AnswerSink, CountedTokens, EndReason } from "../answer.ts";
import { type DataPart, fileText, isPdf, isTextFile, UnspeakableFile } from "../content.ts";
import type { Message } from "../conversation.ts";
import { field } from "../field.ts";
import { streamFault } from "../provider-faults.ts";
import { isClosed } from "./closed-schema.ts";
import { callArguments } from "./call-arguments.ts";
import {
  type Frame,
  objectOf,
  optionalNumber,
  optionalObject,
  optionalText,
  textOf,
  UnreadableFrame,
} from "./frame.ts";
import { fieldsBeside } from "./fields-beside.ts";
import { longestAnswer } from "./longest-answer.ts";
import type { Base64, FrameReader, WireCall, WireFormat } from "./wire-format.ts";

const VERSION = "2023-06-01";

export const messages: WireFormat = {
  path: "/messages",
  headers: (apiKey) => ({ "anthropic-version": VERSION, ...(apiKey === null ? {} : { "x-api-key": apiKey }) }),
  body,
  reader: (sink) => new MessagesReader(sink),
};

function body({ model, system, messages: conversation, tools, outputSchema, base64 }: WireCall): object {
  // The documents of a request must all allow citations or none, and an answer with a schema cannot cite.
  const cites = outputSchema === null && conversation.some(asksForCitations);
  return {
    model,
    max_tokens: longestAnswer(model),
    ...(system === "" ? {} : { system: [{ type: "text", text: system }] }),
    messages: turns(conversation, { cites, base64 }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, inputSchema }) => ({
            name,
            description,
            input_schema: inputSchema,
            // Streams arguments as they are written; otherwise a long one looks like silence.
            eager_input_streaming: true,
          })),
          tool_choice: { type: "auto" },
        }),
    // Anthropic accepts only closed schemas; for others only our own check applies.
    ...(outputSchema !== null && isClosed(outputSchema)
      ? { output_config: { format: { type: "json_schema", schema: outputSchema } } }
      : {}),
    stream: true,
  };
}

interface Documents {
  readonly cites: boolean;
  readonly base64: Base64;
}

const asksForCitations = (message: Message): boolean =>
  message.role === "user" &&
  typeof message.content !== "string" &&
  message.content.some((part) => part.type === "file" && part.citations === true);

/** Consecutive messages of one role become one message. */
function turns(conversation: readonly Message[], documents: Documents): object[] {
  const joined: { role: "user" | "assistant"; content: { type: string; text?: string }[] }[] = [];
  for (const message of conversation) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = joined.at(-1);
    if (last?.role === role) last.content.push(...blocks(message, documents));
    else joined.push({ role, content: blocks(message, documents) });
  }
  // A call must be followed by its result, so calls go last in a message.
  for (const { content } of joined)
    content.sort((a, b) => Number(a.type === "tool_use") - Number(b.type === "tool_use"));
  // A partial answer to continue must not end in white space.
  const last = joined.at(-1);
  const block = last?.content.at(-1);
  if (last?.role === "assistant" && block?.text !== undefined) block.text = block.text.trim();
  return joined;
}

function blocks(message: Message, documents: Documents): { type: string; text?: string }[] {
  switch (message.role) {
    case "user":
      return typeof message.content === "string"
        ? [{ type: "text", text: message.content }]
        : message.content.map((part) => (part.type === "text" ? part : dataBlock(part, documents)));
    case "assistant":
      return message.parts.flatMap((part) => [
        ...((part.before ?? []) as unknown as { type: string }[]),
        part.kind === "text"
          ? { type: "text", text: part.text }
          : { ...part.fields, type: "tool_use", id: part.id, name: part.name, input: part.input },
      ]);
    case "tool":
      return message.results.map(({ id, text, isError }) => ({
        type: "tool_result",
        tool_use_id: id,
        content: text,
        ...(isError ? { is_error: true } : {}),
      }));
  }
}

function dataBlock(part: DataPart, { cites, base64 }: Documents): { type: string; source: object } {
  const { type, mediaType, name: title, data } = part;
  if (isTextFile(part))
    return document({ source: { type: "text", media_type: "text/plain", data: fileText(part) }, title }, cites);
  if (type === "file" && !isPdf(part)) throw new UnspeakableFile(part);
  const source = { type: "base64", media_type: mediaType, data: base64(data) };
  return type === "image" ? { type, source } : document({ source, title }, cites);
}

const document = (of: { readonly source: object; readonly title: string | undefined }, cites: boolean) => ({
  type: "document",
  ...of,
  ...(cites ? { citations: { enabled: true } } : {}),
});

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

class MessagesReader implements FrameReader {
  private readonly sink: AnswerSink;
  private readonly calls = new Map<number, OpenCall>();
  private readonly thoughts = new Map<number, OpenThought>();
  private stopReason: string | undefined;
  private inputTokens = 0;
  private cachedTokens = 0;

  constructor(sink: AnswerSink) {
    this.sink = sink;
  }

  take(value: unknown): void {
    const frame = objectOf(value);
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
        if (this.stopReason !== undefined) this.sink.end(endReason(this.stopReason));
        return;
      case "error":
        throw streamFault(frame);
      default:
        if (optionalText(frame, "type") === undefined) throw new UnreadableFrame("`type` is missing");
    }
  }

  /** A frame marks the end. */
  ended(): void {}

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
    if (usage !== undefined) this.countInput(usage);
  }

  private ends(frame: Frame): void {
    const delta = optionalObject(frame, "delta");
    if (delta !== undefined) this.stopReason = optionalText(delta, "stop_reason") ?? this.stopReason;
    const usage = optionalObject(frame, "usage");
    if (usage === undefined) return;
    this.countInput(usage);
    this.sink.usage(this.counted(usage));
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
      return "content_filter";
    default:
      return "other";
  }
}
