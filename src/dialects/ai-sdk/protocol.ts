/** AI SDK's UI message streams: chats of `useChat` and `DefaultChatTransport` with the agents (DIA-6). */
import { operationGroup } from "../../http/contract/operation.ts";
import { type ForeignProtocol, rewordedDialect } from "../runs/protocol.ts";
import { uiChatOperations } from "./operations.ts";

export const aiSdkProtocol: ForeignProtocol = {
  root: "/ai-sdk",
  groups: [operationGroup("AI SDK", "Chats with agents for clients of the AI SDK", uiChatOperations)],
  // Clients show the body of a failed request as the message of the error, so the text is the whole body.
  dialect: (words) =>
    rewordedDialect(words, ({ message }) => ({
      body: message,
      headers: { "content-type": "text/plain; charset=utf-8" },
    })),
};
