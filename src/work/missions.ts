/**
 * Starts the work of a mission (MIS-8): a run or a task in its own chat. The mission's turn that enters the run and the
 * chat's turn that starts the job are members of one group, so neither exists without the other. The ids derive from
 * the run, so that a retry after a crash joins the first attempt.
 */
import type { JobIds, RunBrief, TaskBrief } from "../../actors/mission/protocol.ts";
import type { Mission } from "../../actors/mission/schema.ts";
import { type Job, type JobTerms, PLAIN_TERMS } from "../../actors/job/schema.ts";
import type { Ask } from "../../actors/runtime/turns/members.ts";
import { keyedId, type PreparedWork } from "./prepared-work.ts";

/** The ids of the job and the chat of a run. */
export function idsOfRun(organizationId: string, runId: string): JobIds {
  const key = { purpose: "mission", key: `${organizationId}/${runId}` };
  return { jobId: keyedId("job", key), chatId: keyedId("cht", key) };
}

/** The member that opens the chat of a run and begins its job. */
export function runJob(work: PreparedWork, ids: JobIds, brief: RunBrief, requestId: string | null): Ask<Job | null> {
  const { mission, run, content } = brief;
  const runNumber = run.number ?? mission.runCount;
  return work.firstMessage({
    ...ids,
    opening: {
      workspaceId: mission.workspaceId,
      title: `${mission.title} #${runNumber}`,
      mission: { id: mission.id, runNumber },
    },
    content,
    sender: { type: "user", id: mission.createdBy },
    terms: { ...termsOf(mission, work), requestId },
  });
}

/** The member that opens the chat of a task and begins its job; null if a job is already active. */
export function taskJob(
  work: PreparedWork,
  ids: JobIds,
  brief: TaskBrief,
  requestId: string | null,
): Ask<Job | null> | null {
  const { mission, task, content } = brief;
  if (content === null) return null;
  return work.firstMessage({
    ...ids,
    opening: { workspaceId: mission.workspaceId, title: task.title },
    content,
    sender: { type: "user", id: mission.createdBy },
    terms: { ...termsOf(mission, work), priority: task.priority, missionTaskId: task.id, requestId },
  });
}

function termsOf(mission: Mission, { agent }: PreparedWork): JobTerms {
  const { id, priority, reviewRequired, budget, metadata = {}, modelSettings, settingsModel } = mission;
  // They were chosen for the mission's agent, and not for another one that works on a task.
  const isOwnAgent = agent.id === mission.agentId;
  return {
    ...PLAIN_TERMS,
    provenance: { origin: "mission" },
    priority,
    reviewRequired,
    budget: { ...budget, deadlineAt: null },
    metadata,
    missionId: id,
    ...(isOwnAgent && modelSettings !== undefined ? { modelSettings } : {}),
    ...(isOwnAgent && settingsModel !== undefined ? { settingsModel } : {}),
  };
}
