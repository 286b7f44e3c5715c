/** Tasks: a new one is pending; assigning it starts nothing by itself (V1-7). */
import { newTaskId } from "../ids.ts";
import { ok } from "../fault.ts";
import type { Handlers } from "../runtime/actor.ts";
import type { OrganizationProtocol } from "./protocol.ts";
import { taskTable } from "./schema.ts";

export const taskHandlers: Pick<Handlers<OrganizationProtocol>, "create_task"> = {
  create_task(tx, { createdBy, input, taskId }) {
    if (taskId !== undefined) {
      const present = tx.read(taskTable, taskId);
      if (present !== null) return ok(present);
    }
    const id = taskId ?? newTaskId(tx.now, tx.random);
    return ok(tx.create(taskTable, { ...input, id, status: "pending", createdBy, completedAt: null }));
  },
};
