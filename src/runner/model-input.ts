/**
 * What a model reads besides text (FILE-8): by MODEL_INPUTS, else by its name as its maker documents it, else text
 * alone. Text files go to every model.
 */
import type { ModelInput } from "../../actors/upload/terms.ts";
import type { Target } from "./model-name.ts";

const TEXT: readonly ModelInput[] = ["text"];
const IMAGES: readonly ModelInput[] = ["text", "image"];
const ALL: readonly ModelInput[] = ["text", "image", "file"];

/** By what the name holds; the first that fits counts. */
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

/** `inputs`: by `provider:name`, as the operator has set them. */
export function inputOfTarget(
  { kind, provider, name }: Target,
  inputs: ReadonlyMap<string, readonly ModelInput[]>,
): readonly ModelInput[] {
  const set = inputs.get(`${provider}:${name}`);
  if (set !== undefined) return set;
  // It tells what it gets.
  if (kind === "demo") return ALL;
  const known = BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? TEXT;
  // Servers of the compatible format take images; documents are OpenAI's own.
  return kind === "compatible" && known === ALL ? IMAGES : known;
}

/** Where no model can be used. */
export const NO_INPUT = TEXT;
