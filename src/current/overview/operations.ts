/** The service about itself: its state machines as data, reports of invariant violations, and its load (JOB-2, JOB-4, OPS-22). */
import { CHAT_ACTIONS, CHAT_MACHINE, CHAT_TRIGGERS } from "../../../actors/chat/machine.ts";
import { ok } from "../../../actors/fault.ts";
import { LOOP_WORK } from "../../../actors/runtime/fairness/loop-time.ts";
import { isTerminal, JOB_ACTIONS, JOB_MACHINE, JOB_TRIGGERS } from "../../../actors/job/machine.ts";
import { JOB_STATUSES } from "../../../actors/job/schema.ts";
import { MISSION_ACTIONS, MISSION_MACHINE, MISSION_TRIGGERS } from "../../../actors/mission/machine.ts";
import { TASK_ACTIONS, TASK_MACHINE } from "../../../actors/organization/task-machine.ts";
import { Nullable, OneOf, Type } from "../../../actors/schema.ts";
import { Count, noun, Text } from "../../http/contract/noun.ts";
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

const Milliseconds = (description: string) => Type.Number({ minimum: 0, description });

const LoadView = noun("Load", "What an organization uses of the process that has answered", {
  event_loop: noun("EventLoopUse", "The time of the event loop, which all organizations share", {
    recent_ms: Milliseconds("Time within the last second, in ms"),
    throttled: Type.Boolean({
      description: "Whether the organization waits now, because it uses most of the event loop while others are active",
    }),
    work: Type.Array(
      noun("EventLoopWork", "Time of one kind of work since the start of the process", {
        kind: OneOf(LOOP_WORK, { description: "The kind of work" }),
        total_ms: Milliseconds("Time since the start of the process, in ms"),
      }),
      { description: "How long each kind of work has used it" },
    ),
  }),
  streams: noun("StreamUse", "Open streams of events", {
    open: Count("Streams that are open"),
    limit: Nullable(Count("Streams that the organization may have open in this process; null for no limit")),
    behind: Count("Streams whose reader accepts nothing although events wait"),
    longest_stall_ms: Milliseconds("For how long the slowest reader has accepted nothing, in ms"),
  }),
});

export const overviewOperations = {
  getLoad: operation(
    {
      method: "GET",
      path: "/api/load",
      scope: "jobs:read",
      isForOwners: true,
      summary: "Read the organization's current load",
      description:
        "For owners. Figures of the process that serves the organization now; they begin anew when it starts, or when another one takes over.",
      answers: { 200: LoadView },
    },
    ({ system, streams }, { principal: { organizationId } }) => {
      const { recentMs, isThrottled, totalMs } = system.loopTime.readUse(organizationId);
      const { behind, longestMs } = streams.lag(organizationId);
      return ok({
        event_loop: {
          recent_ms: recentMs,
          throttled: isThrottled,
          work: LOOP_WORK.map((kind) => ({ kind, total_ms: totalMs[kind] })),
        },
        streams: { ...streams.countOf(organizationId), behind, longest_stall_ms: longestMs },
      });
    },
  ),

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
    async ({ system, jobs, readCommitted }, { principal }) => {
      const counted = await readCommitted(principal.organizationId, () =>
        countViolations({ system, jobs }, principal.organizationId),
      );
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
