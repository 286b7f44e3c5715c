/**
 * Asks providers to cache the beginning of a call, which the next call of the chat repeats (RUN-30):
 *
 *   breakpoints  `cache_control` behind the instructions (and so behind the tools), and at the ends of the newest two
 *                messages of the user: the one before was the end of the call before, so its cache is found however
 *                many blocks lie between (a provider looks back 20 blocks only)
 *   key          `prompt_cache_key`, so that calls of one chat reach the same machine; the provider caches by itself
 *
 * All breakpoints of a call have one lifetime, so that a longer one never follows a shorter one.
 */
import type { PromptCaching } from "../../actors/job/model-provider.ts";
import type { CacheWish, ModelCall } from "../../actors/job/ports.ts";
import type { WireTarget } from "./model-name.ts";

export interface AskedCaching extends CacheWish {
  readonly by: Exclude<PromptCaching, "none">;
}

/** What a call asks of this target; null: nothing. */
export function askedCaching(
  { cache, purpose }: Pick<ModelCall, "cache" | "purpose">,
  target: WireTarget,
): AskedCaching | null {
  // No call repeats the beginning of a summary's.
  if (cache === undefined || purpose === "summary") return null;
  const by = target.caching ?? usualCaching(target);
  return by === "none" ? null : { ...cache, by };
}

/** Hosts that are known to take OpenAI's field. Compatible servers may refuse fields that they do not know. */
const KEYED_HOSTS: ReadonlySet<string> = new Set(["api.openai.com"]);

/** Every server of Anthropic's format has clients that send breakpoints. */
const usualCaching = ({ kind, baseUrl }: WireTarget): PromptCaching => {
  if (kind === "messages") return "breakpoints";
  return KEYED_HOSTS.has(URL.parse(baseUrl)?.hostname ?? "") ? "key" : "none";
};

/** An hour if an approval may pause the job: the five minutes would be over when it goes on. */
const breakpointHours = ({ lifetime, pauses }: CacheWish): boolean =>
  lifetime === "1h" || (lifetime === null && pauses);

export interface CacheBreakpoint {
  readonly type: "ephemeral";
  readonly ttl?: "1h";
}

/** The value of `cache_control`; five minutes are its default. */
export const cacheBreakpoint = (caching: CacheWish): CacheBreakpoint => ({
  type: "ephemeral",
  ...(breakpointHours(caching) ? { ttl: "1h" } : {}),
});

/** The field of a block that ends a cached beginning; empty if none is asked for. */
export const breakpointField = (caching: AskedCaching | null): { readonly cache_control?: CacheBreakpoint } =>
  caching?.by === "breakpoints" ? { cache_control: cacheBreakpoint(caching) } : {};

/** The places of the newest two messages that are not the model's: the ends of this call and of the one before. */
export function breakpointPlaces(messages: readonly { readonly role: string }[]): ReadonlySet<number> {
  const last = messages.findLastIndex(({ role }) => role !== "assistant");
  const answer = messages.findLastIndex(({ role }, at) => role === "assistant" && at < last);
  const before = messages.findLastIndex(({ role }, at) => role !== "assistant" && at < answer);
  return new Set([last, before].filter((at) => at >= 0));
}

/** OpenAI's models that keep a cache for a day if they are asked. Those after 5.5 have lifetimes of their own. */
const KEEPS_A_DAY = /^gpt-(?:4\.1|5(?:\.[1-5])?)(?!-(?:mini|nano))(?![.\d])/;
/** Those that can be asked for their shortest lifetime, which is five to ten minutes. */
const KEEPS_MINUTES = /^gpt-(?:4\.1|5(?:\.[1-4])?)(?!-(?:mini|nano))(?![.\d])/;

interface OpenAiCacheFields {
  readonly prompt_cache_key?: string;
  readonly prompt_cache_retention?: "24h" | "in_memory";
}

/** OpenAI's fields. A day is never asked for without the agent's word: what is kept so long is stored. */
export function keyFields(model: string, caching: AskedCaching | null): OpenAiCacheFields {
  if (caching?.by !== "key") return {};
  const { key, lifetime } = caching;
  const fields = { prompt_cache_key: key };
  if (lifetime === "1h" && KEEPS_A_DAY.test(model)) return { ...fields, prompt_cache_retention: "24h" };
  if (lifetime === "5m" && KEEPS_MINUTES.test(model)) return { ...fields, prompt_cache_retention: "in_memory" };
  return fields;
}
