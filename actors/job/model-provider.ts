/**
 * A provider of models, as the operator has set it up (RUN-29): in the file of `MODEL_PROVIDERS`, or by the settings of
 * a single key or address, which are translated into the same.
 */
import type { ModelInput } from "../upload/terms.ts";
import type { Thinking } from "./model-entry.ts";

/** Formats of requests and answers: those of Anthropic, of OpenAI, and of all servers compatible with OpenAI. */
export const MODEL_FORMATS = ["messages", "responses", "chat-completions"] as const;
export type ModelFormat = (typeof MODEL_FORMATS)[number];

/** The providers that settings of a single key or address give. */
export const USUAL_PROVIDERS = ["anthropic", "openai", "openai-compatible"] as const;

/**
 * How a provider is asked to cache the beginning of calls (RUN-30): by `cache_control` in the messages, by
 * `prompt_cache_key`, or not at all.
 */
export const PROMPT_CACHINGS = ["none", "key", "breakpoints"] as const;
export type PromptCaching = (typeof PROMPT_CACHINGS)[number];

/** Where the calls of a provider go. */
export interface ProviderAddress {
  /** Requests go to the path of their format below it; its query stays. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
  /** The header with the key, as it is; absent: as the format has it. */
  readonly keyHeader?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Calls at once with one key; absent: unlimited. */
  readonly concurrency?: number;
  /** A stream that is silent for this long has failed; absent: STALLED_STREAM_SECONDS. */
  readonly stalledStreamMs?: number;
  /** Absent: as the format and the host are known to take it. */
  readonly caching?: PromptCaching;
}

/** Whether values of this name in the query of an address may be keys: all but Azure's version, which messages show. */
export const isHiddenQuery = (name: string): boolean => !/^(?:api-)?version$/i.test(name);

export interface ModelProvider extends ProviderAddress {
  /** The part before the colon in the names of its models. */
  readonly name: string;
  readonly format: ModelFormat;
}

/** A model that the file allows, and what the operator says of it. */
export interface ProvidedModel {
  /** `provider:name` */
  readonly model: string;
  readonly window?: number;
  readonly inputs?: readonly ModelInput[];
  readonly thinking?: Thinking;
  /** False: it is called without tools. */
  readonly takesTools?: boolean;
  /** Only organizations with a key of their own can use it. */
  readonly isOwnKeyOnly?: boolean;
}

/** What the file of `MODEL_PROVIDERS` says. */
export interface ProvidedModels {
  readonly providers: readonly ModelProvider[];
  readonly models: readonly ProvidedModel[];
}
