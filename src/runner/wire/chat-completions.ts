/**
 * OpenAI's chat completions, as OpenRouter, Ollama, vLLM, llama-server and LM Studio also implement them. A frame has
 * the delta of the first choice; the token counts come in a separate frame.
 */
import type { AnswerSink, CountedTokens, EndReason } from "../answer.ts";
import { isPdf, isTextFile, spokenFile, UnspeakableFile, type ContentPart, type UserContent } from "../content.ts";
import type { AssistantMessage, Message, SpokenCall } from "../conversation.ts";
import { field } from "../field.ts";
import { streamFault } from "../provider-faults.ts";
import {
  type Frame,
  listOf,
  objectOf,
  optionalNumber,
  optionalObject,
  optionalText,
  textOf,
  UnreadableFrame,
} from "./frame.ts";
import { isClosed } from "./closed-schema.ts";
import type { Thinking } from "../../../actors/job/thinking-entry.ts";
import { StreamedCalls } from "./streamed-calls.ts";
import { fieldsBeside } from "./fields-beside.ts";
import { ThinkingText } from "./thinking-text.ts";
import type { Base64, FrameReader, WireCall, WireFormat } from "./wire-format.ts";

export const chatCompletions: WireFormat = {
  path: "/chat/completions",
  headers: (apiKey) => (apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
  body,
  reader: (sink, thinking) => new ChatCompletionsReader(sink, thinking),
};

function body({ model, system, messages, tools, outputSchema, concessions, base64 }: WireCall): object {
  const spoken = chatMessages(messages, concessions, base64);
  return {
    model,
    messages: system === "" ? spoken : [{ role: "system", content: system }, ...spoken],
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, inputSchema }) => ({
            type: "function",
            function: { name, description, parameters: inputSchema },
          })),
          tool_choice: "auto",
        }),
    ...(outputSchema === null
      ? {}
      : {
          response_format: {
            type: "json_schema",
            json_schema: { name: "output", schema: outputSchema, strict: isClosed(outputSchema) },
          },
        }),
    stream: true,
    // Without it these endpoints report no tokens for a stream.
    stream_options: { include_usage: true },
  };
}

function chatMessages(messages: readonly Message[], concessions: WireCall["concessions"], base64: Base64): object[] {
  const called = turnsWithCalls(messages);
  return messages.flatMap((message) => {
    if (message.role === "user") return [{ role: "user", content: userContent(message.content, base64) }];
    if (message.role === "tool")
      return message.results.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text }));
    return [assistantMessage(message, called.has(message), concessions)];
  });
}

/** The model's messages of each turn in which it has made calls. */
function turnsWithCalls(messages: readonly Message[]): ReadonlySet<Message> {
  const called = new Set<Message>();
  let turn: Message[] = [];
  for (const message of [...messages, null]) {
    if (message === null || message.role === "user") {
      if (turn.some(({ role }) => role === "tool")) for (const one of turn) called.add(one);
      turn = [];
    } else turn.push(message);
  }
  return called;
}

/**
 * DeepSeek and Kimi want their reasoning back in turns with calls, and refuse a call without it; the older R1 refuses
 * it everywhere, and makes no calls.
 */
function assistantMessage(
  { parts, fields = {} }: AssistantMessage,
  hasReasoning: boolean,
  concessions: WireCall["concessions"],
): object {
  let content = "";
  const calls: object[] = [];
  for (const part of parts) {
    if (part.kind === "text") content += part.text;
    else {
      // Google checks the first of a message's calls.
      const isUnsigned = concessions.has("stand_in_signature") && calls.length === 0 && part.fields === undefined;
      calls.push(spokenCall(isUnsigned ? { ...part, fields: OF_ANOTHER_MODEL } : part));
    }
  }
  const isSent = (name: string): boolean => isUnknown(name) || (hasReasoning && REASONING.some((one) => one === name));
  const kept = Object.fromEntries(Object.entries(fields).filter(([name]) => isSent(name)));
  if (hasReasoning && concessions.has("stand_in_reasoning")) kept["reasoning_content"] ??= NO_REASONING;
  if (calls.length === 0) return { ...kept, role: "assistant", content };
  return { ...kept, role: "assistant", content: content === "" ? null : content, tool_calls: calls };
}

function spokenCall({ id, name, input, fields = {} }: SpokenCall): object {
  const { function: inner = {}, ...kept } = fields as { readonly function?: object };
  return { ...kept, id, type: "function", function: { ...inner, name, arguments: JSON.stringify(input) } };
}

function userContent(content: UserContent, base64: Base64): string | object[] {
  if (typeof content === "string") return content;
  const spoken = content.map((part) => userPart(part, base64));
  // Plain text is sent as a string, which every server accepts.
  const [first] = spoken;
  return spoken.length === 1 && first?.text !== undefined ? first.text : spoken;
}

interface SpokenPart {
  readonly type: string;
  readonly text?: string;
  readonly image_url?: object;
  readonly file?: object;
}

function userPart(part: ContentPart, base64: Base64): SpokenPart {
  if (part.type === "text") return { type: "text", text: part.text };
  if (isTextFile(part)) return { type: "text", text: spokenFile(part) };
  const { type, mediaType, name = "document.pdf", data } = part;
  if (type === "file" && !isPdf(part)) throw new UnspeakableFile(part);
  const url = `data:${mediaType};base64,${base64(data)}`;
  return type === "image"
    ? { type: "image_url", image_url: { url } }
    : { type, file: { filename: name, file_data: url } };
}

/** The stand-ins for what another model has not written. The signature is the one that Google documents for this. */
const OF_ANOTHER_MODEL = { extra_content: { google: { thought_signature: "skip_thought_signature_validator" } } };
const NO_REASONING = " ";
/** Most servers use the first name, some servers of open models the second. */
const REASONING = ["reasoning_content", "reasoning"] as const;
/** Fields of a delta that we read ourselves. */
const KNOWN: ReadonlySet<string> = new Set([
  ...REASONING,
  "role",
  "content",
  "refusal",
  "annotations",
  "tool_calls",
  "function_call",
]);
const isUnknown = (name: string): boolean => !KNOWN.has(name);

class ChatCompletionsReader implements FrameReader {
  private readonly sink: AnswerSink;
  private readonly calls: StreamedCalls;
  private readonly content: ThinkingText;
  private finishReason: string | undefined;
  private usage: CountedTokens | undefined;
  private hasRefusal = false;

  constructor(sink: AnswerSink, thinking: Thinking) {
    this.sink = sink;
    this.content = new ThinkingText(sink, thinking);
    this.calls = new StreamedCalls(sink);
  }

  take(value: unknown): void {
    const frame = objectOf(value);
    if ((field(frame, "error") ?? null) !== null) throw streamFault(frame);
    const usage = optionalObject(frame, "usage");
    if (usage !== undefined) this.usage = tokensOf(usage);
    const [first] = choicesOf(frame);
    if (first === undefined) return;
    const choice = objectOf(first);
    this.finishReason = optionalText(choice, "finish_reason") ?? this.finishReason;
    const delta = optionalObject(choice, "delta");
    if (delta !== undefined) this.delta(delta);
  }

  ended(): void {
    if (this.finishReason === undefined) return;
    this.content.end(this.finishReason !== "length");
    this.calls.end();
    if (this.usage !== undefined) this.sink.usage(this.usage);
    this.sink.end(this.endReason(this.finishReason));
  }

  private delta(delta: Frame): void {
    this.reasoning(delta);
    if (Object.keys(delta).some(isUnknown)) this.sink.messageFields(fieldsBeside(delta, isUnknown));
    const content = field(delta, "content");
    if (typeof content === "string") {
      if (content !== "") this.content.take(content);
    } else if (content !== undefined && content !== null) this.parts(listOf(delta, "content"));
    const annotations = field(delta, "annotations");
    if (Array.isArray(annotations)) this.cite(annotations);
    // Some servers send `false`.
    const refusal = field(delta, "refusal");
    if (typeof refusal === "string" && refusal !== "") {
      this.hasRefusal = true;
      this.sink.text(refusal);
    }
    const calls = field(delta, "tool_calls");
    if (calls !== undefined && calls !== null)
      for (const call of listOf(delta, "tool_calls")) this.calls.take(objectOf(call));
  }

  /** Some servers send it under both names. It goes back under the same ones. */
  private reasoning(delta: Frame): void {
    let isShown = false;
    for (const name of REASONING) {
      const piece = field(delta, name);
      if (typeof piece !== "string" || piece === "") continue;
      this.content.isTold();
      if (!isShown) this.sink.reasoning(piece);
      isShown = true;
      this.sink.messageText(name, piece);
    }
  }

  /** Annotations in the form of OpenAI's search models, which OpenRouter uses for others too. */
  private cite(annotations: readonly unknown[]): void {
    for (const annotation of annotations) {
      const source = field(annotation, "url_citation");
      const of = (name: string): unknown => field(source, name);
      if (field(annotation, "type") === "url_citation")
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

  /** The content of Mistral's models: parts of text and of reasoning. */
  private parts(parts: readonly unknown[]): void {
    for (const value of parts) {
      const part = objectOf(value);
      const type = textOf(part, "type");
      if (type === "text") this.content.take(textOf(part, "text"));
      if (type === "thinking")
        for (const thought of listOf(part, "thinking")) this.sink.reasoning(textOf(objectOf(thought), "text"));
    }
  }

  private endReason(reason: string): EndReason {
    switch (reason) {
      case "stop":
        return this.hasRefusal ? "content_filter" : "stop";
      case "length":
      case "content_filter":
        return reason;
      case "tool_calls":
      case "function_call":
        return "tool_use";
      default:
        return "other";
    }
  }
}

const tokensOf = (usage: Frame): CountedTokens => ({
  inputTokens: optionalNumber(usage, "prompt_tokens"),
  outputTokens: optionalNumber(usage, "completion_tokens"),
});

function choicesOf(frame: Frame): readonly unknown[] {
  const choices = field(frame, "choices");
  if (!Array.isArray(choices)) throw new UnreadableFrame("`choices` is no list");
  return choices;
}
