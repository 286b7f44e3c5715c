/**
 * What the tools need from the service. The composition root implements it over the actors; every
 * method acts with the permissions of `context.userId` (AUTH-7) and answers refusals as faults.
 */
import type { Outcome } from "../../../actors/fault.ts";
import type { ToolContext } from "../../../actors/job/ports.ts";
import type { TaskInput } from "../../../actors/organization/protocol.ts";
import type { Agent, Task, TaskStatus } from "../../../actors/organization/schema.ts";

export interface TaskFilter {
  readonly status: TaskStatus | null;
  readonly assignedTo: string | null;
  /** At most so many, newest first. */
  readonly limit: number;
}

/** What names a call of a tool, the same in each attempt (JOB-7). */
export interface CallName {
  readonly key: string;
  /** ISO 8601. */
  readonly openedAt: string;
}

export interface TaskService {
  listTasks(context: ToolContext, filter: TaskFilter): Promise<Outcome<readonly Task[]>>;
  /** The same call makes the same task, once, whatever happens in between (JOB-7). */
  createTask(context: ToolContext, input: TaskInput, call: CallName): Promise<Outcome<Task>>;
  /** The agents that this user may see, archived ones left out. */
  listAgents(context: ToolContext): Promise<Outcome<readonly Agent[]>>;
}
