/** `create_task`: leaves work for an agent or a person. Assigning starts nothing by itself (V1-7). */
import { visibleText } from "../../../actors/visible-text.ts";
import { TASK_PRIORITIES } from "../../../actors/organization/schema.ts";
import { Type } from "../../../actors/schema.ts";
import { taskForModel } from "./list-tasks.ts";
import { untilServiceDecides } from "./patience.ts";
import type { TaskService } from "./service.ts";
import { Choice, defineTool, outcomeResult, type Tool } from "./tool.ts";

const MAX_TASK_TITLE = 500;
const MAX_TASK_DESCRIPTION = 20_000;

export const createTask = (service: TaskService): Tool =>
  defineTool({
    name: "create_task",
    description: "Creates a task. It is pending and starts nothing by itself.",
    input: Type.Object({
      title: Type.String({ minLength: 1, maxLength: MAX_TASK_TITLE }),
      description: Type.Optional(Type.String({ maxLength: MAX_TASK_DESCRIPTION })),
      priority: Type.Optional(Choice(TASK_PRIORITIES, "medium by default")),
      assign_to: Type.Optional(Type.String({ description: "The id of an agent or a user; nobody by default" })),
    }),
    access: "granted",
    // The service creates one task per key.
    safeToRepeat: true,
    async run({ title, description, priority, assign_to }, { context, idempotencyKey: key, openedAt, pauses, signal }) {
      const input = {
        title: visibleText(title),
        description: description === undefined ? null : visibleText(description),
        priority: priority ?? "medium",
        // An empty text names nobody (V1-7).
        assignedTo: assign_to || null,
        workspaceId: null,
      };
      const made = await untilServiceDecides({ pauses, signal }, () =>
        service.createTask(context, input, { key, openedAt }),
      );
      return outcomeResult(made, (task) => ({ task: taskForModel(task) }));
    },
  });
