/**
 * What a model reads besides text (FILE-8): from MODEL_INPUTS, else by its name as its maker documents it, else text
 * only. Text files go to every model.
 */
import type { ModelInput } from "../../actors/upload/terms.ts";
import type { ModelTarget } from "./model-name.ts";

const TEXT_ONLY: readonly ModelInput[] = ["text"];
const TEXT_AND_IMAGES: readonly ModelInput[] = ["text", "image"];
const ALL_INPUTS: readonly ModelInput[] = ["text", "image", "file"];

/** By a part of the name; the first match wins. */
const INPUTS_BY_NAME: readonly (readonly [RegExp, readonly ModelInput[]])[] = [
  [/claude-(?:instant|v?[12](?:[.\d]|$))/, TEXT_ONLY],
  [/claude-3-(?:opus|sonnet|haiku)/, TEXT_AND_IMAGES],
  [/claude/, ALL_INPUTS],
  [/gpt-oss|gpt-3\.5|o1-(?:mini|preview)|o3-mini/, TEXT_ONLY],
  [/gpt-4o|gpt-4\.1|gpt-[5-9]|(?:^|[/:-])o[134](?:$|-)/, ALL_INPUTS],
  [/gpt-4-(?:turbo|vision)/, TEXT_AND_IMAGES],
  [/gemini/, ALL_INPUTS],
  [/pixtral|mistral-(?:large|medium|small)-[34]|llama-?4|llama-?3\.2-?vision/, TEXT_AND_IMAGES],
  [/llava|vision|[-_.]vl\b|\dvl\b|minicpm-v|moondream|gemma-?3(?!n)/, TEXT_AND_IMAGES],
];

/** `inputs`: the operator's settings, by `provider:name`. */
export function inputOfTarget(
  { kind, provider, name }: ModelTarget,
  inputs: ReadonlyMap<string, readonly ModelInput[]>,
): readonly ModelInput[] {
  const set = inputs.get(`${provider}:${name}`);
  if (set !== undefined) return set;
  // The demo lists what it receives.
  if (kind === "demo") return ALL_INPUTS;
  const known = INPUTS_BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? TEXT_ONLY;
  // Compatible servers accept images; only OpenAI itself accepts documents.
  return kind === "chat-completions" && known === ALL_INPUTS ? TEXT_AND_IMAGES : known;
}

/** If no model can be used. */
export const NO_INPUT = TEXT_ONLY;
