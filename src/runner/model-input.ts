/**
 * What a model reads besides text (FILE-8): from MODEL_INPUTS, else by its name as its maker documents it, else text
 * only. Text files go to every model.
 */
import type { ModelInput } from "../../actors/upload/terms.ts";
import type { Target } from "./model-name.ts";

const TEXT: readonly ModelInput[] = ["text"];
const IMAGES: readonly ModelInput[] = ["text", "image"];
const ALL: readonly ModelInput[] = ["text", "image", "file"];

/** By a part of the name; the first match wins. */
const BY_NAME: readonly (readonly [RegExp, readonly ModelInput[]])[] = [
  [/claude-(?:instant|v?[12](?:[.\d]|$))/, TEXT],
  [/claude-3-(?:opus|sonnet|haiku)/, IMAGES],
  [/claude/, ALL],
  [/gpt-oss|gpt-3\.5|o1-(?:mini|preview)|o3-mini/, TEXT],
  [/gpt-4o|gpt-4\.1|gpt-[5-9]|(?:^|[/:-])o[134](?:$|-)/, ALL],
  [/gpt-4-(?:turbo|vision)/, IMAGES],
  [/gemini/, ALL],
  [/pixtral|mistral-(?:large|medium|small)-[34]|llama-?4|llama-?3\.2-?vision/, IMAGES],
  [/llava|vision|[-_.]vl\b|\dvl\b|minicpm-v|moondream|gemma-?3(?!n)/, IMAGES],
];

/** `inputs`: the operator's settings, by `provider:name`. */
export function inputOfTarget(
  { kind, provider, name }: Target,
  inputs: ReadonlyMap<string, readonly ModelInput[]>,
): readonly ModelInput[] {
  const set = inputs.get(`${provider}:${name}`);
  if (set !== undefined) return set;
  // The demo lists what it receives.
  if (kind === "demo") return ALL;
  const known = BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? TEXT;
  // Compatible servers accept images; only OpenAI itself accepts documents.
  return kind === "compatible" && known === ALL ? IMAGES : known;
}

/** If no model can be used. */
export const NO_INPUT = TEXT;
