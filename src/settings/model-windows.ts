/** How much models take, as the operator says it: `openai-compatible:qwen3=40960`. */
import { LEAST_WINDOW, windowEntry } from "../../actors/job/window-entry.ts";

export const MODEL_WINDOWS_SETTING = {
  env: "MODEL_WINDOWS",
  default: [] as string[],
  allowed: `entries provider:name=tokens, separated by commas, of at least ${LEAST_WINDOW} tokens`,
};

/** Tokens by `provider:name`. */
export const windowsOf = ({ modelWindows = [] }: { readonly modelWindows?: readonly string[] }) =>
  new Map(modelWindows.flatMap((entry) => [windowEntry(entry) ?? []].filter((pair) => pair.length === 2)));
