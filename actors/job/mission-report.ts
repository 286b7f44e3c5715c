/** What a job of a mission reports to it when it ends: a message in the commit of the end, so no crash can lose it. */
import { preview } from "../chat/schema.ts";
import type { MissionCommand } from "../mission/protocol.ts";
import { missionRef, RESULT_CHARACTERS } from "../mission/schema.ts";
import type { Tx } from "../runtime/actor.ts";
import type { JobIn } from "./schema.ts";

/** Sends the end of this job to its mission, if it has one. */
export function reportToMission<J extends JobIn<"completed" | "failed" | "cancelled">>(tx: Tx, job: J): J {
  const { organizationId, id: jobId, missionId, missionTaskId: taskId, status, result, error } = job;
  if (missionId === null) return job;
  const command: MissionCommand = {
    kind: "job_ended",
    jobId,
    taskId,
    status,
    result: result === null ? null : preview(result, RESULT_CHARACTERS),
    error: error === null ? null : { code: error.code, message: error.message },
  };
  tx.send(missionRef(organizationId, missionId), command);
  return job;
}
