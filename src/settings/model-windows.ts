/** The operator's settings for models' windows and inputs: `openai-compatible:qwen3=40960`, `…=text+image`. */
import { inputEntry } from "../../actors/job/input-entry.ts";
import { thinkingEntry } from "../../actors/job/thinking-entry.ts";
import { LEAST_WINDOW, windowEntry } from "../../actors/job/window-entry.ts";

export const MODEL_WINDOWS_SETTING = {
  env: "MODEL_WINDOWS",
  default: [] as string[],
  allowed: `entries provider:name=tokens, separated by commas, of at least ${LEAST_WINDOW} tokens`,
};

export const MODEL_INPUTS_SETTING = {
  env: "MODEL_INPUTS",
  default: [] as string[],
  allowed: "entries provider:name=text, =text+image, =text+file or =text+image+file, separated by commas",
};

export const MODEL_THINKING_SETTING = {
  env: "MODEL_THINKING",
  default: [] as string[],
  allowed: "entries provider:name=tags, =open or =off, separated by commas",
};

/** How models think, by `provider:name`. */
export const thinkingOf = ({ modelThinking = [] }: { readonly modelThinking?: readonly string[] }) =>
  new Map(modelThinking.flatMap((entry) => [thinkingEntry(entry) ?? []].filter((pair) => pair.length === 2)));

/** The inputs of models, by `provider:name`. */
export const inputsOf = ({ modelInputs = [] }: { readonly modelInputs?: readonly string[] }) =>
  new Map(modelInputs.flatMap((entry) => [inputEntry(entry) ?? []].filter((pair) => pair.length === 2)));

/** Tokens by `provider:name`. */
export const windowsOf = ({ modelWindows = [] }: { readonly modelWindows?: readonly string[] }) =>
  new Map(modelWindows.flatMap((entry) => [windowEntry(entry) ?? []].filter((pair) => pair.length === 2)));
