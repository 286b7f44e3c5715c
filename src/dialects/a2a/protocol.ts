/** Agent2Agent 1.0: the same methods over two transports, each with its own form of refusals. */
import type { ForeignProtocol } from "../runs/protocol.ts";
import { A2aErrors } from "./errors.ts";
import { a2aMessages, a2aOperations } from "./operations.ts";
import { a2aPushes } from "./push.ts";
import { a2aRpcOperations } from "./rpc.ts";

export const A2A_PROTOCOLS: readonly ForeignProtocol[] = [
  { root: "/a2a/rpc", groups: [a2aRpcOperations], dialect: (words) => new A2aErrors(words).rpcDialect },
  {
    root: "/a2a",
    groups: [a2aOperations],
    inner: [a2aMessages, a2aPushes],
    dialect: (words) => new A2aErrors(words).restDialect,
  },
];
