/** Which input a model reads, in the operator's notation: `provider:name=text+image` (FILE-8). */
import { type ModelInput, MODEL_INPUTS } from "../upload/terms.ts";

/** The model and the input that it reads; null if the entry is malformed. */
export function inputEntry(entry: string): readonly [string, readonly ModelInput[]] | null {
  const [, name, list = ""] = /^([^\s=]+:[^\s=]+)=(text(?:\+(?:image|file)){0,2})$/.exec(entry) ?? [];
  return name === undefined ? null : [name, MODEL_INPUTS.filter((input) => list.split("+").includes(input))];
}
