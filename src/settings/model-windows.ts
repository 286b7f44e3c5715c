/** What the operator has set for models by name: windows, inputs and reasoning. */
import { inputEntry, thinkingEntry, windowEntry } from "../../actors/job/model-entry.ts";

/** How models think, by `provider:name`. */
export const thinkingOf = ({ modelThinking = [] }: { readonly modelThinking?: readonly string[] }) =>
  new Map(modelThinking.flatMap((entry) => [thinkingEntry(entry) ?? []].filter((pair) => pair.length === 2)));

/** The inputs of models, by `provider:name`. */
export const inputsOf = ({ modelInputs = [] }: { readonly modelInputs?: readonly string[] }) =>
  new Map(modelInputs.flatMap((entry) => [inputEntry(entry) ?? []].filter((pair) => pair.length === 2)));

/** Tokens by `provider:name`. */
export const windowsOf = ({ modelWindows = [] }: { readonly modelWindows?: readonly string[] }) =>
  new Map(modelWindows.flatMap((entry) => [windowEntry(entry) ?? []].filter((pair) => pair.length === 2)));
