/**
 * The input tokens that a provider read from its prompt cache or wrote to it, as the servers of OpenAI's formats report
 * them: as parts of the input.
 *
 *   OpenAI, Azure, Gemini, OpenRouter, Groq, Mistral, xAI, vLLM   prompt_tokens_details.cached_tokens
 *   Responses                                                     input_tokens_details.cached_tokens
 *   DeepSeek                                                      prompt_cache_hit_tokens
 *   Moonshot                                                      cached_tokens
 *   Mistral, before it had details                                num_cached_tokens
 *   LiteLLM, with Anthropic behind it                             cache_read_input_tokens
 *
 * Written tokens: `cache_write_tokens` of the details at OpenAI and OpenRouter, `cache_creation_input_tokens` at
 * Qwen (in the details) and LiteLLM (which also has `cache_creation_tokens` in them).
 */
import type { CountedTokens } from "../answer.ts";
import { untrustedField } from "./frame.ts";

/** A number in a usage, also as text; undefined for anything else. */
export function countIn(usage: unknown, name: string): number | undefined {
  const value = untrustedField(usage, name);
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

export function cachedTokensIn(usage: unknown): Pick<CountedTokens, "cachedInputTokens" | "cacheWriteTokens"> {
  const details = untrustedField(usage, "prompt_tokens_details") ?? untrustedField(usage, "input_tokens_details");
  return {
    cachedInputTokens:
      countIn(details, "cached_tokens") ??
      countIn(usage, "prompt_cache_hit_tokens") ??
      countIn(usage, "cached_tokens") ??
      countIn(usage, "num_cached_tokens") ??
      countIn(usage, "cache_read_input_tokens"),
    cacheWriteTokens:
      countIn(details, "cache_write_tokens") ??
      countIn(details, "cache_creation_input_tokens") ??
      countIn(details, "cache_creation_tokens") ??
      countIn(usage, "cache_creation_input_tokens"),
  };
}
