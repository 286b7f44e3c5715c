/**
 * One model call, from the request to its outcome.
 *
 *   open → parts … → model-call-end            finished
 *        ↘ error part, throw, end without it   failed
 *        ↘ silence, too much output            failed; the request is closed
 *        ↘ the caller's signal                 aborted; the request is closed
 *
 * Guarantees: it never rejects; nothing is handed out after the outcome; the pieces joined equal the
 * text blocks joined; an answer that is not complete is never `finished`.
 */
import type { FinishReason, LanguageModelUsage, LanguageModelStreamPart } from "ai";
import type { CallOrigin, ModelOutcome } from "../../actors/job/ports.ts";
import type { AnswerBlock, RunError, Usage } from "../../actors/job/schema.ts";
import type { RunnerLog } from "./log.ts";
import { cleanText, TextPieces } from "./model-text.ts";
import { brokenOff, faultDetails, noModelOutput, providerFault, stalled, tooLong } from "./provider-faults.ts";
import { toolInput } from "./tool-input.ts";
import { type Timers, Watchdog } from "./watchdog.ts";

/** Characters of text, reasoning and tool input of one call; a server that goes on is cut off. */
export const MAX_OUTPUT_CHARS = 4 * 1024 * 1024;
/** Characters that are kept of what a model thinks at a time. */
export const MAX_REASONING_CHARS = 64 * 1024;

/** How one call is opened: the parts as they come. The signal closes the upstream request. */
export type OpenStream = (signal: AbortSignal) => Promise<ReadableStream<LanguageModelStreamPart>>;

export interface CallContext {
  readonly origin: CallOrigin;
  readonly open: OpenStream;
  readonly onText: (text: string) => void;
  readonly signal: AbortSignal;
  readonly stalledStreamMs: number;
  readonly timers: Timers;
  /** Strings that no message may show. */
  readonly secrets: readonly string[];
  readonly log: RunnerLog | undefined;
}

/** Runs one call. See the top of this file for its outcomes. */
export async function streamCall(context: CallContext): Promise<ModelOutcome> {
  if (context.signal.aborted) return { kind: "aborted", partialText: "" };
  const call = new Call(context);
  try {
    return await call.run();
  } finally {
    call.close();
  }
}

interface Ending {
  readonly reason: FinishReason;
  readonly raw: string | undefined;
  readonly usage: Usage;
}

class Call {
  readonly #context: CallContext;
  readonly #upstream = new AbortController();
  readonly #watchdog: Watchdog;
  readonly #stopped: Promise<void>;
  readonly #onAbort: () => void;
  readonly #blocks: AnswerBlock[] = [];
  readonly #pieces = new TextPieces();
  /** What the model thinks, until it says or calls something. */
  #reasoning = "";
  /** The text block that is being written; it joins `#blocks` when it ends. */
  #text = "";
  #partialText = "";
  #chars = 0;
  #ending: Ending | undefined;
  /** Why it was stopped from this side. */
  #stop: "aborted" | RunError | undefined;

  constructor(context: CallContext) {
    this.#context = context;
    const stopped = Promise.withResolvers<void>();
    this.#stopped = stopped.promise;
    this.#onAbort = () => this.#end("aborted");
    this.#upstream.signal.addEventListener("abort", () => stopped.resolve(), { once: true });
    context.signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#watchdog = new Watchdog(context.timers, context.stalledStreamMs, () => this.#end(stalled()));
  }

  async run(): Promise<ModelOutcome> {
    try {
      // The race makes the outcome prompt even where a transport is slow to notice its abort.
      await Promise.race([this.#pump(), this.#stopped]);
    } catch (error) {
      return this.#outcome(error);
    }
    return this.#outcome(undefined);
  }

  close(): void {
    this.#watchdog.stop();
    this.#context.signal.removeEventListener("abort", this.#onAbort);
    if (!this.#upstream.signal.aborted && this.#ending === undefined) this.#upstream.abort();
  }

  #end(why: "aborted" | RunError): void {
    this.#stop ??= why;
    this.#upstream.abort();
  }

  async #pump(): Promise<void> {
    const stream = await this.#context.open(this.#upstream.signal);
    const reader = stream.getReader();
    try {
      while (this.#stop === undefined) {
        const { done, value } = await reader.read();
        if (done || this.#stop !== undefined) break;
        this.#watchdog.touch();
        this.#take(value);
      }
    } finally {
      // A stream that has ended takes no notice; one that was left is closed.
      reader.cancel().catch(() => {});
    }
  }

  #take(part: LanguageModelStreamPart): void {
    switch (part.type) {
      case "text-delta":
        this.#count(part.text.length);
        this.#endReasoning();
        return this.#hand(this.#pieces.take(part.text));
      case "reasoning-delta":
        this.#count(part.text.length);
        this.#endText();
        if (this.#reasoning.length < MAX_REASONING_CHARS) this.#reasoning += part.text;
        return;
      case "tool-input-delta":
        return this.#count(part.delta.length);
      case "tool-call":
        if (part.providerExecuted === true) return;
        this.#endReasoning();
        this.#endText();
        this.#blocks.push({
          type: "tool_use",
          id: cleanText(part.toolCallId),
          name: cleanText(part.toolName),
          input: toolInput(part.input),
        });
        return;
      case "model-call-end":
        this.#ending = { reason: part.finishReason, raw: part.rawFinishReason, usage: usageOf(part.usage) };
        return;
      case "error":
        throw new StreamedError(part.error);
      default:
    }
  }

  #count(chars: number): void {
    this.#chars += chars;
    if (this.#chars > MAX_OUTPUT_CHARS) this.#end(tooLong());
  }

  #hand(text: string): void {
    if (text === "") return;
    this.#text += text;
    this.#partialText += text;
    try {
      this.#context.onText(text);
    } catch (error) {
      this.#context.log?.error({ err: error, ...this.#context.origin }, "A receiver of model text failed");
      this.#end({ code: "internal_error", message: "The service failed while it took the model's answer." });
    }
  }

  #endReasoning(): void {
    const text = cleanText(this.#reasoning.slice(0, MAX_REASONING_CHARS)).trim();
    if (text !== "") this.#blocks.push({ type: "reasoning", text });
    this.#reasoning = "";
  }

  #endText(): void {
    this.#hand(this.#pieces.end());
    if (this.#text !== "") this.#blocks.push({ type: "text", text: this.#text });
    this.#text = "";
  }

  #outcome(error: unknown): ModelOutcome {
    const cause = error instanceof StreamedError ? error.value : error;
    if (this.#stop === "aborted") return { kind: "aborted", partialText: this.#partialText };
    const ending = this.#ending;
    // Once the answer is complete, what the connection does is of no interest.
    if (ending !== undefined && isComplete(ending)) {
      this.#endReasoning();
      this.#endText();
      return {
        kind: "finished",
        blocks: this.#blocks,
        usage: ending.usage,
        finishReason: finishReason(ending.reason, this.#blocks),
      };
    }
    const fault = this.#fault(cause);
    this.#context.log?.warn(
      { ...this.#context.origin, code: fault.code, ...faultDetails(cause) },
      "A model call failed",
    );
    const usage = ending?.usage ?? { inputTokens: 0, outputTokens: 0 };
    return { kind: "failed", error: fault, partialText: this.#partialText, usage };
  }

  #fault(cause: unknown): RunError {
    if (this.#stop !== undefined && this.#stop !== "aborted") return this.#stop;
    // The SDK's own word for a stream that ended without its last frame.
    const hasJustEnded =
      cause === undefined || (cause instanceof Error && cause.name === "AI_InvalidResponseDataError");
    if (hasJustEnded) return this.#chars > 0 || this.#blocks.length > 0 ? brokenOff() : noModelOutput();
    return providerFault(cause, this.#context.secrets, Date.now());
  }
}

/** Carries the value of an `error` part out of the loop. */
class StreamedError extends Error {
  readonly value: unknown;
  constructor(value: unknown) {
    super("error part");
    this.value = value;
  }
}

/** Adapters end a stream that broke with these; "other" is one only where the provider named no reason. */
const isComplete = ({ reason, raw }: Ending): boolean =>
  reason !== "error" && reason !== "interrupted" && !(reason === "other" && raw === undefined);

function finishReason(
  reason: FinishReason,
  blocks: readonly AnswerBlock[],
): "stop" | "tool_use" | "length" | "content_filter" | "other" {
  if (reason === "length") return "length";
  if (reason === "content-filter") return "content_filter";
  // Some servers end an answer with calls by "stop".
  if (blocks.some((block) => block.type === "tool_use")) return "tool_use";
  return reason === "stop" || reason === "tool-calls" ? "stop" : "other";
}

const usageOf = (usage: LanguageModelUsage): Usage => ({
  inputTokens: count(usage.inputTokens),
  outputTokens: count(usage.outputTokens),
});
const count = (tokens: number | undefined): number => (tokens !== undefined && tokens > 0 ? Math.trunc(tokens) : 0);
