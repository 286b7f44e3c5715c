/**
 * Partial answers of a model: cut at a limit, filtered, or refused. Their text is the answer, with a warning; without
 * any text the job fails. Their calls may be incomplete, so none of them is made: the model is called again, and reads
 * the reason.
 */
import { type Block, type RunError, contentText, type ToolResultBlock, type ToolUseBlock } from "./schema.ts";
import { type StopReason, isPartial } from "./stop-reason.ts";

type StopWords = Readonly<Partial<Record<StopReason, string>>>;

/** Of an answer that has text. */
export const PARTIAL_ANSWER: StopWords = {
  length: "The answer is cut: it reached the model's limit of tokens.",
  content_filter: "The answer is cut: the model provider's filter withheld the rest.",
  refusal: "The model declined to answer.",
};

/** Of one that has none. */
const STOPPED_BEFORE_ANSWER: StopWords = {
  length: "The model reached its limit of tokens before it had answered.",
  content_filter: "The model provider's filter withheld the answer.",
  refusal: "The model declined to answer, without a word.",
};

const UNMADE: StopWords = {
  length: "your answer reached its limit of tokens, so the call may be incomplete. Make it again, in smaller parts",
  content_filter: "the provider's filter cut your answer, so the call may be incomplete. Make it again, in other words",
  refusal: "your answer was ended as a refusal. Make it again if you want to go on",
};

/** The results of calls that are not made because their answer is partial. */
export const unmadeCalls = (calls: readonly ToolUseBlock[], reason: StopReason): ToolResultBlock[] =>
  calls.map(({ id }) => ({
    type: "tool_result",
    tool_use_id: id,
    content: `Not made: ${UNMADE[reason] ?? "the answer is incomplete"}.`,
    is_error: true,
  }));

/** Whether the model is asked again because calls of this step were not made. */
export const isAskedAgain = (step: { readonly stopReason: StopReason; readonly blocks: readonly Block[] }): boolean =>
  isPartial(step.stopReason) && step.blocks.some(({ type }) => type === "tool_use");

/** The error of a partial answer without any text; null if it is not one. */
export function missingAnswer(reason: StopReason, blocks: readonly Block[]): RunError | null {
  const message = STOPPED_BEFORE_ANSWER[reason];
  return message === undefined || contentText(blocks).trim() !== "" ? null : { code: "no_answer", message };
}
