/** The service about itself: its state machines as data, and whether what must never be is not (JOB-2, JOB-4). */
import { CHAT_ACTIONS, CHAT_MACHINE, CHAT_TRIGGERS } from "../../../actors/chat/machine.ts";
import { ok } from "../../../actors/fault.ts";
import { isTerminal, JOB_ACTIONS, JOB_MACHINE, JOB_TRIGGERS } from "../../../actors/job/machine.ts";
import { JOB_STATUSES } from "../../../actors/job/schema.ts";
import { unlessOwner } from "../../../actors/organization/principal.ts";
import { TASK_ACTIONS, TASK_MACHINE } from "../../../actors/organization/task-machine.ts";
import { lookUp } from "../../http/look-up.ts";
import { operationRoutes } from "../../http/operation-routes.ts";
import type { Surface } from "../../http/surface.ts";
import type { CurrentParts } from "../parts.ts";
import { overviewOperations } from "./operations.ts";

export const overviewRoutes = (current: Surface, { system, jobs, log }: CurrentParts) =>
  operationRoutes(current, overviewOperations, {
    listStateMachines: () => Promise.resolve(ok({ machines: MACHINES })),

    async checkInvariants({ principal }) {
      const refused = unlessOwner(principal);
      if (refused !== null) return refused;
      const settled = await system.settled(principal.organizationId);
      if (!settled.ok) return settled;
      const counts = await lookUp(log, jobs.countBroken());
      if (!counts.ok) return counts;
      const { runningWithoutEffect, effectsWithoutJob, endedWithEffect } = counts.value;
      const checks = [
        { name: "running_jobs_without_owner", count: runningWithoutEffect },
        { name: "work_without_job", count: effectsWithoutJob },
        { name: "ended_jobs_with_work", count: endedWithEffect },
        { name: "parked_messages", count: system.parkedMessages },
      ];
      return ok({ ok: checks.every(({ count }) => count === 0), checks });
    },
  });

type Table<S extends string, T extends string> = Readonly<Record<S, Readonly<Record<T, S | null>>>>;

/** A table as data: only the moves that it allows. */
function machine<S extends string, T extends string>(
  name: string,
  table: Table<S, T>,
  of: {
    readonly initial: S;
    readonly terminal: readonly S[];
    readonly triggers: readonly T[];
    readonly actions: readonly T[];
  },
) {
  const states = Object.keys(table) as S[];
  const transitions = states.flatMap((from) =>
    of.triggers.flatMap((trigger) =>
      table[from][trigger] === null ? [] : [{ from, trigger, to: table[from][trigger] }],
    ),
  );
  return { name, states, ...of, transitions };
}

const MACHINES = [
  machine("job", JOB_MACHINE, {
    initial: "queued",
    terminal: JOB_STATUSES.filter(isTerminal),
    triggers: JOB_TRIGGERS,
    actions: JOB_ACTIONS,
  }),
  machine("chat", CHAT_MACHINE, { initial: "standby", terminal: [], triggers: CHAT_TRIGGERS, actions: CHAT_ACTIONS }),
  machine("task", TASK_MACHINE, {
    initial: "pending",
    terminal: ["completed", "cancelled"],
    triggers: TASK_ACTIONS,
    actions: TASK_ACTIONS,
  }),
];
