/**
 * The door to the AI SDK and its providers. They are large, so each is loaded at its first use and
 * kept: a service on the demo model never loads them. The settings alone decide keys and addresses;
 * everything that the SDK would else read from the environment is given.
 */
import type { experimental_streamLanguageModelCall as StreamModelCall, LanguageModel } from "ai";
import type { Target } from "./model-name.ts";

/**
 * One streamed model call. It is what `streamText` runs inside; without the loop, the transforms and
 * the replay buffers of `streamText` a piece of text costs less than half (7 against 16 µs).
 */
export type { StreamModelCall };

export type RemoteTarget = Exclude<Target, { kind: "demo" }>;

/** The SDK's call and a model for it, loaded on demand. */
export interface LoadedModel {
  readonly streamCall: typeof StreamModelCall;
  readonly model: LanguageModel;
}

/**
 * Models kept for their next call. A model compiles its own checks for the provider's frames: one
 * that is made anew for each call spends more on that than on a short answer.
 */
const KEPT_MODELS = 64;
const kept = new Map<string, Promise<LoadedModel>>();

/** What the target needs, loaded once. Rejects only where a package is missing, which is a bug. */
export function loadModel(target: RemoteTarget): Promise<LoadedModel> {
  const key = JSON.stringify([target.kind, target.provider, target.name, target.baseUrl, target.apiKey]);
  const known = kept.get(key);
  if (known !== undefined) return known;
  const loaded = load(target);
  kept.set(key, loaded);
  loaded.catch(() => kept.delete(key));
  const [oldest] = kept.keys();
  if (kept.size > KEPT_MODELS && oldest !== undefined) kept.delete(oldest);
  return loaded;
}

async function load(target: RemoteTarget): Promise<LoadedModel> {
  const [{ experimental_streamLanguageModelCall: streamCall }, model] = await Promise.all([
    import("ai"),
    create(target),
  ]);
  return { streamCall, model };
}

async function create(target: RemoteTarget): Promise<LanguageModel> {
  const baseURL = target.baseUrl.replace(/\/+$/, "");
  switch (target.kind) {
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ apiKey: target.apiKey, baseURL, fetch: fetchHere })(target.name);
    }
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI({ apiKey: target.apiKey, baseURL, fetch: fetchHere })(target.name);
    }
    case "compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      // Without includeUsage these endpoints report no tokens for a stream.
      const key = target.apiKey === null ? {} : { apiKey: target.apiKey };
      return createOpenAICompatible({
        name: "openai-compatible",
        baseURL,
        includeUsage: true,
        fetch: fetchHere,
        ...key,
      })(target.name);
    }
  }
}

/** Follows no redirect: the prompt and the key go to the configured address only. */
const fetchHere = Object.assign(
  (input: string | URL | Request, init?: RequestInit) => fetch(input, { ...init, redirect: "manual" }),
  { preconnect: fetch.preconnect },
);
