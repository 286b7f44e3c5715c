/**
 * Which settings a model takes (RUN-32), as far as it is known before a call: by the format of its provider, and by the
 * names of models whose makers document what they refuse. What is not known here goes to the provider.
 */
import type { CallSettingName, SetSettings } from "../../actors/job/model-settings.ts";
import type { SettingProblem } from "../../actors/job/ports.ts";
import { didYouMean } from "../../actors/near-name.ts";
import type { ModelTarget } from "./model-name.ts";

/** Claude from 4.7 on has no sampling and no fixed budget of thought. */
const CLAUDE_WITHOUT_SAMPLING = /claude-(?:opus|sonnet|haiku)-4-[78]|claude-[a-z]+-[5-9](?:$|[-.@])/;
/** Claude before 4.6 does not decide itself how long it thinks. */
const CLAUDE_WITHOUT_ADAPTIVE =
  /claude-(?:instant|v?2|3)|claude-(?:opus|sonnet|haiku)-4(?:$|@|-(?:\d{8}|[015](?:$|[-@])))/;
/** Models of OpenAI that reason refuse sampling, except without effort. */
const OPENAI_REASONING = /^(?:o\d|gpt-5(?!.*chat))/;
/** With thinking, Claude takes `top_p` only from here on. */
const LEAST_THINKING_TOP_P = 0.95;

const ANTHROPIC_EFFORTS: readonly string[] = ["low", "medium", "high", "xhigh", "max"];
const OPENAI_EFFORTS: readonly string[] = ["none", "minimal", "low", "medium", "high", "xhigh"];
const ANTHROPIC_TIERS: readonly string[] = ["auto", "standard_only"];
const OPENAI_TIERS: readonly string[] = ["auto", "default", "flex", "priority", "scale"];

const SETTINGS_NOT_TAKEN: Readonly<Record<ModelTarget["kind"], Partial<Record<CallSettingName, string>>>> = {
  messages: {},
  responses: {
    stop: "the Responses format has none",
    thinking: "the Responses format has `effort` instead",
  },
  "chat-completions": {
    thinking: "chat completions have `effort`, and some servers fields of their own for `provider_options`",
  },
  "ai-sdk": {
    serviceTier: "packages of the AI SDK take it in `provider_options`",
    thinking: "packages of the AI SDK have `effort`, and take it in `provider_options`",
  },
  demo: Object.fromEntries(
    (["effort", "temperature", "topP", "serviceTier", "thinking", "providerOptions"] as const).map((name) => [
      name,
      "the demo is no language model and ignores it",
    ]),
  ),
};

/** What of the settings the model does not take, with the reason of each. */
export function settingProblems(target: ModelTarget, settings: SetSettings): readonly SettingProblem[] {
  const { kind } = target;
  const problems = Object.entries(SETTINGS_NOT_TAKEN[kind]).flatMap(([name, why]): SettingProblem[] => {
    const setting = name as CallSettingName;
    if (settings[setting] === undefined) return [];
    return [{ setting, why, ...(kind === "demo" ? { isHarmless: true as const } : {}) }];
  });
  if (kind === "messages") problems.push(...anthropicProblems(target.name, settings));
  if (kind === "responses") problems.push(...openaiProblems(target.name, settings));
  return problems;
}

/** The settings without those that the model does not take. */
export function takenSettings(settings: SetSettings, problems: readonly SettingProblem[]): SetSettings {
  if (problems.length === 0) return settings;
  const left = new Set<string>(problems.map(({ setting }) => setting));
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !left.has(name)));
}

function anthropicProblems(model: string, settings: SetSettings): SettingProblem[] {
  const { effort, maxOutputTokens, temperature, topP, stop, serviceTier, thinking } = settings;
  const problems: SettingProblem[] = [];
  const add = (setting: CallSettingName, why: string): void => void problems.push({ setting, why });
  const isThinking = thinking !== undefined && thinking.type !== "disabled";
  if (CLAUDE_WITHOUT_SAMPLING.test(model)) {
    if (temperature !== undefined) add("temperature", "this model has none; it has `effort`");
    if (topP !== undefined) add("topP", "this model has none; it has `effort`");
  } else {
    if (temperature !== undefined && temperature > 1) add("temperature", "Anthropic's models take at most 1");
    else if (temperature !== undefined && temperature !== 1 && isThinking)
      add("temperature", "a model that thinks has none");
    if (topP !== undefined && temperature !== undefined)
      add("topP", "Anthropic's models take either this or `temperature`");
    else if (topP !== undefined && topP < LEAST_THINKING_TOP_P && isThinking)
      add("topP", `a model that thinks takes at least ${LEAST_THINKING_TOP_P}`);
  }
  if (effort !== undefined) problems.push(...unlisted("effort", effort, ANTHROPIC_EFFORTS));
  if (serviceTier !== undefined) problems.push(...unlisted("serviceTier", serviceTier, ANTHROPIC_TIERS));
  if (stop?.some((text) => text.trim() === "") === true) add("stop", "Anthropic takes no blank text");
  if (thinking?.type === "enabled" && CLAUDE_WITHOUT_SAMPLING.test(model))
    add("thinking", "this model has no thinking budget; use `adaptive`, and `effort`");
  else if (thinking?.type === "adaptive" && CLAUDE_WITHOUT_ADAPTIVE.test(model))
    add("thinking", "this model does not decide how long it thinks; use `enabled` with `budget_tokens`");
  else if ((maxOutputTokens ?? Infinity) <= (thinking?.budgetTokens ?? 0))
    add("thinking", "`budget_tokens` must be less than `max_output_tokens`, which includes it");
  return problems;
}

function openaiProblems(model: string, settings: SetSettings): SettingProblem[] {
  const { effort, temperature, topP, serviceTier } = settings;
  const problems: SettingProblem[] = [];
  if (OPENAI_REASONING.test(model) && effort !== "none") {
    const why = "a model that reasons has none, except with `effort` `none`";
    if (temperature !== undefined) problems.push({ setting: "temperature", why });
    if (topP !== undefined) problems.push({ setting: "topP", why });
  }
  if (effort !== undefined) problems.push(...unlisted("effort", effort, OPENAI_EFFORTS));
  if (serviceTier !== undefined) problems.push(...unlisted("serviceTier", serviceTier, OPENAI_TIERS));
  return problems;
}

const unlisted = (setting: CallSettingName, value: string, known: readonly string[]): SettingProblem[] =>
  known.includes(value)
    ? []
    : [{ setting, why: `its provider has ${known.join(", ")}, and not \`${value}\`${didYouMean(value, known)}` }];
