/** What the address of a push notification gets: the task as it is now, as in a stream of A2A. */
import { A2A_VERSION } from "./card.ts";
import { a2aTask, isTaskOver, type TaskJob, taskMetadata, taskState, taskStatus } from "./task.ts";

/** A longer task is sent as its status; the receiver reads the task. */
export const PUSH_BODY_BYTES = 256 * 1_024;

/** The task once it has ended, before that its status. */
export function a2aPushBody(job: TaskJob, appUrl: string) {
  const { id: taskId, chat_id: contextId } = job;
  const status = (): string =>
    JSON.stringify({ statusUpdate: { taskId, contextId, status: taskStatus(job), metadata: taskMetadata(job) } });
  const whole = isTaskOver(taskState(job.status, job.blocked_reason))
    ? JSON.stringify({ task: a2aTask(job, { appUrl }) })
    : status();
  const body = Buffer.byteLength(whole) > PUSH_BODY_BYTES ? status() : whole;
  return { body, headers: { "Content-Type": "application/a2a+json", "A2A-Version": A2A_VERSION } };
}
