/** Operations that describe the service (JOB-2, JOB-4). */
import { Type } from "../../../actors/schema.ts";
import { Count, noun, Text } from "../../http/contract/noun.ts";
import { operationGroup } from "../../http/contract/operation.ts";

const State = Text("A state", "queued");
const Trigger = Text("What moves it", "start");

const MachineView = noun("StateMachine", "The states of a record, and the transitions between them", {
  name: Text("The record that moves through these states", "job"),
  states: Type.Array(State),
  initial: State,
  terminal: Type.Array(State),
  triggers: Type.Array(Trigger),
  actions: Type.Array(Trigger, { description: "The triggers that callers have" }),
  transitions: Type.Array(noun("Transition", "An allowed transition", { from: State, trigger: Trigger, to: State })),
});

export const overviewOperations = operationGroup("Insight", "State machines and invariants", {
  listStateMachines: {
    method: "GET",
    path: "/api/state-machines",
    scope: "jobs:read",
    summary: "Read the state machines of jobs, chats, missions and tasks",
    answers: { 200: noun("StateMachineList", "All state machines", { machines: Type.Array(MachineView) }) },
  },
  checkInvariants: {
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
});
