/**
 * Tries a model with one cheap call (RUN-31), and says what is found: whether its answer is streamed, and what it makes
 * of a tool and of an image. A call that is refused for one of these is repeated without it. If it is asked for, two more
 * calls with the same long beginning show whether the provider caches it.
 */
import type { MessagePart, ModelCall, ModelOutcome, ModelPort, ToolDescription } from "../../actors/job/ports.ts";
import type { RunnerLog } from "../log/port.ts";
import type { ModelSettings } from "./model-name.ts";
import { createModels } from "./models.ts";
import type { CallObserver } from "./stream-call.ts";

export type TrialTools = "called" | "accepted" | "refused" | "off";
export type TrialImages = "read" | "accepted" | "refused" | "off";

export interface ModelTrial {
  readonly model: string;
  /** Why no call has answered; null if one has. */
  readonly error: string | null;
  /** Null if nothing was answered, or the AI SDK does not say. */
  readonly isStreamed: boolean | null;
  /** Pieces of text, reasoning and calls in which the answer arrived. */
  readonly pieces: number;
  readonly firstTokenMs: number | null;
  readonly tookMs: number;
  readonly tools: TrialTools;
  readonly images: TrialImages;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Whether the provider has counted them. */
  readonly isCounted: boolean;
  readonly answer: string;
  /** Whether the answer was cut at `MOST_TRIED_TOKENS`. */
  readonly isCut: boolean;
  /** Null if it was not tried. */
  readonly caching: TrialCaching | null;
}

export interface TrialCaching {
  /** Why one of the two calls has not answered. */
  readonly error: string | null;
  /** Tokens that the first call wrote, as far as the provider reports them. */
  readonly written: number;
  /** Tokens of the second call: those from the cache, and all. */
  readonly read: number;
  readonly input: number;
}

export interface TrialCall {
  readonly settings: ModelSettings;
  /** `provider:name`; null is the default. */
  readonly model: string | null;
  readonly triesCaching: boolean;
  readonly signal: AbortSignal;
  readonly log?: RunnerLog;
}

/** The longest answer, in tokens; a model that reasons needs some before it says anything. */
export const MOST_TRIED_TOKENS = 1_024;
/** More tokens than the least that providers cache, which is 4,096 for some models. */
const LONG_BEGINNING = Array.from({ length: 500 }, (_, at) => `Line ${at}: the river flows to the sea.`).join("\n");

const TRIED_TOOL: ToolDescription = {
  name: "report_color",
  description: "Reports a color",
  inputSchema: { type: "object", properties: { color: { type: "string" } }, required: ["color"] },
};
/** 64 by 64 pixels of red. */
const RED_PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQMAAACQp+OdAAAAA1BMVEXcAAAj6fGOAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAD0lEQVQokWNgGAWjgHwAAAJAAAFgVTVqAAAAAElFTkSuQmCC",
  "base64",
);
const ORIGIN = { organizationId: "org_trial", jobId: "job_trial", requestId: null };

/** What is asked beside text. */
interface Asked {
  readonly hasTool: boolean;
  readonly hasImage: boolean;
}

/** What one call has shown. */
interface WatchedCall {
  readonly outcome: ModelOutcome;
  readonly contentType: string | null;
  readonly pieces: number;
  readonly firstTokenMs: number | null;
  readonly tookMs: number;
}

export async function tryModel({ settings, model, triesCaching, signal, log }: TrialCall): Promise<ModelTrial> {
  const watch = new CallWatch();
  const models = createModels(settings, log, { observer: watch });
  const described = models.describe(model);
  if (!described.ok) {
    const { fault } = described;
    return unanswered(model ?? "", fault.kind === "provider_error" ? fault.message : fault.kind);
  }
  const name = `${described.value.provider}:${described.value.name}`;
  if (described.value.isOwnKeyOnly === true)
    return unanswered(name, "Only organizations with a key of their own can call it: there is no key to try it with.");
  const wanted = { hasTool: models.takesTools?.(model) !== false, hasImage: models.inputOf(model).includes("image") };
  let asked: Asked = wanted;
  let tried = await watch.call(models, callOf(model, asked), signal);
  if (asked.hasTool && tried.outcome.kind === "failed" && tried.outcome.refusesTools === true) {
    asked = { ...asked, hasTool: false };
    tried = await watch.call(models, callOf(model, asked), signal);
  }
  if (asked.hasImage && isRejected(tried.outcome)) {
    const without = { ...asked, hasImage: false };
    const second = await watch.call(models, callOf(model, without), signal);
    // Another reason than the image: the first refusal says more.
    if (!isRejected(second.outcome)) [asked, tried] = [without, second];
  }
  const trial = trialOf(name, wanted, asked, tried);
  return triesCaching && trial.error === null ? { ...trial, caching: await tryCaching(models, model, signal) } : trial;
}

/** Two calls with the same beginning; what the second one reads from the provider's cache. */
async function tryCaching(models: ModelPort, model: string | null, signal: AbortSignal): Promise<TrialCaching> {
  const call: ModelCall = {
    ...triedCall(model),
    system: LONG_BEGINNING,
    entries: [{ role: "user", text: "Answer with the word ok." }],
    cache: { key: "troupe-models-try", lifetime: null, pauses: false },
  };
  const [first, second] = [await models.call(call, () => {}, signal), await models.call(call, () => {}, signal)];
  const failed = [first, second].find(({ kind }) => kind !== "finished");
  const error = failed === undefined ? null : failed.kind === "failed" ? failed.error.message : TRIAL_INTERRUPTED;
  const { inputTokens: input = 0, cachedInputTokens: read = 0 } = second.usage ?? {};
  return { error, written: first.usage?.cacheWriteTokens ?? 0, read, input };
}

const TRIAL_INTERRUPTED = "It was interrupted.";

const isRejected = (outcome: ModelOutcome): boolean =>
  outcome.kind === "failed" && ["provider_rejected", "provider_error"].includes(outcome.error.code);

function callOf(model: string | null, { hasTool, hasImage }: Asked): ModelCall {
  const subject = hasImage ? "the color of the image" : "the color of grass";
  const then = hasTool ? ` Then call the tool report_color with ${subject}.` : ` Then name ${subject}.`;
  const text = `Write the words one, two, three, four, five on one line.${then}`;
  const image: MessagePart = { type: "image", mediaType: "image/png", name: "color.png", data: RED_PNG };
  const parts: readonly MessagePart[] = [...(hasImage ? [image] : []), { type: "text", text }];
  return {
    ...triedCall(model),
    entries: [hasImage ? { role: "user", text, parts } : { role: "user", text }],
    tools: hasTool ? [TRIED_TOOL] : [],
  };
}

const triedCall = (model: string | null): ModelCall => ({
  origin: ORIGIN,
  model,
  system: "",
  entries: [],
  tools: [],
  settings: { maxOutputTokens: MOST_TRIED_TOKENS },
});

/** Watches the calls of one port, one after the other. */
class CallWatch implements CallObserver {
  private from = 0;
  private contentType: string | null = null;
  private pieces = 0;
  private firstTokenMs: number | null = null;

  answered(headers: Readonly<Record<string, string>>): void {
    this.contentType = headers["content-type"] ?? "";
  }

  piece(): void {
    this.pieces += 1;
    this.begin();
  }

  private begin(): void {
    this.firstTokenMs ??= Math.round(performance.now() - this.from);
  }

  async call(models: ModelPort, call: ModelCall, signal: AbortSignal): Promise<WatchedCall> {
    this.from = performance.now();
    this.contentType = null;
    this.pieces = 0;
    this.firstTokenMs = null;
    let texts = 0;
    const onText = (): void => {
      texts += 1;
      this.begin();
    };
    const outcome = await models.call(call, onText, signal);
    const { contentType, firstTokenMs } = this;
    // The demo model has no stream to watch.
    const pieces = Math.max(this.pieces, texts);
    return { outcome, contentType, pieces, firstTokenMs, tookMs: Math.round(performance.now() - this.from) };
  }
}

function trialOf(model: string, wanted: Asked, asked: Asked, tried: WatchedCall): ModelTrial {
  const { outcome, contentType, pieces, firstTokenMs, tookMs } = tried;
  if (outcome.kind !== "finished")
    return unanswered(model, outcome.kind === "failed" ? outcome.error.message : TRIAL_INTERRUPTED);
  const texts = outcome.blocks.map((block) => (block.type === "text" ? block.text : ""));
  const calls = outcome.blocks.flatMap((block) => (block.type === "tool_use" ? [block] : []));
  const answer = texts.join("").trim();
  const saysRed = /red/i.test(answer + calls.map(({ input }) => JSON.stringify(input)).join(""));
  const { inputTokens, outputTokens, estimatedTokens = 0 } = outcome.usage;
  return {
    model,
    error: null,
    isStreamed: contentType === null ? (pieces > 1 ? true : null) : contentType.includes("event-stream"),
    pieces,
    firstTokenMs,
    tookMs,
    tools: !wanted.hasTool ? "off" : !asked.hasTool ? "refused" : calls.length > 0 ? "called" : "accepted",
    images: !wanted.hasImage ? "off" : !asked.hasImage ? "refused" : saysRed ? "read" : "accepted",
    inputTokens,
    outputTokens,
    isCounted: estimatedTokens === 0,
    answer,
    isCut: outcome.finishReason === "length",
    caching: null,
  };
}

const unanswered = (model: string, error: string): ModelTrial => ({
  model,
  error,
  isStreamed: null,
  pieces: 0,
  firstTokenMs: null,
  tookMs: 0,
  tools: "off",
  images: "off",
  inputTokens: 0,
  outputTokens: 0,
  isCounted: false,
  answer: "",
  isCut: false,
  caching: null,
});
