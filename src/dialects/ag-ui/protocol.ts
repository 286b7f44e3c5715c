/** AG-UI: threads of `HttpAgent` and of frameworks over it with the agents (DIA-15). Refusals are `{message, code}`. */
import { operationGroup } from "../../http/contract/operation.ts";
import { type ForeignProtocol, rewordedDialect } from "../runs/protocol.ts";
import { agUiOperations } from "./operations.ts";

export const agUiProtocol: ForeignProtocol = {
  root: "/ag-ui",
  groups: [operationGroup("AG-UI", "Threads with agents for clients of AG-UI", agUiOperations)],
  dialect: (words) => rewordedDialect(words, ({ message, code }) => ({ body: { message, code } })),
};
