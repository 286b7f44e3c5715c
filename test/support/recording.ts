/** A stream as a provider sends it: whole, with all that we do not read. Shared by the recordings of each format. */
import type { ModelOutcome } from "../../actors/job/ports.ts";
import type { Citation } from "../../actors/job/citation.ts";
import type { RunErrorCode, ToolUseBlock, Usage } from "../../actors/job/schema.ts";
import type { JsonObject } from "../../actors/schema.ts";
import type { FormatName } from "./model-ways.ts";

type Finished = Extract<ModelOutcome, { readonly kind: "finished" }>;

export interface Recording {
  readonly format: FormatName;
  readonly about: string;
  readonly stream: string;
  /** What a call makes of it, or the code with which it fails. */
  readonly reads: Omit<Finished, "kind"> | RunErrorCode;
  /** Where the reference does worse, and we do not follow it. */
  readonly referenceReads?: Omit<Finished, "kind"> | RunErrorCode;
}

export const data = (frame: object | string): string =>
  `data: ${typeof frame === "string" ? frame : JSON.stringify(frame)}\n\n`;
export const event = (frame: { readonly type: string; readonly [name: string]: unknown }): string =>
  `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`;
export const text = (words: string) => ({ type: "text", text: words }) as const;
export const thought = (words: string) => ({ type: "reasoning", text: words }) as const;
export const call = (id: string, name: string, input: JsonObject): ToolUseBlock => ({
  type: "tool_use",
  id,
  name,
  input,
});
export const cited = (start: number, end: number, of: Partial<Citation>): Citation => ({
  start,
  end,
  type: "url",
  title: null,
  url: null,
  document_index: null,
  first_page: null,
  last_page: null,
  cited_text: null,
  ...of,
});
export const tokens = (inputTokens: number, outputTokens: number) => ({ inputTokens, outputTokens });
export const partlyCached = (
  input: number,
  output: number,
  cachedInputTokens: number,
  cacheWriteTokens = 0,
): Usage => ({
  ...tokens(input, output),
  cachedInputTokens,
  ...(cacheWriteTokens === 0 ? {} : { cacheWriteTokens }),
});
