/** All operations of v1, by noun, in the order of the contract: the mount and the contract read this list. */
import { operationGroup } from "../http/contract/operation.ts";
import { v1AgentOperations } from "./agents/operations.ts";
import { executeOperations } from "./execute/operations.ts";
import { v1TaskOperations } from "./tasks/operations.ts";

export const V1_OPERATIONS = [
  operationGroup("V1 agents", "Agents on the v1 surface", v1AgentOperations),
  operationGroup("V1 execution", "One message to an agent, answered whole or as a stream", executeOperations),
  operationGroup("V1 tasks", "Tasks on the v1 surface", v1TaskOperations),
];
