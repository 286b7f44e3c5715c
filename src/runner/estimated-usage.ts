/**
 * Estimates the tokens of a call that its provider has not counted, so that budgets and reports count them. An estimate
 * is marked: `estimatedTokens` says how many of the tokens are one.
 */
import type { ModelCall, ModelOutcome } from "../../actors/job/ports.ts";
import { promptLength } from "../../actors/job/run/context-window.ts";
import type { AnswerBlock, Usage } from "../../actors/job/schema.ts";

/** Between code and English, in today's tokenizers. */
const BYTES_PER_TOKEN = 3;

type EstimatedCall = Pick<ModelCall, "system" | "entries" | "tools">;

/**
 * The outcome with estimates for missing counts. A call with an answer has always used tokens, even if it broke off or
 * was cancelled. `input`: the tokens of the request; `cached`: those that the provider probably read from its cache.
 */
export function withEstimate(outcome: ModelOutcome, input: () => number, cached = 0): ModelOutcome {
  if (outcome.usage === undefined) return outcome;
  const bytes =
    outcome.kind === "finished"
      ? outcome.blocks.reduce((sum, block) => sum + answerBlockBytes(block), 0)
      : Math.max(Buffer.byteLength(outcome.partialText), outcome.answeredChars ?? 0);
  // A call that ended before any answer may have cost nothing.
  if (outcome.kind !== "finished" && bytes === 0) return outcome;
  const usage = estimateUsage(outcome.usage, {
    inputOfCall: input,
    cached,
    output: Math.ceil(bytes / BYTES_PER_TOKEN),
  });
  return usage === null ? outcome : { ...outcome, usage };
}

/** The tokens of a call. With images and files they are counted at once: its entries are dropped once they are sent. */
export function inputEstimate(call: EstimatedCall & Pick<ModelCall, "onSent">): () => number {
  if (call.onSent === undefined) return () => estimatedInput(call);
  const tokens = estimatedInput(call);
  return () => tokens;
}

/** Null if nothing is missing. */
function estimateUsage(
  usage: Usage,
  {
    inputOfCall,
    cached,
    output,
  }: { readonly inputOfCall: () => number; readonly cached: number; readonly output: number },
): Usage | null {
  const inputTokens = usage.inputTokens > 0 ? 0 : inputOfCall();
  const outputTokens = usage.outputTokens > 0 ? 0 : output;
  if (inputTokens + outputTokens === 0) return null;
  const cachedInputTokens = Math.min(cached, inputTokens);
  return {
    ...usage,
    ...(cachedInputTokens === 0 ? {} : { cachedInputTokens }),
    inputTokens: usage.inputTokens + inputTokens,
    outputTokens: usage.outputTokens + outputTokens,
    estimatedTokens: inputTokens + outputTokens,
  };
}

function estimatedInput(call: EstimatedCall): number {
  const { bytes, attached = 0 } = promptLength(call);
  return Math.ceil(bytes / BYTES_PER_TOKEN) + attached;
}

const answerBlockBytes = (block: AnswerBlock): number =>
  Buffer.byteLength(block.type === "tool_use" ? block.name + JSON.stringify(block.input) : block.text);
