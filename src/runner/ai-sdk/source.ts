/**
 * A model call through the AI SDK, for providers whose format we do not implement; also the reference in the tests of
 * the decoders in `wire/`.
 */
import type {
  experimental_streamLanguageModelCall as StreamModelCall,
  FinishReason,
  LanguageModel,
  LanguageModelStreamPart,
  LanguageModelUsage,
} from "ai";
import { NO_SETTINGS } from "../../../actors/job/model-settings.ts";
import type { ModelCall } from "../../../actors/job/ports.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import type { CitationMade } from "../answer-citations.ts";
import type { AnswerSink, CountedTokens, EndReason } from "../answer.ts";
import { conversation } from "../conversation.ts";
import { untrustedField } from "../wire/frame.ts";
import { onArrival } from "../provider-fetch.ts";
import { frameFault } from "../provider-faults.ts";
import type { AnswerSource, AnswerListener } from "../stream-call.ts";
import { sdkCaching, sdkInstructions, withSdkBreakpoints } from "./caching.ts";
import { reportUnsupported, sdkOptions, sdkSettings } from "./settings.ts";
import { metadataOptions, SdkThoughts } from "./thoughts.ts";
import { modelMessages, type Takes } from "./messages.ts";

/** The SDK's call and a model for it. */
export interface LoadedModel {
  readonly streamCall: typeof StreamModelCall;
  readonly model: LanguageModel;
}

/**
 * `load` runs when the call begins. The SDK parses in streams of its own, so the time between our `fetch` and its parts
 * is charged to no organization. Tools have no `execute`, so the SDK returns their calls to us.
 */
export function answerSourceOfSdk(call: ModelCall, model: string, load: () => Promise<LoadedModel>): AnswerSource {
  return async ({ sink, signal, touch, isOver, charged }) => {
    onArrival(signal, touch);
    const stream = await openSdkStream(call, model, await load(), { signal, charged });
    const reader = stream.getReader();
    const thoughts = new SdkThoughts(sink);
    try {
      while (!isOver()) {
        const { done, value } = await reader.read();
        if (done || isOver()) break;
        charged(() => {
          if (value.type === "model-call-start") reportUnsupported(value, call);
          thoughts.take(value);
          reportPart(value, sink);
        });
      }
    } catch (error) {
      // The SDK's error for a stream that ended without its last frame.
      if (!(error instanceof Error && error.name === "AI_InvalidResponseDataError")) throw error;
    } finally {
      // No effect on a stream that has ended; closes one that was abandoned.
      reader.cancel().catch(() => {});
    }
  };
}

async function openSdkStream(
  call: ModelCall,
  listening: string,
  { streamCall, model }: LoadedModel,
  { signal, charged }: Pick<AnswerListener, "signal" | "charged">,
) {
  const { jsonSchema, Output } = await import("ai");
  const { outputSchema = null, settings = NO_SETTINGS } = call;
  const takes = takenBy(model);
  const { resultFiles } = takes;
  const caching = sdkCaching(call, model);
  const toolset = Object.fromEntries(
    call.tools.map(({ name, description, inputSchema }) => [
      name,
      { description, inputSchema: jsonSchema<JsonObject>({ ...inputSchema }) },
    ]),
  );
  const request = {
    model,
    messages: charged(() =>
      withSdkBreakpoints(
        modelMessages(
          conversation(call.entries, { model: listening, hasTools: call.tools.length > 0, resultFiles }),
          takes,
        ),
        caching,
      ),
    ),
    abortSignal: signal,
    ...(call.system.trim() === "" ? {} : { instructions: sdkInstructions(call.system, caching) }),
    ...(call.tools.length === 0 ? {} : { tools: toolset }),
    ...(outputSchema === null
      ? {}
      : { output: Output.object({ schema: jsonSchema<JsonObject>({ ...outputSchema }) }) }),
    // OpenAI must store nothing.
    providerOptions: sdkOptions({ openai: { store: false, ...caching.ofCall } }, settings),
    ...sdkSettings(settings),
    // This code collects the content itself.
    _internal: { collectContent: false },
  };
  const { stream } = await charged(() => streamCall(request));
  return stream;
}

/** Providers whose package sends images and PDFs of results as such. */
const RESULT_FILES = /anthropic|google|bedrock|responses/;

/** Anthropic's models accept text files as documents, wherever they are hosted. */
function takenBy(model: LanguageModel): Takes {
  const provider = typeof model === "string" ? "" : model.provider;
  return { textFiles: provider.includes("anthropic"), resultFiles: RESULT_FILES.test(provider) };
}

/** Throws what an `error` part holds. */
export function reportPart(part: LanguageModelStreamPart, sink: AnswerSink): void {
  switch (part.type) {
    case "text-delta":
      return sink.text(part.text);
    case "text-start":
      return sink.beginText();
    case "text-end":
      citationsIn(part).forEach((made) => sink.cite(made));
      return sink.textFields(metadataOptions(part));
    case "reasoning-delta":
      return sink.reasoning(part.text);
    case "tool-input-start":
      return sink.beginCall();
    case "tool-input-delta":
      return sink.callInput(part.id, part.delta);
    case "tool-call":
      if (part.providerExecuted === true) return;
      return sink.call({ id: part.toolCallId, name: part.toolName, input: part.input, fields: metadataOptions(part) });
    case "model-call-end": {
      sink.usage(sdkTokens(part.usage));
      const reason = sdkEndReason(part.finishReason, part.rawFinishReason);
      if (reason !== undefined) sink.end(reason);
      return;
    }
    case "error":
      throw part.error instanceof Error ? part.error : frameFault(part.error);
    default:
  }
}

function sdkTokens({ inputTokens, outputTokens, inputTokenDetails }: LanguageModelUsage): CountedTokens {
  const { cacheReadTokens, cacheWriteTokens } = inputTokenDetails;
  return { inputTokens, outputTokens, cachedInputTokens: cacheReadTokens, cacheWriteTokens };
}

/** Adapters use the same names for citations, but not for positions within a source. */
function citationsIn(part: object): CitationMade[] {
  const citations = untrustedField(part, "citations");
  if (!Array.isArray(citations)) return [];
  return citations.map((citation: unknown): CitationMade => {
    const source = untrustedField(citation, "source");
    const range = { start: untrustedField(citation, "startIndex"), end: untrustedField(citation, "endIndex") };
    const common = {
      title: untrustedField(source, "title"),
      citedText: untrustedField(citation, "citedText"),
      ...range,
    };
    if (untrustedField(source, "sourceType") === "url")
      return { type: "url", url: untrustedField(source, "url"), ...common };
    const index = Number(untrustedField(source, "id"));
    return { type: "document", documentIndex: Number.isInteger(index) ? index : undefined, ...common };
  });
}

/**
 * Undefined if the answer is not complete. Adapters end a broken stream with `error`, `interrupted`, or an `other`
 * without a raw reason of the provider.
 */
function sdkEndReason(reason: FinishReason, raw: string | undefined): EndReason | undefined {
  switch (reason) {
    case "stop":
    case "length":
      return reason;
    case "tool-calls":
      return "tool_use";
    case "content-filter":
      // Adapters also report this for a refusal; the provider's own reason tells the two apart.
      return raw === undefined || raw === "stop" || raw === "refusal" ? "refusal" : "content_filter";
    case "error":
    case "interrupted":
      return undefined;
    default:
      return raw === undefined ? undefined : "other";
  }
}
