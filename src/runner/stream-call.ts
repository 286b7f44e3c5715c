/**
 * One model call, from the request to its outcome.
 *
 *   source → text, reasoning, calls … → end     finished, whatever the connection does then
 *          ↘ throw, or no end                   failed, unless nothing of the answer is missing
 *          ↘ silence                            the same; the request is closed
 *          ↘ too much output                    failed; the request is closed
 *          ↘ the caller's signal                aborted; the request is closed
 *
 * Guarantees: it never rejects; nothing is handed out after the outcome; the pieces joined equal the text blocks with a
 * blank line between them; an answer that is not complete is never `finished`.
 */
import type { LoopTime } from "../../actors/runtime/fairness/loop-time.ts";
import type { CallOrigin, ModelOutcome } from "../../actors/job/ports.ts";
import type { AnswerBlock, RunError } from "../../actors/job/schema.ts";
import { CollectedAnswer, type AnswerSink, type EndReason } from "./answer.ts";
import { MAX_CALL_TOKENS, MAX_STATE_CHARS } from "./answer-limits.ts";
import type { RunnerLog } from "../log/port.ts";
import {
  brokenOff,
  faultDetails,
  noCalls,
  noModelOutput,
  pauseAsked,
  providerFault,
  refusesTools,
  stalledError,
  tooLong,
} from "./provider-faults.ts";
import { type Timers, Watchdog } from "./watchdog.ts";

/** Characters of text, reasoning and tool input of one call; a server that sends more is cut off. */
export const MAX_OUTPUT_CHARS = 4 * 1024 * 1024;

/** How long the provider's last frames, such as the token counts, may take after the answer is complete. */
const LAST_FRAMES_MS = 5_000;

/** Accounts for the event loop's time. */
export type RunTime = Pick<LoopTime, "measure">;

/** What a source reports to. */
export interface AnswerListener {
  readonly sink: AnswerSink;
  /**
   * Runs work that makes the request or reads a piece of the answer, and charges its organization. The text of the
   * piece is handed out as one, before this returns.
   */
  readonly charged: <T>(work: () => T) => T;
  /** Closes the upstream request when it aborts. */
  readonly signal: AbortSignal;
  /** The headers of the answer have arrived, with names in lower case. */
  readonly onHeaders?: (headers: Readonly<Record<string, string>>) => void;
  /** Something has arrived from the provider. */
  readonly touch: () => void;
  /** Whether the call is over, so that nothing reads the answer any more. */
  readonly isOver: () => boolean;
}

/**
 * Sends the request and reports the answer until its stream ends. Rejects with the provider's fault, in a shape that
 * `providerFault` reads.
 */
export type AnswerSource = (listener: AnswerListener) => Promise<void>;

/** Gets each part of an answer when it arrives. */
export interface CallObserver {
  /** The headers of the answer, with names in lower case. */
  answered(headers: Readonly<Record<string, string>>): void;
  /** A piece of text, reasoning or a call. */
  piece(): void;
}

export interface CallContext {
  readonly origin: CallOrigin;
  /** The model that is called, `provider:name`. */
  readonly model: string;
  readonly mayRefuseTools?: boolean;
  readonly source: AnswerSource;
  readonly onText: (text: string) => void;
  readonly signal: AbortSignal;
  readonly stalledStreamMs: number;
  readonly timers: Timers;
  /** Charges the work on the request and the answer. Omitted: nothing is charged. */
  readonly time?: RunTime | undefined;
  /** Strings that no message may contain. */
  readonly secrets: readonly string[];
  readonly log: RunnerLog | undefined;
  readonly observer?: CallObserver | undefined;
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

/** Thrown to leave a source whose call was stopped by us. */
class Stopped extends Error {
  override readonly name = "Stopped";
}

class Call {
  readonly #context: CallContext;
  readonly #upstream = new AbortController();
  readonly #watchdog: Watchdog;
  readonly #stopped: Promise<void>;
  readonly #onAbort: () => void;
  readonly #answer: CollectedAnswer;
  /** Whether a piece is being read, and its text. */
  #isReading = false;
  #read = "";
  /** The receiver has thrown, so the answer counts as not received. */
  #isRefused = false;
  #chars = 0;
  #hasWarned = false;
  /** The pause that the provider's rate headers ask for. */
  #pauseMs: number | undefined;
  /** Why it was stopped from this side. */
  #stop: "aborted" | RunError | undefined;

  constructor(context: CallContext) {
    this.#context = context;
    const stopped = Promise.withResolvers<void>();
    this.#stopped = stopped.promise;
    this.#onAbort = () => this.#end("aborted");
    this.#upstream.signal.addEventListener("abort", () => stopped.resolve(), { once: true });
    context.signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#watchdog = new Watchdog(context.timers, context.stalledStreamMs, () => this.#silent());
    const receiver = {
      onText: (text: string) => {
        this.#read += text;
        if (!this.#isReading) this.#hand();
      },
      onChars: (chars: number) => this.#count(chars),
      onImpossibleUsage: () => this.#warnOfUsage(),
      onLongState: () => this.#warnOfState(),
      onWhole: () => this.#watchdog.shorten(LAST_FRAMES_MS),
    };
    this.#answer = new CollectedAnswer(receiver, context.model);
  }

  async run(): Promise<ModelOutcome> {
    const { time, origin } = this.#context;
    const listener: AnswerListener = {
      sink: this.#answer,
      charged: (work) =>
        time === undefined
          ? this.#reading(work)
          : time.measure(origin.organizationId, "runs", () => this.#reading(work)),
      signal: this.#upstream.signal,
      onHeaders: (headers) => {
        this.#pauseMs = pauseAsked(headers, Date.now());
        this.#context.observer?.answered(headers);
      },
      touch: () => this.#watchdog.touch(),
      isOver: () => this.#stop !== undefined || this.#answer.endReason !== undefined,
    };
    try {
      // The race makes the outcome prompt even if a transport is slow to notice its abort.
      await Promise.race([this.#context.source(listener), this.#stopped]);
    } catch (error) {
      return this.#outcome(this.#isSettled() ? undefined : error);
    }
    return this.#outcome(undefined);
  }

  /** Whether the answer is complete, although its stream has not ended as it should. */
  #isSettled(): boolean {
    try {
      if (this.#stop === undefined) this.#answer.settle();
    } catch {
      // The fault of the stream came first.
    }
    return this.#answer.endReason !== undefined;
  }

  #silent(): void {
    if (this.#isSettled()) this.#upstream.abort();
    else this.#end(stalledError());
  }

  close(): void {
    this.#watchdog.stop();
    this.#context.signal.removeEventListener("abort", this.#onAbort);
    if (!this.#upstream.signal.aborted && this.#answer.endReason === undefined) this.#upstream.abort();
  }

  #end(why: "aborted" | RunError): void {
    this.#stop ??= why;
    this.#upstream.abort();
  }

  #count(chars: number): void {
    this.#context.observer?.piece();
    this.#chars += chars;
    if (this.#chars <= MAX_OUTPUT_CHARS) return;
    this.#end(tooLong());
    throw new Stopped();
  }

  /** The text before a fault within the piece is handed out too. */
  #reading<T>(work: () => T): T {
    this.#isReading = true;
    try {
      return work();
    } finally {
      this.#isReading = false;
      this.#hand();
    }
  }

  #hand(): void {
    const text = this.#read;
    if (text === "") return;
    this.#read = "";
    try {
      this.#context.onText(text);
    } catch (error) {
      this.#context.log?.error({ err: error, ...this.#context.origin }, "A receiver of model text failed");
      this.#isRefused = true;
      this.#end({ code: "internal_error", message: "The service failed while it received the model's answer." });
    }
    // The receiver may have cancelled the call: nothing reads the rest.
    if (this.#stop !== undefined) throw new Stopped();
  }

  #warnOfUsage(): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const { log, origin } = this.#context;
    log?.warn(
      { ...origin, limit: MAX_CALL_TOKENS },
      "A provider reported more tokens than are possible; the limit is counted instead",
    );
  }

  #warnOfState(): void {
    const { log, origin, model } = this.#context;
    log?.warn(
      { ...origin, model, limit: MAX_STATE_CHARS },
      "A model's answer has more state to send back than the limit; none of it is kept",
    );
  }

  #outcome(cause: unknown): ModelOutcome {
    const answer = this.#answer;
    const { partialText, counted } = answer;
    const broken = { partialText, usage: counted, answeredChars: this.#chars };
    if (this.#stop === "aborted") return { kind: "aborted", ...broken };
    // Once the answer is complete, a failure of the connection does not matter.
    if (answer.endReason !== undefined && !this.#isRefused && !lacksCalls(answer)) {
      const { blocks, counted: usage, endReason } = answer;
      const pause = this.#pauseMs === undefined ? {} : { pauseMs: this.#pauseMs };
      return { kind: "finished", blocks, usage, finishReason: finishReason(endReason, blocks), ...pause };
    }
    const fault = this.#fault(cause);
    this.#context.log?.warn(
      { ...this.#context.origin, code: fault.code, ...faultDetails(cause, this.#context.secrets) },
      "A model call failed",
    );
    const refuses =
      this.#context.mayRefuseTools === true && refusesTools(cause) ? ({ refusesTools: true } as const) : {};
    return { kind: "failed", error: fault, ...broken, ...refuses };
  }

  #fault(cause: unknown): RunError {
    if (this.#stop !== undefined && this.#stop !== "aborted") return this.#stop;
    if (lacksCalls(this.#answer)) return noCalls();
    if (cause === undefined) return this.#chars > 0 || this.#answer.hasCalls ? brokenOff() : noModelOutput();
    return providerFault(cause, this.#context.secrets, Date.now());
  }
}

/** Whether the answer ended for calls that it does not have, and has no text either. */
const lacksCalls = ({ endReason, blocks }: CollectedAnswer): boolean =>
  endReason === "tool_use" && blocks.every((block) => block.type === "reasoning");

function finishReason(reason: EndReason, blocks: readonly AnswerBlock[]): EndReason {
  if (reason === "length" || reason === "content_filter" || reason === "refusal") return reason;
  // Some servers end an answer that has calls with "stop".
  if (blocks.some((block) => block.type === "tool_use")) return "tool_use";
  return reason === "tool_use" ? "stop" : reason;
}
