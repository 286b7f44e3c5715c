/** What the packages of the AI SDK are asked of their providers' caches (RUN-30): each reads only its own options. */
import type { LanguageModel, ModelMessage, SystemModelMessage } from "ai";
import type { ModelCall } from "../../../actors/job/ports.ts";
import { breakpointPlaces, cacheBreakpoint, keyFields } from "../prompt-caching.ts";

type SdkMessageOptions = NonNullable<SystemModelMessage["providerOptions"]>;

interface SdkCaching {
  /** Of a message whose end is a breakpoint; null: none is. */
  readonly ofMessage: SdkMessageOptions | null;
  /** Of the call, for OpenAI. */
  readonly ofCall: { readonly promptCacheKey?: string; readonly promptCacheRetention?: string };
}

const NO_SDK_CACHING: SdkCaching = { ofMessage: null, ofCall: {} };

/** Bedrock's models that take breakpoints; others, also older ones of Claude, refuse the call. */
const BEDROCK_CACHES = /claude-3-(?:7|5-haiku)|claude-[a-z]+-(?:[4-9]|\d\d)(?![\d.])|nova-(?:micro|lite|pro|premier)/i;

export function sdkCaching({ cache, purpose }: ModelCall, model: LanguageModel): SdkCaching {
  if (cache === undefined || purpose === "summary" || typeof model === "string") return NO_SDK_CACHING;
  const { provider, modelId } = model;
  if (provider.includes("bedrock")) {
    if (!BEDROCK_CACHES.test(modelId)) return NO_SDK_CACHING;
    // Few of its models take the longer lifetime.
    return provider.includes("anthropic")
      ? breakpoints({ anthropic: { cacheControl: { type: "ephemeral" } } })
      : breakpoints({ bedrock: { cachePoint: { type: "default" } } });
  }
  const cacheControl = { ...cacheBreakpoint(cache) };
  if (provider.includes("anthropic")) return breakpoints({ anthropic: { cacheControl } });
  if (provider.includes("openrouter")) return breakpoints({ openrouter: { cacheControl } });
  if (!provider.startsWith("openai.")) return NO_SDK_CACHING;
  const fields = keyFields(modelId, { ...cache, by: "key" });
  const { prompt_cache_key: promptCacheKey, prompt_cache_retention: promptCacheRetention } = fields;
  return {
    ofMessage: null,
    ofCall: {
      ...(promptCacheKey === undefined ? {} : { promptCacheKey }),
      ...(promptCacheRetention === undefined ? {} : { promptCacheRetention }),
    },
  };
}

const breakpoints = (ofMessage: SdkMessageOptions): SdkCaching => ({ ofMessage, ofCall: {} });

/** The instructions as a message of their own if they end in a breakpoint. */
export const sdkInstructions = (system: string, { ofMessage }: SdkCaching): string | SystemModelMessage =>
  ofMessage === null ? system : { role: "system", content: system, providerOptions: ofMessage };

export function withSdkBreakpoints(messages: ModelMessage[], { ofMessage }: SdkCaching): ModelMessage[] {
  if (ofMessage === null) return messages;
  const places = breakpointPlaces(messages);
  return messages.map((message, at) => (places.has(at) ? { ...message, providerOptions: ofMessage } : message));
}
