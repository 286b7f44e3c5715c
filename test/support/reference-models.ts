/** Models of the AI SDK at the addresses of fakes: the reference for our own formats. */
import { experimental_streamLanguageModelCall as streamCall, type LanguageModel } from "ai";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LoadedModel } from "../../src/runner/ai-sdk/source.ts";
import { fetchFromProvider } from "../../src/runner/provider-fetch.ts";
import type { WireTarget } from "../../src/runner/model-name.ts";

export const referenceModel = (target: WireTarget): LoadedModel => ({ streamCall, model: create(target) });

function create(target: WireTarget): LanguageModel {
  const baseURL = target.baseUrl.replace(/\/+$/, "");
  const to = { baseURL, fetch: fetchFromProvider, ...(target.apiKey === null ? {} : { apiKey: target.apiKey }) };
  switch (target.kind) {
    case "messages":
      return createAnthropic(to)(target.name);
    case "responses":
      return createOpenAI(to)(target.name);
    case "chat-completions":
      return createOpenAICompatible({ ...to, name: "openai-compatible", includeUsage: true })(target.name);
  }
}
