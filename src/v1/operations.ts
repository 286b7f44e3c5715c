/** All operations of v1, by noun, in the order of the contract: the mount and the contract read this list. */
import { operationGroup } from "../http/contract/operation.ts";
import { agentOperations } from "./agents/operations.ts";
import { executeOperations } from "./execute/operations.ts";
import { taskOperations } from "./tasks/operations.ts";

export const V1_OPERATIONS = [
  operationGroup("V1 agents", "Agents on the v1 surface", agentOperations),
  operationGroup("V1 execution", "One message to an agent, answered whole or as a stream", executeOperations),
  operationGroup("V1 tasks", "Tasks on the v1 surface", taskOperations),
];
