/** Anthropic's messages: the request. */
import { type DataPart, fileText, isPdf, isTextFile, UnspeakableFile } from "../content.ts";
import type { SpokenMessage } from "../conversation.ts";
import { breakpointField, breakpointPlaces } from "../prompt-caching.ts";
import { isClosed } from "./closed-schema.ts";
import { MessageEvents } from "./message-events.ts";
import { messagesSettings } from "./setting-fields.ts";
import type { Base64, WireCall, WireFormat } from "./wire-format.ts";

export const messages: WireFormat = {
  resultFiles: true,
  path: "/messages",
  body: messagesBody,
  reader: (sink) => new MessageEvents(sink),
};

function messagesBody(call: WireCall): object {
  const { model, system, messages: conversation, tools, outputSchema, settings, caching, concessions, base64 } = call;
  // The documents of a request must all allow citations or none, and an answer with a schema cannot cite.
  const cites = outputSchema === null && conversation.some(asksForCitations);
  return {
    model,
    ...messagesSettings(call, longestAnswer(model)),
    ...(system === "" ? {} : { system: [{ type: "text", text: system, ...breakpointField(caching) }] }),
    messages: turns(conversation, { cites, base64 }, breakpointField(caching)),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, inputSchema }, at) => ({
            name,
            description,
            input_schema: inputSchema,
            // Streams arguments as they are written; otherwise a long one looks like silence.
            ...(concessions.has("no_eager_arguments") ? {} : { eager_input_streaming: true }),
            ...(system === "" && at === tools.length - 1 ? breakpointField(caching) : {}),
          })),
          tool_choice: { type: "auto" },
        }),
    // Anthropic accepts only closed schemas; for others only our own check applies.
    ...outputConfig(outputSchema !== null && isClosed(outputSchema) ? outputSchema : null, settings),
    stream: true,
  };
}

const outputConfig = (schema: WireCall["outputSchema"], { effort }: WireCall["settings"]): object =>
  schema === null && effort === undefined
    ? {}
    : {
        output_config: {
          ...(schema === null ? {} : { format: { type: "json_schema", schema } }),
          ...(effort === undefined ? {} : { effort }),
        },
      };

interface Documents {
  readonly cites: boolean;
  readonly base64: Base64;
}

const asksForCitations = (message: SpokenMessage): boolean =>
  message.role === "user" &&
  typeof message.content !== "string" &&
  message.content.some((part) => part.type === "file" && part.citations === true);

/** Consecutive messages of one role become one message. */
function turns(
  conversation: readonly SpokenMessage[],
  documents: Documents,
  breakpoint: ReturnType<typeof breakpointField>,
): object[] {
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
  for (const at of breakpointPlaces(joined)) Object.assign(joined[at]?.content.at(-1) ?? {}, breakpoint);
  return joined;
}

function blocks(message: SpokenMessage, documents: Documents): { type: string; text?: string }[] {
  switch (message.role) {
    case "user":
      return typeof message.content === "string"
        ? [{ type: "text", text: message.content }]
        : // A copy: a breakpoint is added to the last block, and the part is the conversation's own.
          message.content.map((part) => (part.type === "text" ? { ...part } : dataBlock(part, documents)));
    case "assistant":
      return message.parts.flatMap((part) => [
        ...((part.before ?? []) as unknown as { type: string }[]),
        part.kind === "text"
          ? { type: "text", text: part.text }
          : { ...part.fields, type: "tool_use", id: part.id, name: part.name, input: part.input },
      ]);
    case "tool":
      return message.results.map(({ id, text, isError, files }) => ({
        type: "tool_result",
        tool_use_id: id,
        content:
          files === undefined
            ? text
            : [...(text === "" ? [] : [{ type: "text", text }]), ...files.map((file) => dataBlock(file, documents))],
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

/** For names without a known family: the limit of the oldest models. */
const UNKNOWN_LONGEST = 4_096;
/** For Anthropic's newer models, and for future ones. */
const NEWER = 128_000;

/** By a part of the name; the first match wins. */
const LONGEST_BY_NAME: readonly (readonly [RegExp, number])[] = [
  [/claude-(?:instant(?:-|$)|v?2(?=$|[-.:])|3(?=$|[-.]))/, UNKNOWN_LONGEST],
  [/claude-(?:sonnet|opus|haiku)-4-5/, 64_000],
  [/claude-(?:sonnet|opus)-4-(?:6|7|8)/, NEWER],
  [/claude-opus-4(?:-|@)/, 32_000],
  [/claude-sonnet-4(?:-|@)/, 64_000],
  [/claude-/, NEWER],
];

/**
 * The longest answer of an Anthropic model, in tokens: only this format requires it. If the value is too high, the
 * request is refused; if it is too low, answers are cut.
 */
export const longestAnswer = (model: string): number =>
  LONGEST_BY_NAME.find(([name]) => name.test(model))?.[1] ?? UNKNOWN_LONGEST;
