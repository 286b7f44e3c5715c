/**
 * Jobs that clone a repository run the same loop as every other job, so that progress, cancelling, slots and recovery
 * after a crash are the same. Instead of a language model they have these two steps: call `clone_repository`, then
 * report its result.
 */
import { ok } from "../../actors/fault.ts";
import { unmadeCall } from "../../actors/job/run/call-failures.ts";
import { type ModelCall, type ModelOutcome, type ModelPort, withCalls } from "../../actors/job/ports.ts";
import { NO_USAGE, type ToolResultBlock, contentText } from "../../actors/job/schema.ts";
import { REPOSITORY_MODEL } from "../../actors/workspace/schema.ts";

export const CLONE_TOOL = "clone_repository";

/** The models, and the one for clones. Only the loop of jobs uses it, so that no agent can select it. */
export const withRepositoryModel = (models: ModelPort): ModelPort => ({
  ...withCalls(models, (call, onText, signal) =>
    call.model === REPOSITORY_MODEL ? Promise.resolve(step(call, onText)) : models.call(call, onText, signal),
  ),
  describe: (model) =>
    model === REPOSITORY_MODEL ? ok({ provider: "troupe", name: "git", demo: false }) : models.describe(model),
  // A clone costs nothing.
  hasPrice: (model) => model === REPOSITORY_MODEL || models.hasPrice?.(model) === true,
});

function step({ entries }: ModelCall, onText: (text: string) => void): ModelOutcome {
  const results = entries.flatMap((entry) =>
    entry.role === "assistant"
      ? entry.blocks.filter((block): block is ToolResultBlock => block.type === "tool_result")
      : [],
  );
  const result = results.at(-1);
  if (result === undefined)
    return {
      kind: "finished",
      blocks: [{ type: "tool_use", id: "clone", name: CLONE_TOOL, input: {} }],
      usage: NO_USAGE,
      finishReason: "tool_use",
    };
  if (result.is_error) return unmadeCall({ code: "clone_failed", message: result.content });
  const blocks = [{ type: "text", text: result.content }] as const;
  onText(contentText(blocks));
  return { kind: "finished", blocks, usage: NO_USAGE, finishReason: "stop" };
}
