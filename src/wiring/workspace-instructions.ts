/** A workspace's instructions for the agents that work in it (WSP-15), as a note in addition to the agent's own. */
import type { ToolContext } from "../../actors/job/ports.ts";
import { jobRef } from "../../actors/job/schema.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import { REPOSITORY_MODEL, workspaceRef } from "../../actors/workspace/schema.ts";
import type { ToolSource } from "../runner/tools/tool.ts";

/** A source of notes only, without tools. */
export const workspaceInstructions = (system: TroupeSystem): ToolSource => ({
  async find({ model }, context) {
    const words = model === REPOSITORY_MODEL ? null : await instructionsOf(system, context);
    return {
      tools: [],
      missing: { required: [], optional: [] },
      notes: words === null ? [] : [`Instructions of the workspace that you work in:\n${words}`],
      whyMissing: () => null,
    };
  },
});

/** Null if there are none. A job whose workspace is gone continues without them. */
async function instructionsOf(system: TroupeSystem, { organizationId, jobId }: ToolContext): Promise<string | null> {
  const job = await system.dispatch(jobRef(organizationId, jobId), { kind: "read_job" });
  const workspaceId = job.ok ? job.value.workspaceId : null;
  if (workspaceId === null) return null;
  const workspace = await system.dispatch(workspaceRef(organizationId, workspaceId), { kind: "read_workspace" });
  const words = workspace.ok ? (workspace.value.instructions ?? "").trim() : "";
  return words === "" ? null : words;
}
