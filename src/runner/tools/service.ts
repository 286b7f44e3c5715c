/**
 * What the tools need from the service. The composition root implements it over the actors; every
 * method acts with the permissions of `context.userId` (AUTH-7) and answers refusals as faults.
 */
import type { Outcome } from "../../../actors/fault.ts";
import type { ToolContext } from "../../../actors/job/ports.ts";
import type { TaskInput } from "../../../actors/organization/protocol.ts";
import type { Agent, Task, TaskStatus } from "../../../actors/organization/schema.ts";

export interface ToolTaskFilter {
  readonly status: TaskStatus | null;
  readonly assignedTo: string | null;
  /** The most tasks to answer, newest first. */
  readonly limit: number;
}

/** Identifies a call of a tool, the same in each attempt (JOB-7). */
export interface CallName {
  readonly key: string;
  /** ISO 8601. */
  readonly openedAt: string;
}

export interface TaskService {
  listTasks(context: ToolContext, filter: ToolTaskFilter): Promise<Outcome<readonly Task[]>>;
  /** Creates one task per call, also across retries and crashes (JOB-7). */
  createTask(context: ToolContext, input: TaskInput, call: CallName): Promise<Outcome<Task>>;
  /** The agents that this user may see, without archived ones. */
  listAgents(context: ToolContext): Promise<Outcome<readonly Agent[]>>;
}
