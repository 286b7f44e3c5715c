/**
 * A response as the items of its run make it: its output, its status, and the events that say what each item has
 * changed. Streams send the events; other answers show only what they have come to.
 *
 *   text      ─▶ message          reasoning ─▶ reasoning with a summary
 *   agent's tool ─▶ mcp_call      client's tool ─▶ function_call, which ends the response
 */
import { GrowingText } from "../../../actors/growing-text.ts";
import type { JobTokens } from "../../../actors/job/schema.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import type { RunApproval, RunItemOf } from "../runs/run-item.ts";
import { openAiApprovalId, openAiCallId } from "./call-id.ts";
import { TOOL_SERVER } from "./parameters.ts";
import type { OpenAiError } from "./refusals.ts";
import { type ResponsePart, randomPart, responseId } from "./response-id.ts";

export type ResponseEvent = { readonly type: string } & JsonObject;
export type ResponseStatus = "queued" | "in_progress" | "completed" | "failed" | "incomplete" | "cancelled";

/** Of an output item, what changes. */
interface OutputItem {
  readonly fields: Readonly<JsonObject>;
  readonly index: number;
}

export const responseUsage = ({ inputTokens, outputTokens, cachedInputTokens = 0 }: JobTokens) => ({
  input_tokens: inputTokens,
  input_tokens_details: { cached_tokens: cachedInputTokens },
  output_tokens: outputTokens,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: inputTokens + outputTokens,
});

/** The last event of a stream that ends early. */
export const errorEvent = ({ code, message, param }: OpenAiError): ResponseEvent => ({
  type: "error",
  code,
  message,
  param,
});

const outputTextPart = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] });

export class ResponseState {
  readonly id: string;
  status: ResponseStatus = "in_progress";
  error: OpenAiError | null = null;
  usage: JobTokens | null = null;
  incompleteFor: "max_output_tokens" | "content_filter" | null = null;
  private readonly part: ResponsePart;
  /** Fields that do not change. */
  private readonly facts: JsonObject;
  private readonly output: JsonObject[] = [];
  private readonly calls = new Map<string, OutputItem>();
  /** The message that is being written, and its text. */
  private open: { readonly item: OutputItem; text: GrowingText } | null = null;

  constructor(part: ResponsePart, facts: JsonObject) {
    this.id = responseId(part);
    this.part = part;
    this.facts = facts;
  }

  /** The response as it is now. */
  view(): JsonObject {
    if (this.open !== null) this.change(this.open.item, { content: [outputTextPart(this.openText)] });
    const { status, error, usage, incompleteFor, output } = this;
    return {
      id: this.id,
      object: "response",
      ...this.facts,
      status,
      error: error === null ? null : { code: error.code, message: error.message },
      incomplete_details: incompleteFor === null ? null : { reason: incompleteFor },
      output: output.map((item) => item),
      usage: usage === null ? null : responseUsage(usage),
    };
  }

  /** The text of the open message. */
  private get openText(): string {
    return this.open?.text.toString() ?? "";
  }

  text({ text }: Pick<RunItemOf<"text">, "text">): readonly ResponseEvent[] {
    const events: ResponseEvent[] = [];
    if (this.open === null) {
      const item = this.add("msg", { type: "message", role: "assistant", status: "in_progress", content: [] }, events);
      this.open = { item, text: new GrowingText() };
      events.push({
        type: "response.content_part.added",
        ...this.place(item),
        content_index: 0,
        part: outputTextPart(""),
      });
    }
    const { item } = this.open;
    this.open.text.add(text);
    events.push({
      type: "response.output_text.delta",
      ...this.place(item),
      content_index: 0,
      delta: text,
      logprobs: [],
    });
    return events;
  }

  /** The text of the open message is only this. */
  cut(text: string): void {
    if (this.open !== null) this.open.text = new GrowingText(text);
  }

  textDone(text: string): readonly ResponseEvent[] {
    if (this.open === null) return [];
    const { item } = this.open;
    this.open = null;
    const place = { ...this.place(item), content_index: 0 };
    const done = this.change(item, { status: "completed", content: [outputTextPart(text)] });
    return [
      { type: "response.output_text.done", ...place, text, logprobs: [] },
      { type: "response.content_part.done", ...place, part: outputTextPart(text) },
      { type: "response.output_item.done", output_index: item.index, item: done },
    ];
  }

  reasoning(text: string): readonly ResponseEvent[] {
    const events: ResponseEvent[] = [];
    const item = this.add("rs", { type: "reasoning", summary: [] }, events);
    const place = { ...this.place(item), summary_index: 0 };
    const part = { type: "summary_text", text };
    const done = this.change(item, { summary: [part] });
    return [
      ...events,
      { type: "response.reasoning_summary_part.added", ...place, part: { ...part, text: "" } },
      { type: "response.reasoning_summary_text.delta", ...place, delta: text },
      { type: "response.reasoning_summary_text.done", ...place, text },
      { type: "response.reasoning_summary_part.done", ...place, part },
      { type: "response.output_item.done", output_index: item.index, item: done },
    ];
  }

  /** Calls that the client decides. */
  approvalRequests(approvals: readonly RunApproval[]): readonly ResponseEvent[] {
    return approvals.flatMap(({ approvalId, name, arguments: input }) => {
      const events: ResponseEvent[] = [];
      const id = openAiApprovalId(this.part.jobId, approvalId);
      const fields = {
        type: "mcp_approval_request",
        server_label: TOOL_SERVER,
        name,
        arguments: JSON.stringify(input),
      };
      const item = this.add("mcpr", { ...fields, id }, events);
      return [...events, { type: "response.output_item.done", output_index: item.index, item: item.fields }];
    });
  }

  agentCall({ id, name, input, approvalId }: RunItemOf<"tool_call">): readonly ResponseEvent[] {
    const events: ResponseEvent[] = [];
    const given = JSON.stringify(input);
    const call = {
      type: "mcp_call",
      server_label: TOOL_SERVER,
      name,
      arguments: given,
      ...(approvalId === undefined ? {} : { approval_request_id: openAiApprovalId(this.part.jobId, approvalId) }),
      output: null,
      error: null,
      status: "in_progress",
    };
    const item = this.add("mcp", call, events);
    this.calls.set(id, item);
    return [...events, { type: "response.mcp_call.in_progress", ...this.place(item) }];
  }

  agentResult({ callId, content, isError }: RunItemOf<"tool_result">): readonly ResponseEvent[] {
    const item = this.calls.get(callId);
    // A result of the client's own tool: the response has its call, and the client its result.
    if (item === undefined) return [];
    const status = isError ? "failed" : "completed";
    const done = this.change(item, isError ? { error: content, status } : { output: content, status });
    return [
      { type: `response.mcp_call.${status}`, ...this.place(item) },
      { type: "response.output_item.done", output_index: item.index, item: done },
    ];
  }

  clientCall({ id, name, arguments: input }: RunItemOf<"client_calls">["calls"][number]): readonly ResponseEvent[] {
    const events: ResponseEvent[] = [];
    const given = JSON.stringify(input);
    const call = {
      type: "function_call",
      call_id: openAiCallId(this.part.jobId, id),
      name,
      arguments: "",
      status: "in_progress",
    };
    const item = this.add("fc", call, events);
    const done = this.change(item, { arguments: given, status: "completed" });
    return [
      ...events,
      { type: "response.function_call_arguments.delta", ...this.place(item), delta: given },
      { type: "response.function_call_arguments.done", ...this.place(item), name, arguments: given },
      { type: "response.output_item.done", output_index: item.index, item: done },
    ];
  }

  /** The response is over. */
  over(status: Exclude<ResponseStatus, "queued" | "in_progress">): readonly ResponseEvent[] {
    const left = this.open === null ? [] : this.textDone(this.openText);
    this.status = status;
    const type = status === "cancelled" ? "response.failed" : `response.${status}`;
    return [...left, { type, response: this.view() }];
  }

  private add(prefix: string, fields: JsonObject, events: ResponseEvent[]): OutputItem {
    const index = this.output.length;
    const { jobId, afterRounds } = this.part;
    const id = `${prefix}_${randomPart(jobId)}_${afterRounds}_${index}`;
    const item = { fields: { id, ...fields }, index };
    this.output.push(item.fields);
    events.push({ type: "response.output_item.added", output_index: index, item: item.fields });
    return item;
  }

  private place({ fields, index }: OutputItem) {
    return { item_id: String(fields["id"]), output_index: index };
  }

  private change({ index }: OutputItem, fields: JsonObject): JsonObject {
    return (this.output[index] = { ...this.output[index], ...fields });
  }
}
