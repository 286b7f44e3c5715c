/** What a model reads as the operator says it: `provider:name=text+image` (FILE-8). */
import { type ModelInput, MODEL_INPUTS } from "../upload/terms.ts";

/** The model and what it reads; null where the entry is none. */
export function inputEntry(entry: string): readonly [string, readonly ModelInput[]] | null {
  const [, name, list = ""] = /^([^\s=]+:[^\s=]+)=(text(?:\+(?:image|file)){0,2})$/.exec(entry) ?? [];
  return name === undefined ? null : [name, MODEL_INPUTS.filter((input) => list.split("+").includes(input))];
}
