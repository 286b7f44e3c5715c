/** `list_tasks`: the organization's tasks, newest first. */
import { type Task, TASK_STATUSES } from "../../../actors/organization/schema.ts";
import { Type } from "../../../actors/schema.ts";
import { untilServiceDecides } from "./patience.ts";
import type { TaskService } from "./service.ts";
import { Choice, defineTool, outcomeResult, type Tool } from "./tool.ts";

/** Tasks in one answer: by default, and at most. */
const TASKS_OF_ANSWER = 50;
export const MAX_LISTED_TASKS = 200;

export const listTasks = (service: TaskService): Tool =>
  defineTool({
    name: "list_tasks",
    description: "Tasks of this organization, newest first. Filters must all match.",
    input: Type.Object({
      status: Type.Optional(Choice(TASK_STATUSES, "Only tasks with this status")),
      assigned_to: Type.Optional(Type.String({ description: "Only tasks of this agent or user, by id" })),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: MAX_LISTED_TASKS, description: `${TASKS_OF_ANSWER} by default` }),
      ),
    }),
    access: "safe",
    safeToRepeat: true,
    readOnly: true,
    async run({ status, assigned_to, limit }, { context, pauses, signal }) {
      const filter = { status: status ?? null, assignedTo: assigned_to ?? null, limit: limit ?? TASKS_OF_ANSWER };
      return outcomeResult(
        await untilServiceDecides({ pauses, signal }, () => service.listTasks(context, filter)),
        (tasks) => ({
          tasks: tasks.map(taskForModel),
        }),
      );
    },
  });

/** A task as a model sees it. */
export const taskForModel = ({ id, title, description, status, priority, assignedTo, createdAt }: Task) => ({
  id,
  title,
  description,
  status,
  priority,
  assigned_to: assignedTo,
  created_at: createdAt,
});
