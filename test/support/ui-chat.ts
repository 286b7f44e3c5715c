/** AI SDK's own chat, with its transport, against a service: what `useChat` holds, without a page. */
import { Chat } from "@ai-sdk/react";
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type ChatInit,
  type UIMessage,
} from "ai";
import { until } from "./condition.ts";

export interface UiChatOptions extends Pick<
  ChatInit<UIMessage>,
  "onToolCall" | "messages" | "onError" | "onFinish" | "sendAutomaticallyWhen"
> {
  readonly url: string;
  readonly token: string;
  readonly agentId: string;
  readonly id: string;
  readonly fetch?: typeof fetch;
}

/** The client of the guide: answers are sent as soon as all are there. */
export function uiChat({ url, token, agentId, fetch: given, ...init }: UiChatOptions): Chat<UIMessage> {
  return new Chat<UIMessage>({
    sendAutomaticallyWhen: (options) =>
      lastAssistantMessageIsCompleteWithApprovalResponses(options) ||
      lastAssistantMessageIsCompleteWithToolCalls(options),
    ...init,
    transport: new DefaultChatTransport({
      api: `${url}/ai-sdk/agents/${agentId}/chat`,
      headers: { authorization: `Bearer ${token}` },
      ...(given === undefined ? {} : { fetch: given }),
      prepareReconnectToStreamRequest: ({ api, id, requestMetadata }) => ({
        api: `${api}/${encodeURIComponent(id)}/stream${requestMetadata === "cut" ? "?ended=replay" : ""}`,
      }),
    }),
  });
}

/** All text of a message. */
export const textOf = (message: UIMessage | undefined): string =>
  (message?.parts ?? []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join("|");

/** The message's parts in a few words. */
export const partsOf = (message: UIMessage | undefined): string[] =>
  (message?.parts ?? []).map((part) => {
    if (part.type === "text" || part.type === "reasoning") return part.text;
    return "state" in part ? `${part.type} ${part.state}` : part.type;
  });

/** Waits until the chat has no request and shows this. */
export const settledAs = (chat: Chat<UIMessage>, text: string): Promise<void> =>
  until(`the chat shows ${text}`, () => chat.status === "ready" && textOf(chat.lastMessage).endsWith(text));
