/**
 * Reads the answer of OpenAI's responses: a list of items by index. A call is complete when its item is done, and the
 * last event has the token counts. Unknown events are ignored.
 */
import type { CitationMade } from "../answer-citations.ts";
import type { AnswerSink, EndReason } from "../answer.ts";
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
import { cachedTokensIn } from "./cached-tokens.ts";
import { callArguments } from "./call-arguments.ts";
import type { FrameReader } from "./wire-format.ts";

/** A call whose item is not done. `wasStreamed`: its arguments arrived in pieces. */
interface OpenFunctionCall {
  readonly item: WireFrame;
  input: string;
  wasStreamed: boolean;
}

/** The other fields of these items go back with them; ids do not, because OpenAI has stored nothing under them. */
const KNOWN_OF_MESSAGE: ReadonlySet<string> = new Set(["type", "id", "status", "role", "content"]);
const KNOWN_FUNCTION_CALL_FIELDS: ReadonlySet<string> = new Set([
  "type",
  "id",
  "status",
  "call_id",
  "name",
  "arguments",
]);

export class ResponseEvents implements FrameReader {
  private readonly sink: AnswerSink;
  /** By the index of their item. */
  private readonly calls = new Map<number, OpenFunctionCall>();
  private hasContent = false;
  private hasCall = false;
  private hasRefusal = false;

  constructor(sink: AnswerSink) {
    this.sink = sink;
  }

  take(frame: unknown): void {
    if (!isFrame(frame)) return;
    switch (untrustedField(frame, "type")) {
      case "response.output_text.delta":
        return this.text(frameText(frame, "delta"));
      case "response.content_part.added":
        return this.sink.beginText();
      case "response.output_text.annotation.added":
        return this.cite(untrustedField(frame, "annotation"));
      case "response.refusal.delta":
        this.hasRefusal = true;
        return this.text(frameText(frame, "delta"));
      case "response.reasoning_summary_text.delta":
        return this.sink.reasoning(frameText(frame, "delta"));
      case "response.output_item.added":
        return this.added(outputIndex(frame), frameObject(untrustedField(frame, "item")));
      case "response.function_call_arguments.delta":
        return this.input(outputIndex(frame), frameText(frame, "delta"));
      case "response.output_item.done":
        return this.done(outputIndex(frame), frameObject(untrustedField(frame, "item")));
      case "response.completed":
      case "response.incomplete":
        return this.ends(frameObject(untrustedField(frame, "response")));
      case "response.failed":
        return this.failed(frameObject(untrustedField(frame, "response")));
      default:
        if (isErrorFrame(frame)) throw frameFault(frame);
    }
  }

  whole(answer: unknown): void {
    if (!isFrame(answer)) return;
    const hasFailed = untrustedField(answer, "status") === "failed";
    if (!hasFailed && !Array.isArray(untrustedField(answer, "output"))) {
      if (isErrorFrame(answer)) throw frameFault(answer);
      return;
    }
    if (hasFailed) return this.failed(answer);
    for (const [index, item] of frameList(answer, "output").entries()) this.wholeItem(index, frameObject(item));
    this.ends(answer);
  }

  /** The end has its own frame; proxies mark it by `[DONE]` too. */
  ended(isMarked: boolean): void {
    if (isMarked && (this.hasContent || this.hasCall)) this.end("other");
  }

  private text(text: string): void {
    this.hasContent ||= text !== "";
    this.sink.text(text);
  }

  private wholeItem(index: number, item: WireFrame): void {
    if (untrustedField(item, "type") === "function_call") return this.done(index, item);
    const isReasoning = untrustedField(item, "type") === "reasoning";
    for (const value of frameList(item, isReasoning ? "summary" : "content")) {
      const part = frameObject(value);
      if (isReasoning) this.sink.reasoning(frameText(part, "text"));
      else if (untrustedField(part, "type") === "refusal") {
        this.hasRefusal = true;
        this.text(frameText(part, "refusal"));
      } else {
        this.sink.beginText();
        this.text(frameText(part, "text"));
        for (const annotation of frameList(part, "annotations")) this.cite(annotation);
      }
    }
    this.done(index, item);
  }

  private added(index: number, item: WireFrame): void {
    if (untrustedField(item, "type") === "message") return this.sink.beginText();
    if (untrustedField(item, "type") !== "function_call") return;
    this.calls.set(index, { item, input: "", wasStreamed: false });
    this.sink.beginCall();
  }

  private cite(annotation: unknown): void {
    const made = annotationCitation(annotation);
    if (made !== null) this.sink.cite(made);
  }

  private input(index: number, piece: string): void {
    const call = this.calls.get(index);
    if (call === undefined) return;
    call.wasStreamed = true;
    call.input += piece;
    this.sink.callInput(String(index), piece);
  }

  private done(index: number, item: WireFrame): void {
    const type = untrustedField(item, "type");
    if (type === "reasoning" && (untrustedField(item, "encrypted_content") ?? null) !== null)
      return this.sink.part(item);
    if (type === "message") return this.sink.textFields(fieldsBeside(item, (name) => !KNOWN_OF_MESSAGE.has(name)));
    if (type !== "function_call") return;
    const input = frameText(item, "arguments");
    const open = this.calls.get(index);
    if (open === undefined) this.sink.beginCall();
    if (open?.wasStreamed !== true) this.sink.callInput(String(index), input);
    this.calls.delete(index);
    this.hasCall = true;
    const fields = fieldsBeside(item, (name) => !KNOWN_FUNCTION_CALL_FIELDS.has(name));
    this.sink.call({
      id: frameText(item, "call_id"),
      name: frameText(item, "name"),
      input: callArguments(input),
      fields,
    });
  }

  private ends(response: WireFrame): void {
    this.usage(response);
    this.end(this.endReason(incompleteReason(response)));
  }

  private end(reason: EndReason): void {
    // Items of calls that were cut are never done.
    for (const [index, { item, input }] of this.calls)
      if (frameText(item, "name") !== "") this.done(index, { ...item, arguments: input });
    this.sink.end(reason);
  }

  private failed(response: WireFrame): void {
    this.usage(response);
    const reason = incompleteReason(response);
    if ((untrustedField(response, "error") ?? null) !== null || reason === undefined) throw frameFault(response);
    this.end(this.endReason(reason));
  }

  private usage(response: WireFrame): void {
    const usage = optionalObject(response, "usage");
    if (usage === undefined) return;
    this.sink.usage({
      inputTokens: optionalNumber(usage, "input_tokens"),
      outputTokens: optionalNumber(usage, "output_tokens"),
      ...cachedTokensIn(usage),
      serviceTier: untrustedField(response, "service_tier"),
    });
  }

  private endReason(incomplete: string | undefined): EndReason {
    if (incomplete === "max_output_tokens") return "length";
    if (incomplete === "content_filter") return "content_filter";
    if (this.hasCall || this.calls.size > 0) return "tool_use";
    if (incomplete !== undefined) return "other";
    return this.hasRefusal ? "refusal" : "stop";
  }
}

/** Null if it is not a citation. */
function annotationCitation(annotation: unknown): CitationMade | null {
  const of = (name: string): unknown => untrustedField(annotation, name);
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

function outputIndex(frame: WireFrame): number {
  const index = optionalNumber(frame, "output_index");
  if (index === undefined) throw new UnreadableFrame("`output_index` is missing");
  return index;
}

function incompleteReason(response: WireFrame): string | undefined {
  const details = optionalObject(response, "incomplete_details");
  return details === undefined ? undefined : optionalText(details, "reason");
}
