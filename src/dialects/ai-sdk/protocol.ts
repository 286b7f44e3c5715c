/** AI SDK's UI message streams: chats of `useChat` and `DefaultChatTransport` with the agents (DIA-6). */
import { operationGroup } from "../../http/contract/operation.ts";
import type { ForeignProtocol } from "../runs/protocol.ts";
import { uiChatOperations } from "./operations.ts";
import { aiSdkDialect } from "./refusals.ts";

export const aiSdkProtocol: ForeignProtocol = {
  root: "/ai-sdk",
  groups: [operationGroup("AI SDK", "Chats with agents for clients of the AI SDK", uiChatOperations)],
  dialect: aiSdkDialect,
};
