/** What a job that clones a repository reports to its workspace when it ends: a message in the commit of the end. */
import type { Tx } from "../runtime/actor.ts";
import type { WorkspaceCommand } from "../workspace/protocol.ts";
import { REPOSITORY_MODEL, workspaceRef } from "../workspace/schema.ts";
import type { JobIn } from "./schema.ts";

/** Sends the end of this job to its workspace, if it clones for it. */
export function reportToWorkspace<J extends JobIn<"completed" | "failed" | "cancelled">>(tx: Tx, job: J): J {
  const { organizationId, id: jobId, workspaceId, agent, error } = job;
  if (agent.model !== REPOSITORY_MODEL || workspaceId === null) return job;
  const words = error?.message ?? "The clone was cancelled";
  const command: WorkspaceCommand = { kind: "clone_job_ended", jobId, error: words };
  tx.send(workspaceRef(organizationId, workspaceId), command);
  return job;
}
