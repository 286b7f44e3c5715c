/** The service about itself: its state machines as data, and reports of invariant violations (JOB-2, JOB-4). */
import { CHAT_ACTIONS, CHAT_MACHINE, CHAT_TRIGGERS } from "../../../actors/chat/machine.ts";
import { ok } from "../../../actors/fault.ts";
import { isTerminal, JOB_ACTIONS, JOB_MACHINE, JOB_TRIGGERS } from "../../../actors/job/machine.ts";
import { JOB_STATUSES } from "../../../actors/job/schema.ts";
import { MISSION_ACTIONS, MISSION_MACHINE, MISSION_TRIGGERS } from "../../../actors/mission/machine.ts";
import { TASK_ACTIONS, TASK_MACHINE } from "../../../actors/organization/task-machine.ts";
import { Type } from "../../../actors/schema.ts";
import { Count, noun, Text } from "../../http/contract/noun.ts";
import { lookUp } from "../../log/look-up.ts";
import { operation } from "../../operations/operation.ts";
import { countViolations } from "../../work/invariants.ts";

const State = Text("A state", "queued");

const Trigger = Text("A trigger", "start");

const MachineView = noun("StateMachine", "The states of a record, and the transitions between them", {
  name: Text("The record that moves through these states", "job"),
  states: Type.Array(State),
  initial: State,
  terminal: Type.Array(State),
  triggers: Type.Array(Trigger),
  actions: Type.Array(Trigger, { description: "Triggers that callers can use" }),
  transitions: Type.Array(noun("Transition", "An allowed transition", { from: State, trigger: Trigger, to: State })),
});

export const overviewOperations = {
  listStateMachines: operation(
    {
      method: "GET",
      path: "/api/state-machines",
      scope: "jobs:read",
      summary: "Read the state machines of jobs, chats, missions and tasks",
      answers: { 200: noun("StateMachineList", "All state machines", { machines: Type.Array(MachineView) }) },
    },
    () => ok({ machines: MACHINES }),
  ),

  checkInvariants: operation(
    {
      method: "GET",
      path: "/api/invariants",
      scope: "jobs:read",
      isForOwners: true,
      summary: "Check the invariants",
      description: "For owners. Counts violated invariants of the organization; every count is 0 in a healthy service.",
      answers: {
        200: noun("InvariantReport", "Invariant violations, counted", {
          ok: Type.Boolean({ description: "Whether every count is 0" }),
          checks: Type.Array(
            noun("InvariantCheck", "One invariant, and how often it is violated", {
              name: Text("What is counted", "work_without_job"),
              count: Count("How many violations there are"),
            }),
          ),
        }),
      },
    },
    async ({ system, jobs, log }, { principal }) => {
      const settled = await system.settled(principal.organizationId);
      if (!settled.ok) return settled;
      const counted = await lookUp(log, countViolations({ system, jobs }, principal.organizationId));
      if (!counted.ok) return counted;
      const checks = [...counted.value];
      return ok({ ok: checks.every(({ count }) => count === 0), checks });
    },
  ),
};

type TransitionTable<S extends string, T extends string> = Readonly<Record<S, Readonly<Record<T, S | null>>>>;

/** A transition table as data, with allowed transitions only. */
function machine<S extends string, T extends string>(
  name: string,
  table: TransitionTable<S, T>,
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

/** Shared by the tasks of v1 and those of missions. */
const TASKS = {
  initial: "pending",
  terminal: ["completed", "cancelled"],
  triggers: TASK_ACTIONS,
  actions: TASK_ACTIONS,
} as const;

const MACHINES = [
  machine("job", JOB_MACHINE, {
    initial: "queued",
    terminal: JOB_STATUSES.filter(isTerminal),
    triggers: JOB_TRIGGERS,
    actions: JOB_ACTIONS,
  }),
  machine("chat", CHAT_MACHINE, { initial: "standby", terminal: [], triggers: CHAT_TRIGGERS, actions: CHAT_ACTIONS }),
  machine("mission", MISSION_MACHINE, {
    initial: "pending",
    terminal: ["completed"],
    triggers: MISSION_TRIGGERS,
    actions: MISSION_ACTIONS,
  }),
  machine("mission_task", TASK_MACHINE, TASKS),
  machine("task", TASK_MACHINE, TASKS),
];
