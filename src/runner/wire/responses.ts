/**
 * OpenAI's responses. An answer is a list of items by index; a call is complete when its item is done, and the last
 * event has the token counts. Unknown events are ignored.
 */
import type { CitationMade } from "../answer-citations.ts";
import type { AnswerSink, EndReason } from "../answer.ts";
import { isPdf, isTextFile, spokenFile, UnspeakableFile, type UserContent } from "../content.ts";
import type { Message } from "../conversation.ts";
import { field } from "../field.ts";
import { streamFault } from "../provider-faults.ts";
import { isClosed } from "./closed-schema.ts";
import { fieldsBeside } from "./fields-beside.ts";
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
import type { Base64, FrameReader, WireCall, WireFormat } from "./wire-format.ts";

export const responses: WireFormat = {
  path: "/responses",
  headers: (apiKey) => (apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
  body,
  reader: (sink) => new ResponsesReader(sink),
};

function body({ model, system, messages, tools, outputSchema, concessions, base64 }: WireCall): object {
  return {
    model,
    ...(system === "" ? {} : { instructions: system }),
    input: messages.flatMap((message) => items(message, base64)),
    // OpenAI must store nothing, so it gets its reasoning back from us.
    store: false,
    ...(reasons(model) && !concessions.has("no_encrypted_reasoning")
      ? { include: ["reasoning.encrypted_content"] }
      : {}),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, inputSchema }) => ({
            type: "function",
            name,
            description,
            parameters: inputSchema,
            // Strict mode would require every schema to list all of its properties as required.
            strict: false,
          })),
          tool_choice: "auto",
        }),
    ...(outputSchema === null
      ? {}
      : {
          text: {
            format: { type: "json_schema", name: "output", schema: outputSchema, strict: isClosed(outputSchema) },
          },
        }),
    stream: true,
  };
}

/** OpenAI refuses to encrypt the reasoning of a model that does not reason. */
const reasons = (model: string): boolean => !/^(?:gpt-3|gpt-4|chatgpt|gpt-5(?:\.\d)?-chat)/.test(model);

function items(message: Message, base64: Base64): object[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: userContent(message.content, base64) }];
    case "assistant":
      return message.parts.flatMap((part) => [
        ...((part.before ?? []) as unknown as object[]),
        part.kind === "text"
          ? { ...part.fields, role: "assistant", content: part.text }
          : {
              ...part.fields,
              type: "function_call",
              call_id: part.id,
              name: part.name,
              arguments: JSON.stringify(part.input),
            },
      ]);
    case "tool":
      return message.results.map(({ id, text, isError }) => ({
        type: "function_call_output",
        call_id: id,
        // The format has no mark for an error.
        output: isError ? JSON.stringify({ error: text }) : text,
      }));
  }
}

function userContent(content: UserContent, base64: Base64): object[] {
  if (typeof content === "string") return [{ type: "input_text", text: content }];
  return content.map((part, index) => {
    if (part.type === "text") return { type: "input_text", text: part.text };
    const { type, mediaType, name = `part-${index}.pdf`, data } = part;
    if (type === "image") return { type: "input_image", image_url: `data:${mediaType};base64,${base64(data)}` };
    if (isTextFile(part)) return { type: "input_text", text: spokenFile(part) };
    if (!isPdf(part)) throw new UnspeakableFile(part);
    return { type: "input_file", filename: name, file_data: `data:${mediaType};base64,${base64(data)}` };
  });
}

/** The other fields of these items go back with them; ids do not, because OpenAI has stored nothing under them. */
const KNOWN_OF_MESSAGE: ReadonlySet<string> = new Set(["type", "id", "status", "role", "content"]);
const KNOWN_OF_CALL: ReadonlySet<string> = new Set(["type", "id", "status", "call_id", "name", "arguments"]);

class ResponsesReader implements FrameReader {
  private readonly sink: AnswerSink;
  /** Open calls by the index of their item, and whether their arguments were streamed. */
  private readonly calls = new Map<number, boolean>();
  private hasCall = false;
  private hasRefusal = false;

  constructor(sink: AnswerSink) {
    this.sink = sink;
  }

  take(value: unknown): void {
    const frame = objectOf(value);
    switch (field(frame, "type")) {
      case "response.output_text.delta":
        return this.sink.text(textOf(frame, "delta"));
      case "response.content_part.added":
        return this.sink.beginText();
      case "response.output_text.annotation.added":
        return this.cite(field(frame, "annotation"));
      case "response.refusal.delta":
        this.hasRefusal = true;
        return this.sink.text(textOf(frame, "delta"));
      case "response.reasoning_summary_text.delta":
        return this.sink.reasoning(textOf(frame, "delta"));
      case "response.output_item.added":
        return this.added(indexOf(frame), objectOf(field(frame, "item")));
      case "response.function_call_arguments.delta":
        return this.input(indexOf(frame), textOf(frame, "delta"));
      case "response.output_item.done":
        return this.done(indexOf(frame), objectOf(field(frame, "item")));
      case "response.completed":
      case "response.incomplete":
        return this.ends(objectOf(field(frame, "response")));
      case "response.failed":
        return this.failed(objectOf(field(frame, "response")));
      case "error":
        throw streamFault(frame);
      default:
        if (optionalText(frame, "type") === undefined) throw new UnreadableFrame("`type` is missing");
    }
  }

  /** A frame marks the end. */
  ended(): void {}

  private added(index: number, item: Frame): void {
    if (field(item, "type") === "message") return this.sink.beginText();
    if (field(item, "type") !== "function_call") return;
    this.calls.set(index, false);
    this.sink.beginCall();
  }

  private cite(annotation: unknown): void {
    const made = citationOf(annotation);
    if (made !== null) this.sink.cite(made);
  }

  private input(index: number, piece: string): void {
    if (!this.calls.has(index)) return;
    this.calls.set(index, true);
    this.sink.callInput(String(index), piece);
  }

  private done(index: number, item: Frame): void {
    const type = field(item, "type");
    if (type === "reasoning" && (field(item, "encrypted_content") ?? null) !== null) return this.sink.part(item);
    if (type === "message") return this.sink.textFields(fieldsBeside(item, (name) => !KNOWN_OF_MESSAGE.has(name)));
    if (type !== "function_call") return;
    const input = textOf(item, "arguments");
    if (!this.calls.has(index)) this.sink.beginCall();
    if (this.calls.get(index) !== true) this.sink.callInput(String(index), input);
    this.calls.delete(index);
    this.hasCall = true;
    const fields = fieldsBeside(item, (name) => !KNOWN_OF_CALL.has(name));
    this.sink.call({ id: textOf(item, "call_id"), name: textOf(item, "name"), input: callArguments(input), fields });
  }

  private ends(response: Frame): void {
    this.usage(response);
    this.sink.end(this.endReason(incompleteReason(response)));
  }

  private failed(response: Frame): void {
    this.usage(response);
    if ((field(response, "error") ?? null) !== null) throw streamFault(response);
    const reason = incompleteReason(response);
    if (reason !== undefined) this.sink.end(this.endReason(reason));
  }

  private usage(response: Frame): void {
    const usage = optionalObject(response, "usage");
    if (usage === undefined) return;
    this.sink.usage({
      inputTokens: optionalNumber(usage, "input_tokens"),
      outputTokens: optionalNumber(usage, "output_tokens"),
    });
  }

  private endReason(incomplete: string | undefined): EndReason {
    if (incomplete === "max_output_tokens") return "length";
    if (incomplete === "content_filter") return "content_filter";
    if (this.hasCall) return "tool_use";
    if (incomplete !== undefined) return "other";
    return this.hasRefusal ? "content_filter" : "stop";
  }
}

/** Null if it is not a citation. */
function citationOf(annotation: unknown): CitationMade | null {
  const of = (name: string): unknown => field(annotation, name);
  switch (of("type")) {
    case "url_citation":
      return { type: "url", url: of("url"), title: of("title"), start: of("start_index"), end: of("end_index") };
    case "file_citation":
      // A position, not a range.
      return { type: "document", title: of("filename"), start: of("index"), end: of("index") };
    case "container_file_citation":
      return { type: "document", title: of("filename"), start: of("start_index"), end: of("end_index") };
    default:
      return null;
  }
}

function indexOf(frame: Frame): number {
  const index = optionalNumber(frame, "output_index");
  if (index === undefined) throw new UnreadableFrame("`output_index` is missing");
  return index;
}

function incompleteReason(response: Frame): string | undefined {
  const details = optionalObject(response, "incomplete_details");
  return details === undefined ? undefined : optionalText(details, "reason");
}
