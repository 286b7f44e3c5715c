/** The protocols of other people's clients: their paths, operations and refusals. The mount reads this list. */
import { operationGroup } from "../http/contract/operation.ts";
import { A2aErrors } from "./a2a/errors.ts";
import { a2aMessages, a2aOperations } from "./a2a/operations.ts";
import { a2aPushes } from "./a2a/push.ts";
import { a2aRpcOperations } from "./a2a/rpc.ts";
import { acpDialect } from "./acp/errors.ts";
import { acpRpcOperations } from "./acp/rpc.ts";
import { acpRunOperations } from "./acp/run-operations.ts";
import { agUiOperations } from "./ag-ui/operations.ts";
import { uiChatOperations } from "./ai-sdk/operations.ts";
import { completionOperations } from "./openai/completions.ts";
import { modelsOperations } from "./openai/models.ts";
import { openAiDialect } from "./openai/refusals.ts";
import { conversationOperations, responseOperations } from "./openai/responses.ts";
import { storedResponseOperations } from "./openai/stored-responses.ts";
import { type ForeignProtocol, rewordedDialect } from "./runs/protocol.ts";

/** The Agent Client Protocol 1: editors with the agents, over WebSocket (DIA-19). Refusals are errors of JSON-RPC. */
export const acpProtocol: ForeignProtocol = {
  root: "/acp",
  groups: [acpRpcOperations],
  inner: [acpRunOperations],
  dialect: acpDialect,
};

export const PROTOCOLS: readonly ForeignProtocol[] = [
  // Agent2Agent 1.0: the same methods over two transports, each with its own form of refusals.
  { root: "/a2a/rpc", groups: [a2aRpcOperations], dialect: (words) => new A2aErrors(words).rpcDialect },
  {
    root: "/a2a",
    groups: [a2aOperations],
    inner: [a2aMessages, a2aPushes],
    dialect: (words) => new A2aErrors(words).restDialect,
  },
  acpProtocol,
  // AG-UI: threads of `HttpAgent` and of frameworks over it with the agents (DIA-15).
  {
    root: "/ag-ui",
    groups: [operationGroup("AG-UI", "Threads with agents for clients of AG-UI", agUiOperations)],
    dialect: (words) => rewordedDialect(words, ({ message, code }) => ({ body: { message, code } })),
  },
  // AI SDK's UI message streams: chats of `useChat` and `DefaultChatTransport` with the agents (DIA-6).
  {
    root: "/ai-sdk",
    groups: [operationGroup("AI SDK", "Chats with agents for clients of the AI SDK", uiChatOperations)],
    // Clients show the body of a failed request as the message of the error, so the text is the whole body.
    dialect: (words) =>
      rewordedDialect(words, ({ message }) => ({
        body: message,
        headers: { "content-type": "text/plain; charset=utf-8" },
      })),
  },
  // OpenAI's API: models, chat completions and responses, over the agents of the organization (DIA-1).
  {
    root: "/openai/v1",
    groups: [
      operationGroup(
        "OpenAI",
        "Agents for clients of OpenAI's API",
        modelsOperations,
        completionOperations,
        responseOperations,
        storedResponseOperations,
        conversationOperations,
      ),
    ],
    dialect: openAiDialect,
  },
];
