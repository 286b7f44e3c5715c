/** The settings of a call (RUN-32) as fields of the request, by the names of each format. */
import type { SetSettings } from "../../../actors/job/model-settings.ts";
import { isJsonObject, type JsonObject } from "../../../actors/schema.ts";
import type { WireCall } from "./wire-format.ts";

type Settled = Pick<WireCall, "settings">;

/** Anthropic's; `longest`: the answer's length that the format needs if none is set. */
export function messagesSettings({ settings }: Settled, longest: number): object {
  const { maxOutputTokens, stop, serviceTier, thinking } = settings;
  return {
    max_tokens: maxOutputTokens ?? longestWith(longest, thinking?.budgetTokens ?? 0),
    ...sampling(settings),
    ...(stop === undefined ? {} : { stop_sequences: stop }),
    ...(serviceTier === undefined ? {} : { service_tier: serviceTier }),
    ...(thinking === undefined
      ? {}
      : {
          thinking: {
            type: thinking.type,
            ...(thinking.budgetTokens === undefined ? {} : { budget_tokens: thinking.budgetTokens }),
          },
        }),
  };
}

/** Tokens of an answer after its thoughts, if the model's limit leaves less. */
const AFTER_THOUGHTS = 4_096;
/** The length includes the budget of the thoughts, and must be greater. */
const longestWith = (longest: number, budget: number): number => (longest > budget ? longest : budget + AFTER_THOUGHTS);

/** OpenAI's own models take only the newer name of the answer's length, and few other servers know it. */
export function chatCompletionsSettings({ settings, concessions }: Settled & Pick<WireCall, "concessions">): object {
  const { effort, maxOutputTokens, stop, serviceTier } = settings;
  const length = concessions.has("max_completion_tokens") ? "max_completion_tokens" : "max_tokens";
  return {
    ...(maxOutputTokens === undefined ? {} : { [length]: maxOutputTokens }),
    ...sampling(settings),
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...(stop === undefined ? {} : { stop }),
    ...(serviceTier === undefined ? {} : { service_tier: serviceTier }),
  };
}

export function responsesSettings({ settings }: Settled): object {
  const { effort, maxOutputTokens, serviceTier } = settings;
  return {
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    ...sampling(settings),
    ...(effort === undefined ? {} : { reasoning: { effort } }),
    ...(serviceTier === undefined ? {} : { service_tier: serviceTier }),
  };
}

const sampling = ({ temperature, topP }: Pick<SetSettings, "temperature" | "topP">): object => ({
  ...(temperature === undefined ? {} : { temperature }),
  ...(topP === undefined ? {} : { top_p: topP }),
});

/** The body with the options that were given for it. They add to objects, and replace nothing that is set. */
export function withProviderOptions<T extends object>(body: T, options: JsonObject | undefined): T {
  if (options === undefined) return body;
  const merged = { ...body } as Record<string, unknown>;
  for (const [name, value] of Object.entries(options)) {
    const set = Object.hasOwn(merged, name) ? merged[name] : undefined;
    if (set === undefined) merged[name] = value;
    else if (isJsonObject(set) && isJsonObject(value)) merged[name] = withProviderOptions(set, value);
  }
  return merged as T;
}
