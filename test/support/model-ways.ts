/**
 * Each way in which a model is called: the three formats, each by our own decoder and by the AI SDK,
 * which is the reference. What holds for one holds for all.
 */
import type { ModelCall, ModelPort } from "../../actors/job/ports.ts";
import { answerSourceOfSdk } from "../../src/runner/ai-sdk/source.ts";
import type { RunnerLog } from "../../src/log/port.ts";
import { type AnswerSource, streamCall } from "../../src/runner/stream-call.ts";
import type { Timers } from "../../src/runner/watchdog.ts";
import type { WireTarget } from "../../src/runner/model-name.ts";
import { wireSource } from "../../src/runner/wire/source.ts";
import { startFakeAnthropic } from "./fake-anthropic.ts";
import { startFakeOpenAi } from "./fake-openai.ts";
import type { FakeProvider } from "./fake-provider.ts";
import { startFakeResponses } from "./fake-responses.ts";
import { fakeTimers } from "./fake-timers.ts";
import { referenceModel } from "./reference-models.ts";

export const KEY = "sk-fake-0123456789abcdef";

export type FormatName = "chat completions" | "messages" | "responses";

export interface Way {
  readonly name: string;
  readonly format: FormatName;
  readonly isReference: boolean;
  readonly path: string;
  /** The provider's word for an answer that reached its length. */
  readonly lengthReason: string;
  start(): Promise<FakeProvider>;
  source(call: ModelCall, baseUrl: string, model?: string): AnswerSource;
}

const FORMATS: readonly Pick<Way, "format" | "path" | "lengthReason" | "start">[] = [
  { format: "chat completions", path: "/v1/chat/completions", lengthReason: "length", start: startFakeOpenAi },
  { format: "messages", path: "/v1/messages", lengthReason: "max_tokens", start: startFakeAnthropic },
  { format: "responses", path: "/v1/responses", lengthReason: "max_output_tokens", start: startFakeResponses },
];
const KINDS = { "chat completions": "chat-completions", messages: "messages", responses: "responses" } as const;

const targetOf = (format: FormatName, baseUrl: string, name: string): WireTarget => ({
  kind: KINDS[format],
  provider: "test",
  name,
  apiKey: KEY,
  baseUrl,
});

export const WAYS: readonly Way[] = FORMATS.flatMap((format) => [
  {
    ...format,
    name: `our ${format.format}`,
    isReference: false,
    source: (call: ModelCall, baseUrl: string, model = "fake-model") =>
      wireSource(call, targetOf(format.format, baseUrl, model)),
  },
  {
    ...format,
    name: `${format.format} by the AI SDK`,
    isReference: true,
    source: (call: ModelCall, baseUrl: string, model = "fake-model") =>
      answerSourceOfSdk(call, `test:${model}`, () =>
        Promise.resolve(referenceModel(targetOf(format.format, baseUrl, model))),
      ),
  },
]);

export interface WayOptions {
  readonly timers?: Timers;
  readonly log?: RunnerLog | undefined;
  /** The provider's name of the model. */
  readonly model?: string;
}

/** The seam with one model, which is called this way. */
export const modelsBy = (way: Way, baseUrl: string, options: WayOptions = {}): Pick<ModelPort, "call"> => ({
  call: (call, onText, signal) =>
    streamCall({
      origin: call.origin,
      model: `test:${options.model ?? "fake-model"}`,
      source: way.source(call, baseUrl, options.model),
      onText,
      signal,
      stalledStreamMs: 60_000,
      timers: options.timers ?? fakeTimers(),
      secrets: [KEY],
      log: options.log,
    }),
});
