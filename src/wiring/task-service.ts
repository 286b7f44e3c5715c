/** Implements the port of the task tools (`src/runner/tools/service.ts`) over the actors. */
import { ok } from "../../actors/fault.ts";
import { newTaskId } from "../../actors/ids.ts";
import type { Directory } from "../../actors/organization/directory.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import type { CallName, TaskService } from "../runner/tools/service.ts";

/** The most agents that the tool lists. */
const TOOL_LISTED_AGENTS = 200;
/** Characters of the random part of a task's id. */
const TASK_ID_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";

export function actorTaskService(system: TroupeSystem, directory: Directory): TaskService {
  return {
    async listTasks({ organizationId }, { status, assignedTo, limit }) {
      const settled = await system.settled(organizationId);
      if (!settled.ok) return settled;
      const filter = {
        ...(status === null ? {} : { status: [status] }),
        ...(assignedTo === null ? {} : { assignedTo }),
      };
      return ok(await directory.listTasks(organizationId, filter, limit));
    },

    createTask({ organizationId, agentId }, input, call) {
      const command = { kind: "create_task", createdBy: agentId, input, taskId: taskIdOf(call) } as const;
      return system.dispatch(organizationRef(organizationId), command);
    },

    async listAgents({ organizationId }) {
      const settled = await system.settled(organizationId);
      if (!settled.ok) return settled;
      return ok((await directory.listAgents(organizationId, TOOL_LISTED_AGENTS)).agents);
    },
  };
}

/** The id of a call's task, the same in each attempt (JOB-7). */
function taskIdOf({ key, openedAt }: CallName): string {
  const digest = new Bun.CryptoHasher("sha256").update(key).digest();
  const random = (length: number): string =>
    Array.from({ length }, (_, i) => TASK_ID_ALPHABET[digest[i]! % TASK_ID_ALPHABET.length]).join("");
  return newTaskId(Date.parse(openedAt), random);
}
