/** The Agent Client Protocol 1: editors with the agents, over WebSocket at `/acp` (DIA-19). Refusals are errors of JSON-RPC. */
import type { ForeignProtocol } from "../runs/protocol.ts";
import { acpDialect } from "./errors.ts";
import { acpRpcOperations } from "./rpc.ts";
import { acpRunOperations } from "./run-operations.ts";

export const acpProtocol: ForeignProtocol = {
  root: "/acp",
  groups: [acpRpcOperations],
  inner: [acpRunOperations],
  dialect: acpDialect,
};
