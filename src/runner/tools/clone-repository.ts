/** `clone_repository`: the tool of jobs that clone (`repository-model.ts`); no agent has it. */
import type { Outcome } from "../../../actors/fault.ts";
import type { ToolContext, ToolHost } from "../../../actors/job/ports.ts";
import { Type } from "../../../actors/schema.ts";
import { REPOSITORY_MODEL } from "../../../actors/workspace/schema.ts";
import { CLONE_TOOL } from "../repository-model.ts";
import { defineTool, failure, outcomeResult, type ToolSource, type WaitingTool } from "./tool.ts";

export interface CloneService {
  /**
   * Clones the repository that the workspace has assigned to the job of the call, and updates the files of its mount to
   * that commit. Answers what it did, or why it failed, in words for people. May be repeated.
   */
  clone(
    context: ToolContext,
    run: WaitingTool & { readonly host: ToolHost },
  ): Promise<Outcome<string> | { readonly ok: false; readonly words: string }>;
}

export const cloneTools = (clones: CloneService): ToolSource => {
  const tool = defineTool({
    name: CLONE_TOOL,
    description: "Clones the repository that the job is for.",
    input: Type.Object({}),
    access: "granted",
    safeToRepeat: true,
    async run(_, { context, host, pauses, signal }) {
      const cloned = await clones.clone(context, { host, pauses, signal });
      return "words" in cloned ? failure(cloned.words) : outcomeResult(cloned, (words) => words);
    },
  });
  return {
    find: ({ model }) =>
      Promise.resolve({
        tools: model === REPOSITORY_MODEL ? [tool] : [],
        missing: { required: [], optional: [] },
        notes: [],
        whyMissing: () => null,
      }),
  };
};
