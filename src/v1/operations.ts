/** All operations of v1, by their nouns: what the contract is made of. */
import { agentOperations } from "./agents/operations.ts";
import { executeOperations } from "./execute/operations.ts";
import { taskOperations } from "./tasks/operations.ts";

export const V1_OPERATIONS = [agentOperations, executeOperations, taskOperations] as const;
