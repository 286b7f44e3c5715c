/**
 * Reports the end of a job to those who wait for it: by a message in the commit of the end, so that no crash can lose
 * it.
 */
import { preview } from "../chat/schema.ts";
import type { MissionCommand } from "../mission/protocol.ts";
import { missionRef, KEPT_RESULT_CHARACTERS } from "../mission/schema.ts";
import type { Tx } from "../runtime/actor.ts";
import type { JobIn } from "./schema.ts";
import type { WorkspaceCommand } from "../workspace/protocol.ts";
import { REPOSITORY_MODEL, workspaceRef } from "../workspace/schema.ts";

/** Sends the end of this job to its mission, if it has one. */
export function reportToMission<J extends JobIn<"completed" | "failed" | "cancelled">>(tx: Tx, job: J): J {
  const { organizationId, id: jobId, missionId, missionTaskId: taskId, status, result, error } = job;
  if (missionId === null) return job;
  const command: MissionCommand = {
    kind: "job_ended",
    jobId,
    taskId,
    status,
    result: result === null ? null : preview(result, KEPT_RESULT_CHARACTERS),
    error: error === null ? null : { code: error.code, message: error.message },
  };
  tx.send(missionRef(organizationId, missionId), command);
  return job;
}

/** Sends the end of this job to its workspace, if it clones for it. */
export function reportToWorkspace<J extends JobIn<"completed" | "failed" | "cancelled">>(tx: Tx, job: J): J {
  const { organizationId, id: jobId, workspaceId, agent, error } = job;
  if (agent.model !== REPOSITORY_MODEL || workspaceId === null) return job;
  const words = error?.message ?? "The clone was cancelled";
  const command: WorkspaceCommand = { kind: "clone_job_ended", jobId, error: words };
  tx.send(workspaceRef(organizationId, workspaceId), command);
  return job;
}
