/** OpenAI's chat completions, as OpenRouter, Ollama, vLLM, llama-server and LM Studio also implement them. */
import { isPdf, isTextFile, spokenFile, UnspeakableFile, type MessagePart, type UserContent } from "../content.ts";
import type { AssistantMessage, SpokenMessage, SpokenCall } from "../conversation.ts";
import { ChatChunks, isUnknownDeltaField, REASONING } from "./chat-chunks.ts";
import { breakpointField, breakpointPlaces, keyFields } from "../prompt-caching.ts";
import { isClosed } from "./closed-schema.ts";
import { chatCompletionsSettings } from "./setting-fields.ts";
import type { Base64, WireCall, WireFormat } from "./wire-format.ts";

export const chatCompletions: WireFormat = {
  resultFiles: false,
  path: "/chat/completions",
  body: chatCompletionsBody,
  reader: (sink, thinking) => new ChatChunks(sink, thinking),
};

function chatCompletionsBody(call: WireCall): object {
  const { model, system, messages, tools, outputSchema, caching, concessions, base64 } = call;
  const spoken = chatMessages(messages, concessions, base64);
  return {
    model,
    messages: withBreakpoints(
      system === "" ? spoken : [{ role: "system", content: system }, ...spoken],
      breakpointField(caching),
    ),
    ...chatCompletionsSettings(call),
    ...keyFields(model, caching),
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
    ...(concessions.has("no_stream_options") ? {} : { stream_options: { include_usage: true } }),
  };
}

/** Servers that have Anthropic's models behind this format, such as OpenRouter, take its breakpoints in text parts. */
function withBreakpoints(
  messages: readonly SpokenChatMessage[],
  breakpoint: ReturnType<typeof breakpointField>,
): object[] {
  if (breakpoint.cache_control === undefined) return [...messages];
  const places = breakpointPlaces(messages);
  return messages.map((message, at) => {
    if (message.role !== "system" && !places.has(at)) return message;
    const { content } = message;
    // A blank text takes none.
    if (typeof content === "string")
      return content.trim() === ""
        ? message
        : { ...message, content: [{ type: "text", text: content, ...breakpoint }] };
    return {
      ...message,
      content: content?.map((part, i) => (i === content.length - 1 ? { ...part, ...breakpoint } : part)),
    };
  });
}

interface SpokenChatMessage {
  readonly role: string;
  readonly content: string | null | readonly object[];
  readonly [field: string]: unknown;
}

function chatMessages(
  messages: readonly SpokenMessage[],
  concessions: WireCall["concessions"],
  base64: Base64,
): SpokenChatMessage[] {
  const called = turnsWithCalls(messages);
  return messages.flatMap((message) => {
    if (message.role === "user") return [{ role: "user", content: chatUserContent(message.content, base64) }];
    if (message.role === "tool")
      return message.results.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text }));
    return [assistantMessage(message, called.has(message), concessions)];
  });
}

/** The model's messages of each turn in which it has made calls. */
function turnsWithCalls(messages: readonly SpokenMessage[]): ReadonlySet<SpokenMessage> {
  const called = new Set<SpokenMessage>();
  let turn: SpokenMessage[] = [];
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
): SpokenChatMessage {
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
  const isSent = (name: string): boolean =>
    isUnknownDeltaField(name) || (hasReasoning && REASONING.some((one) => one === name));
  const kept = Object.fromEntries(Object.entries(fields).filter(([name]) => isSent(name)));
  if (hasReasoning && concessions.has("stand_in_reasoning")) kept["reasoning_content"] ??= NO_REASONING;
  if (calls.length === 0) return { ...kept, role: "assistant", content };
  return { ...kept, role: "assistant", content: content === "" ? null : content, tool_calls: calls };
}

function spokenCall({ id, name, input, fields = {} }: SpokenCall): object {
  const { function: inner = {}, ...kept } = fields as { readonly function?: object };
  return { ...kept, id, type: "function", function: { ...inner, name, arguments: JSON.stringify(input) } };
}

function chatUserContent(content: UserContent, base64: Base64): string | object[] {
  if (typeof content === "string") return content;
  const spoken = content.map((part) => chatUserPart(part, base64));
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

function chatUserPart(part: MessagePart, base64: Base64): SpokenPart {
  if (part.type === "text") return { type: "text", text: part.text };
  if (isTextFile(part)) return { type: "text", text: spokenFile(part) };
  const { type, mediaType, name = "document.pdf", data } = part;
  if (type === "file" && !isPdf(part)) throw new UnspeakableFile(part);
  const url = `data:${mediaType};base64,${base64(data)}`;
  return type === "image"
    ? { type: "image_url", image_url: { url } }
    : { type, file: { filename: name, file_data: url } };
}

/** Placeholders for provider state that another model has not produced. Google documents this signature for it. */
const OF_ANOTHER_MODEL = { extra_content: { google: { thought_signature: "skip_thought_signature_validator" } } };
const NO_REASONING = " ";
