/** Operations on chats and their messages (CHAT-1 to CHAT-7, GEN-6, GEN-8). */
import { CHAT_STATUSES } from "../../../actors/chat/schema.ts";
import { OneOf } from "../../../actors/schema.ts";
import { idFilter, searched, someOf } from "../../http/contract/field.ts";
import { Id } from "../../http/contract/noun.ts";
import { operationGroup } from "../../http/contract/operation.ts";
import { IF_MATCH } from "../../http/contract/request-headers.ts";
import { POLL_QUERY } from "../long-poll.ts";
import { LIMIT, pageQuery } from "../paging.ts";
import { ChatId, MessageId } from "../path-ids.ts";
import { MessageCursor } from "./message-page.ts";
import {
  CompactChatBody,
  CreateChatBody,
  ForkChatBody,
  OptionsBody,
  SendMessageBody,
  UpdateChatBody,
  UpdateMessageBody,
} from "./schema.ts";
import { CompactionView, ForkView } from "./fork-view.ts";
import { SentView } from "./sent-view.ts";
import { ChatList, ChatView, DeletedChat, MessagePage, MessageView } from "./view.ts";

const params = { id: ChatId };

export const chatOperations = operationGroup("Chats", "Durable conversations with an agent", {
  listChats: {
    method: "GET",
    path: "/api/chats",
    scope: "chats:read",
    summary: "List chats",
    description: "Filters are combined with AND.",
    query: {
      agent_id: idFilter(Id("agt", "Chats with this agent")),
      workspace_id: idFilter(Id("wsp", "Chats in this workspace")),
      status: someOf(CHAT_STATUSES, { description: "Chats with one of these statuses" }),
      title: searched("Chats with a word in their title that begins with this text"),
      pinned: OneOf(["true", "false"] as const, { description: "Whether they are pinned" }),
      text: searched('Chats whose messages contain this: words, "phrases", `or`, and `-` before words to exclude'),
      ...pageQuery("chats"),
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
    description: "With `since_version` and `wait` it returns as soon as the chat changes.",
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
    description:
      "For the person who made the chat, and for owners. Running work is cancelled, and the chat is no longer found.",
    params,
    answers: { 200: DeletedChat },
    errors: ["not_found", "forbidden"],
    emits: "chat.deleted",
  },
  updateChat: {
    method: "PATCH",
    path: "/api/chats/{id}",
    scope: "chats:write",
    summary: "Rename a chat, pin it, or change its metadata",
    description: "For the person who made the chat, and for owners. Omitted fields are unchanged.",
    params,
    headers: IF_MATCH,
    body: UpdateChatBody,
    answers: { 200: ChatView },
    errors: ["not_found", "forbidden", "version_conflict"],
    emits: "chat.updated",
  },
  updateChatOptions: {
    method: "PATCH",
    path: "/api/chats/{id}/options",
    scope: "chats:write",
    summary: "Update chat options",
    description:
      "Merges the given options, bare or as `options`. Only the person who made the chat and owners change its title.",
    params,
    headers: IF_MATCH,
    body: OptionsBody,
    bodyMayBeIn: "options",
    answers: { 200: ChatView },
    errors: ["not_found", "forbidden", "version_conflict"],
    emits: "chat.updated",
  },
  listMessages: {
    method: "GET",
    path: "/api/chats/{id}/messages",
    scope: "chats:read",
    summary: "Read messages and the durable work summary",
    description:
      "The newest page first, each in the order of the conversation; `next_cursor` leads to the previous page.",
    params,
    query: { limit: LIMIT, cursor: MessageCursor },
    answers: { 200: MessagePage },
    errors: ["not_found", "invalid_request", "invalid_cursor"],
  },
  sendMessage: {
    method: "POST",
    path: "/api/chats/{id}/messages",
    scope: "chats:write",
    summary: "Send a message to the agent",
    description:
      "Returns when the message is stored; the job that answers it continues. `on_busy` decides what happens to the message while a turn runs: `queue`, `steer` (the model gets it before its next call), `interrupt` (the turn is cancelled) or `reject`.",
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
  updateMessage: {
    method: "PATCH",
    path: "/api/chats/{id}/messages/{message_id}",
    scope: "chats:write",
    summary: "Pin a message, or take its pin away",
    description:
      "A pinned message stays in the model's context as it is, also when the conversation around it is compacted. A chat has at most 20.",
    params: { ...params, message_id: MessageId },
    body: UpdateMessageBody,
    answers: { 200: MessageView },
    errors: ["not_found", "invalid_state"],
    emits: "chat.updated",
  },
  compactChat: {
    method: "POST",
    path: "/api/chats/{id}/compact",
    scope: "chats:write",
    summary: "Compact the conversation",
    description:
      "Begins a job that writes a summary of the conversation so far. From then on the model gets the summary instead of the messages that it replaces; all messages stay readable. Long conversations are compacted without being asked.",
    params,
    body: CompactChatBody,
    answers: { 202: CompactionView },
    errors: ["not_found", "invalid_state", "budget_exceeded", "provider_error"],
    emits: "chat.updated",
  },
  forkChat: {
    method: "POST",
    path: "/api/chats/{id}/fork",
    scope: "chats:write",
    summary: "Go on from an earlier message in a new chat",
    description:
      "Copies the conversation up to and including the message into a new chat; this one stays as it is. With `content` the message, which is then a user's, is replaced by it, and the agent answers: edit and resend. At most the newest 1,000 messages and 4 MiB before the message are copied.",
    params,
    body: ForkChatBody,
    answers: { 201: ForkView },
    errors: ["not_found", "invalid_state", "budget_exceeded", "provider_error"],
    emits: "chat.created",
  },
});
