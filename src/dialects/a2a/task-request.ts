/** A request for one agent, and the task that it names. */
import { notFound, type Outcome } from "../../../actors/fault.ts";
import type { Caller } from "../../http/request/caller.ts";
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
