/**
 * Lifecycle events of jobs for webhooks (HOOK-4). Each event sends a message to the organization's webhook actor in the
 * same commit, whichever surface started the job.
 */
import type { Tx } from "../runtime/actor.ts";
import type { JsonObject } from "../schema.ts";
import { EVENT_FAMILIES, type EventActor, personActor, sendNews, type TakeEvent } from "../webhook/events.ts";
import { isTerminal } from "./machine.ts";
import { type Job, type JobStatus, jobTable } from "./schema.ts";

export type LifecycleType = `job.${(typeof EVENT_FAMILIES.job)[number]}`;

export const isLifecycle = (type: string): type is LifecycleType =>
  type.startsWith("job.") && EVENT_FAMILIES.job.some((name) => type === `job.${name}`);

/** The status that an event announces; null if the event does not change it. */
const ANNOUNCED_STATUS: Readonly<Record<LifecycleType, JobStatus | null>> = {
  "job.created": "queued",
  "job.started": "running",
  "job.blocked": "blocked",
  "job.resumed": "running",
  "job.review_requested": "needs_review",
  "job.approved": "completed",
  "job.denied": null,
  "job.tool_results": null,
  "job.iteration_requested": null,
  "job.cancelled": "cancelled",
  "job.completed": "completed",
  "job.failed": "failed",
  "job.restarted": "running",
};

/** Sends a lifecycle event of this turn's job. */
export function sendLifecycle(tx: Tx, type: LifecycleType, data: JsonObject): void {
  const job = tx.read(jobTable, tx.self.id);
  if (job === null) return;
  const by = data["by"] ?? data["decidedBy"];
  const actor: EventActor = typeof by === "string" ? personActor(by) : { type: "agent", id: job.agent.id };
  sendLifecycleEvent(tx, job, { type, data, actor, version: tx.versionAfter(jobTable, job.id) });
}

/** Sends the creation of a job in this turn. */
export function sendCreated(tx: Tx, job: Job): void {
  sendLifecycleEvent(tx, job, {
    type: "job.created",
    data: {},
    actor: { type: "user", id: job.createdBy },
    version: job.version,
  });
}

/** Whether this state is sent to the job's push addresses. The client learns of the creation from its answer. */
function pushedState({ isPushed }: Pick<Job, "isPushed">, type: LifecycleType): TakeEvent["push"] {
  const announced = ANNOUNCED_STATUS[type];
  return isPushed !== true || announced === null || announced === "queued"
    ? undefined
    : { isOver: isTerminal(announced) };
}

interface LifecycleEvent {
  readonly type: LifecycleType;
  readonly data: JsonObject;
  readonly actor: EventActor;
  readonly version: number;
}

function sendLifecycleEvent(tx: Tx, job: Job, { type, data, actor, version }: LifecycleEvent): void {
  const { id, title, status, chatId, workspaceId, missionId, parentJobId, rootJobId, requestId } = job;
  const about = { id, status: ANNOUNCED_STATUS[type] ?? status, title, chatId, agentId: job.agent.id, workspaceId };
  const news = {
    type,
    actor,
    requestId,
    resource: { type: "job", id, path: `/api/jobs/${id}`, version },
    data: { ...about, missionId, parentJobId, rootJobId, ...data },
    changes: ANNOUNCED_STATUS[type] === null ? [] : ["status"],
  };
  sendNews(tx, news, pushedState(job, type));
}
