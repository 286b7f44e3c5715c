/** What there is to do with chats and their messages (CHAT-1 to CHAT-7, GEN-6, GEN-8). */
import { CHAT_STATUSES } from "../../../actors/chat/schema.ts";
import { OneOf } from "../../../actors/schema.ts";
import { Id } from "../../http/noun.ts";
import { operationGroup } from "../../http/operation.ts";
import { POLL_QUERY } from "../long-poll.ts";
import { PAGE_QUERY } from "../paging.ts";

import { CreateChatBody, OptionsBody, SendMessageBody } from "./schema.ts";
import { SentView } from "./sent-view.ts";
import { ChatList, ChatView, DeletedChat, MessagePage } from "./view.ts";

const params = { id: Id("cht", "The chat's id") };

export const chatOperations = operationGroup("Chats", "Durable conversations with an agent", {
  listChats: {
    method: "GET",
    path: "/api/chats",
    scope: "chats:read",
    summary: "List chats",
    query: {
      agent_id: Id("agt", "Who answers in them"),
      workspace_id: Id("wsp", "Where they are"),
      status: OneOf(CHAT_STATUSES, { description: "The status that they have" }),
      ...PAGE_QUERY,
    },
    answers: { 200: ChatList },
    errors: ["invalid_request", "invalid_cursor"],
  },
  createChat: {
    method: "POST",
    path: "/api/chats",
    scope: "chats:write",
    summary: "Create a durable chat",
    body: CreateChatBody,
    answers: { 201: ChatView },
    errors: ["not_found", "invalid_state"],
    emits: "chat.created",
  },
  getChat: {
    method: "GET",
    path: "/api/chats/{id}",
    scope: "chats:read",
    summary: "Read a chat",
    description: "With `since_version` and `wait` it answers as soon as the chat has changed.",
    params,
    query: POLL_QUERY,
    answers: { 200: ChatView, 304: null },
    errors: ["not_found", "invalid_request"],
  },
  deleteChat: {
    method: "DELETE",
    path: "/api/chats/{id}",
    scope: "chats:write",
    summary: "Delete a chat",
    description: "What runs in it is cancelled, and from then on nobody finds it.",
    params,
    answers: { 200: DeletedChat },
    errors: ["not_found"],
    emits: "chat.deleted",
  },
  updateChatOptions: {
    method: "PATCH",
    path: "/api/chats/{id}/options",
    scope: "chats:write",
    summary: "Update chat options",
    description: "Merges the options that are given, bare or as `options`. A key that is no option is refused.",
    params,
    isVersioned: true,
    body: OptionsBody,
    answers: { 200: ChatView },
    errors: ["not_found", "version_conflict"],
    emits: "chat.updated",
  },
  listMessages: {
    method: "GET",
    path: "/api/chats/{id}/messages",
    scope: "chats:read",
    summary: "Read messages and the durable work summary",
    description: "The newest page first, each in the order of the conversation; `next_cursor` leads to the one before.",
    params,
    query: PAGE_QUERY,
    answers: { 200: MessagePage },
    errors: ["not_found", "invalid_request", "invalid_cursor"],
  },
  sendMessage: {
    method: "POST",
    path: "/api/chats/{id}/messages",
    scope: "chats:write",
    summary: "Send a message to the agent",
    description:
      "Answers when the message is stored; the job that answers it goes on. `on_busy` says what becomes of the message while a turn runs: `queue`, `steer` (the model gets it before its next call), `interrupt` (the turn is cancelled) or `reject`.",
    params,
    body: SendMessageBody,
    answers: { 202: SentView },
    errors: [
      "not_found",
      "forbidden",
      "invalid_state",
      "chat_busy",
      "approval_pending",
      "budget_exceeded",
      "provider_error",
    ],
    emits: "chat.message_sent",
  },
});
