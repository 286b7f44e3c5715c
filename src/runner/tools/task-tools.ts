/**
 * `list_tasks` (newest first), `create_task`, which leaves work for an agent or a person and starts nothing by itself
 * (V1-7), and `list_agents`: the agents that work can be assigned to.
 */
import { type Task, TASK_PRIORITIES, TASK_STATUSES } from "../../../actors/organization/schema.ts";
import { visibleText } from "../../../actors/visible-text.ts";
import { OneOf, Type } from "../../../actors/schema.ts";
import { decidedResult, defineTool, type Tool } from "./tool.ts";
import type { TaskService } from "./service.ts";

/** Tasks in one answer: by default, and at most. */
const TASKS_OF_ANSWER = 50;
export const MAX_LISTED_TASKS = 200;

export const listTasks = (service: TaskService): Tool =>
  defineTool({
    name: "list_tasks",
    description: "Tasks of this organization, newest first. Filters must all match.",
    input: Type.Object({
      status: Type.Optional(OneOf(TASK_STATUSES, { description: "Only tasks with this status" })),
      assigned_to: Type.Optional(Type.String({ description: "Only tasks of this agent or user, by id" })),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: MAX_LISTED_TASKS, description: `${TASKS_OF_ANSWER} by default` }),
      ),
    }),
    access: "safe",
    safeToRepeat: true,
    readOnly: true,
    run({ status, assigned_to, limit }, call) {
      const filter = { status: status ?? null, assignedTo: assigned_to ?? null, limit: limit ?? TASKS_OF_ANSWER };
      return decidedResult(
        call,
        () => service.listTasks(call.context, filter),
        (tasks) => ({ tasks: tasks.map(taskForModel) }),
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

export const listAgentsTool = (service: TaskService): Tool =>
  defineTool({
    name: "list_agents",
    description: "The agents of this organization, with their ids, names and roles.",
    input: Type.Object({}),
    access: "safe",
    safeToRepeat: true,
    readOnly: true,
    run: (_input, call) =>
      decidedResult(
        call,
        () => service.listAgents(call.context),
        (agents) => ({ agents: agents.map(({ id, name, role }) => ({ id, name, role })) }),
      ),
  });

const MAX_TASK_TITLE = 500;
const MAX_TASK_DESCRIPTION = 20_000;

export const createTask = (service: TaskService): Tool =>
  defineTool({
    name: "create_task",
    description: "Creates a task. It is pending and starts nothing by itself.",
    input: Type.Object({
      title: Type.String({ minLength: 1, maxLength: MAX_TASK_TITLE }),
      description: Type.Optional(Type.String({ maxLength: MAX_TASK_DESCRIPTION })),
      priority: Type.Optional(OneOf(TASK_PRIORITIES, { description: "medium by default" })),
      assign_to: Type.Optional(Type.String({ description: "The id of an agent or a user; unassigned by default" })),
    }),
    access: "granted",
    // The service creates one task per key.
    safeToRepeat: true,
    run({ title, description, priority, assign_to }, call) {
      const { context, idempotencyKey: key, openedAt } = call;
      const input = {
        title: visibleText(title),
        description: description === undefined ? null : visibleText(description),
        priority: priority ?? "medium",
        // An empty text names nobody (V1-7).
        assignedTo: assign_to || null,
        workspaceId: null,
      };
      return decidedResult(
        call,
        () => service.createTask(context, input, { key, openedAt }),
        (task) => ({ task: taskForModel(task) }),
      );
    },
  });
