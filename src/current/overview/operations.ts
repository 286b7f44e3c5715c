/** What the service tells about itself (JOB-2, JOB-4). */
import { Type } from "../../../actors/schema.ts";
import { Count, noun, Text } from "../../http/noun.ts";
import { operationGroup } from "../../http/operation.ts";

const State = Text("A state", "queued");
const Trigger = Text("What moves it", "start");

const MachineView = noun("StateMachine", "How a record moves from state to state", {
  name: Text("Whose machine it is", "job"),
  states: Type.Array(State),
  initial: State,
  terminal: Type.Array(State),
  triggers: Type.Array(Trigger),
  actions: Type.Array(Trigger, { description: "The triggers that callers have" }),
  transitions: Type.Array(noun("Transition", "A move that is allowed", { from: State, trigger: Trigger, to: State })),
});

export const overviewOperations = operationGroup("Insight", "How the service moves, and whether it is well", {
  listStateMachines: {
    method: "GET",
    path: "/api/state-machines",
    scope: "jobs:read",
    summary: "Read the state machines of jobs, chats and tasks",
    answers: { 200: noun("StateMachineList", "All state machines", { machines: Type.Array(MachineView) }) },
  },
  checkInvariants: {
    method: "GET",
    path: "/api/invariants",
    scope: "jobs:read",
    summary: "Check what must always hold",
    description: "For owners. Counts what must never be; each count is 0 in a service that is well.",
    answers: {
      200: noun("InvariantReport", "What must never be, counted", {
        ok: Type.Boolean({ description: "Whether every count is 0" }),
        checks: Type.Array(
          Type.Object({ name: Text("What is counted", "work_without_job"), count: Count("How many") }),
        ),
      }),
    },
    errors: ["owner_required"],
  },
});
