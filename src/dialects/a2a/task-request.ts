/** A request for one agent, and the task that it names. */
import { notFound, ok, type Outcome } from "../../../actors/fault.ts";
import { type Job, jobRef } from "../../../actors/job/schema.ts";
import type { Caller } from "../../http/request/caller.ts";
import { readRun } from "../runs/followed-run.ts";
import type { ProtocolServices } from "../runs/protocol.ts";
import type { TaskJob } from "./task.ts";

export interface A2aRequest {
  readonly caller: Caller;
  readonly agentId: string;
}

/** The job of a task of this agent, as the caller may see it. */
export async function readTaskJob(
  { invoke }: Pick<ProtocolServices, "invoke">,
  { caller, agentId }: A2aRequest,
  taskId: string,
): Promise<Outcome<TaskJob>> {
  const job = (await invoke("getJob", caller, { params: { id: taskId } })) as Outcome<TaskJob>;
  return job.ok && job.value.agent_id !== agentId ? notFound("job") : job;
}

/** The job of a task, and its record. */
export interface TaskOfRun {
  readonly job: TaskJob;
  readonly record: Job;
}

/** The same with the record, for a reader of its events. */
export async function readTaskRun(
  services: Pick<ProtocolServices, "invoke" | "system">,
  request: A2aRequest,
  taskId: string,
): Promise<Outcome<TaskOfRun>> {
  const job = await readTaskJob(services, request, taskId);
  if (!job.ok) return job;
  const ref = jobRef(request.caller.principal.organizationId, taskId);
  const record = await services.system.dispatch(ref, { kind: "read_job" });
  return record.ok ? ok({ job: job.value, record: record.value }) : record;
}

/** The same of a task that the caller's message has begun, so that only its record has to be read. */
export async function readBegunTask(
  services: Pick<ProtocolServices, "invoke" | "system" | "shownJob">,
  request: A2aRequest,
  taskId: string,
): Promise<Outcome<TaskOfRun>> {
  const record = await readRun(services, request.caller, taskId);
  if (!record.ok) return record;
  if (record.value.agent.id !== request.agentId) return notFound("job");
  // What is shown of approvals depends on their reader, and on the people who have voted.
  if (record.value.approvals.length > 0) return readTaskRun(services, request, taskId);
  return ok({ job: services.shownJob(record.value) as TaskJob, record: record.value });
}
