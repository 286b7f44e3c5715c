/**
 * What `provider_options` may not have (RUN-32). It is refused when settings are saved, and stored options that have it
 * are left out of a call.
 */
import { isDeeper } from "../json-shape.ts";
import { isJsonObject, type JsonObject } from "../schema.ts";

/** Bytes of `provider_options` as JSON: every call of the agent sends them. */
export const OPTIONS_BYTES = 8 * 1024;
/** Levels of nested objects and lists in them. */
export const OPTIONS_DEPTH = 8;

/** Names in the request's body that a setting has, by that setting. A slash leads into an object. */
const OPTIONS_OF_SETTINGS: Readonly<Record<string, readonly string[]>> = {
  effort: ["reasoning_effort", "reasoning/effort", "output_config/effort"],
  max_output_tokens: ["max_tokens", "max_completion_tokens", "max_output_tokens"],
  temperature: ["temperature"],
  top_p: ["top_p"],
  stop: ["stop", "stop_sequences"],
  service_tier: ["service_tier"],
  thinking: ["thinking"],
};
/** What the service itself sets, or what would lead a request to another model, address or key. */
const RESERVED_OPTIONS: readonly string[] = [
  "model models model_list fallbacks route preset prompt",
  "messages input instructions system previous_response_id conversation",
  "tools tool_choice functions function_call mcp_servers plugins container",
  "stream stream_options n store include background",
  "response_format text/format output_config/format output_format",
  "cache_control prompt_cache_key prompt_cache_retention",
  "api_key api_base api_version base_url key token authorization headers",
  "extra_headers extra_body extra_query organization user_config custom_llm_provider",
  "deployment_id engine region_name callbacks success_callback failure_callback",
  "context_window_fallbacks mock_response kv_transfer_params chat_template n_predict id_slot parallel_tool_calls",
  // Searches are billed, and give the model the internet.
  "web_search_options search_parameters",
  // Of the AI SDK's packages.
  "openai/store openai/promptCacheKey openai/promptCacheRetention anthropic/cacheControl",
].flatMap((names) => names.split(" "));

/** Of LiteLLM: addresses and keys of other services. */
const RESERVED_PREFIXES: readonly string[] = ["aws_", "azure_", "vertex_", "litellm_", "watsonx_", "sagemaker_"];
/** Also in an object of the options: the packages of some providers copy it over the request. */
const RESERVED_INSIDE: readonly string[] =
  "model models messages fallbacks plugins route api_key apikey base_url baseurl headers extrabody extra_body".split(
    " ",
  );

interface OptionFlaw {
  /** A path in the options; empty: all of them. */
  readonly at: string;
  readonly why: string;
}

export function optionFlaws(options: JsonObject | undefined): readonly OptionFlaw[] {
  if (options === undefined) return [];
  const flaws: OptionFlaw[] = [];
  const add = (at: string, why: string): void => void flaws.push({ at, why });
  const text = JSON.stringify(options);
  const size = Buffer.byteLength(text);
  if (size > OPTIONS_BYTES) add("", `has ${size} bytes as JSON; at most ${OPTIONS_BYTES} are allowed`);
  if (isDeeper(text, OPTIONS_DEPTH)) add("", `is nested deeper than ${OPTIONS_DEPTH} levels`);
  if (text.includes('"__proto__"')) add("", "may not have `__proto__`");
  for (const name of RESERVED_OPTIONS) if (hasOption(options, name)) add(`/${name}`, "is set by the service");
  for (const [name, value] of Object.entries(options)) {
    if (RESERVED_PREFIXES.some((prefix) => folded(name).startsWith(prefix))) add(`/${name}`, "is set by the service");
    for (const inner of isJsonObject(value) && name !== "metadata" ? Object.keys(value) : [])
      if (RESERVED_INSIDE.includes(folded(inner))) add(`/${name}/${inner}`, "is set by the service");
  }
  for (const [setting, names] of Object.entries(OPTIONS_OF_SETTINGS))
    for (const name of names)
      if (hasOption(options, name)) add(`/${name}`, `is set by model_settings.${setting}; use that`);
  return flaws;
}

/** Servers in Go read names without regard to case, also of `ſ` and the sign of Kelvin; the last of two counts. */
const folded = (name: string): string => name.toUpperCase().toLowerCase();

function hasOption(options: JsonObject, name: string): boolean {
  const [outer = "", inner] = name.split("/").map(folded);
  return Object.entries(options).some(
    ([given, value]) =>
      folded(given) === outer &&
      (inner === undefined || (isJsonObject(value) && Object.keys(value).some((one) => folded(one) === inner))),
  );
}
