/** The messages of a chat (CHAT-4, CHAT-6, CHAT-12). */
import { type Chat, chatRef, type Message } from "../../../actors/chat/schema.ts";
import { ok, type Outcome, refuse } from "../../../actors/fault.ts";
import type { CallSettings } from "../../../actors/job/model-settings.ts";
import { PLAIN_TERMS } from "../../../actors/job/schema.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { ListHead } from "../../../actors/page.ts";
import type { Static } from "../../../actors/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { accepted, done } from "../../http/commit/commit.ts";
import { withinMetadata } from "../../http/contract/limits.ts";
import { Count, noun } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";
import { lookUp } from "../../log/look-up.ts";
import { settingsOfBody } from "../../operations/model-settings.ts";
import { operation } from "../../operations/operation.ts";
import { saidContent } from "../../operations/said-content.ts";
import type { Services } from "../../operations/services.ts";
import { possibleSettings, usableModelSettings } from "../../operations/usable-model-settings.ts";
import { usableSchema } from "../../operations/usable-schema.ts";
import type { Sent } from "../../work/sending.ts";
import { JobView, jobView } from "../jobs/view.ts";
import { cursorField, LIMIT } from "../paging.ts";
import { MessageId, chatParams } from "../path-ids.ts";
import { visibleChat } from "../work-visibility.ts";
import { budgetOf, SendMessageBody, UpdateMessageBody } from "./schema.ts";
import { say } from "./sending.ts";
import { ChatView, chatView, MessagePage, MessageView, messageView, workView } from "./view.ts";

const SentView = noun("SentMessage", "A message that is stored, and the job that answers it", {
  message: MessageView,
  job: JobView,
  chat: ChatView,
  queued_position: Count("Position in the queue of chat turns; 0 is the running one"),
});

/** The cursor of the list, with the chat that it belongs to. */
const MessageCursor = cursorField<{ readonly chatId: string; readonly seq: number }>((text) => {
  const [chatId = "", seq = ""] = Buffer.from(text, "base64url").toString().split(" ");
  return /^\d{1,9}$/.test(seq) ? { chatId, seq: Number(seq) } : undefined;
});

export const messageOperations = {
  listMessages: operation(
    {
      method: "GET",
      path: "/api/chats/{id}/messages",
      scope: "chats:read",
      summary: "Read messages and the durable work summary",
      description:
        "The newest page comes first; the messages of a page are in conversation order. `next_cursor` leads to older messages.",
      params: chatParams,
      query: { limit: LIMIT, cursor: MessageCursor },
      answers: { 200: MessagePage },
    },
    async (services, { principal }, { params, query }) => {
      const chat = await visibleChat(services, principal, params.id);
      return chat.ok ? messagePage(services, principal, { chatId: params.id, ...query }) : chat;
    },
  ),

  sendMessage: operation(
    {
      method: "POST",
      path: "/api/chats/{id}/messages",
      scope: "chats:write",
      summary: "Send a message to the agent",
      description:
        "Returns when the message is stored; the job that answers it continues. `on_busy` decides what happens to the message while a turn runs: `queue`, `steer` (the model gets it before its next call), `interrupt` (the turn is cancelled) or `reject`.",
      params: chatParams,
      body: SendMessageBody,
      answers: { 202: SentView },
      errors: ["forbidden", "invalid_state", "chat_busy", "approval_pending", "budget_exceeded", "provider_error"],
      emits: "chat.message_sent",
    },
    async (services, change, { params, body }) => {
      const chat = await visibleChat(services, change.principal, params.id);
      if (!chat.ok) return chat;
      const { on_busy: onBusy = null, metadata = {}, priority = PLAIN_TERMS.priority } = body;
      const { review_required: reviewRequired = false } = body;
      const fitting = withinMetadata(metadata);
      if (!fitting.ok) return fitting;
      const budget = budgetOf(body.budget ?? {}, services.clock.now());
      if (!budget.ok) return budget;
      const { requestId, principal: by } = change;
      const { output_schema: outputSchema = null } = body;
      const usable = await usableSchema(services, by.organizationId, { schema: outputSchema, path: "/output_schema" });
      if (!usable.ok) return usable;
      const modelSettings = settingsOfBody(body.model_settings) ?? null;
      const settled = await usableMessageSettings(services, by, chat.value, modelSettings);
      if (!settled.ok) return settled;
      const own = {
        ...(outputSchema === null ? {} : { outputSchema }),
        ...(modelSettings === null ? {} : { modelSettings }),
      };
      const provenance = { origin: change.origin };
      const terms = {
        ...PLAIN_TERMS,
        provenance,
        priority,
        reviewRequired,
        budget: budget.value,
        metadata,
        requestId,
        ...own,
      };
      const said = await saidContent(services, change, body.content);
      if (!said.ok) return said;
      const { text: content, blocks } = said.value;
      return say(
        services,
        change,
        { chat: chat.value, said: { by, content, blocks, onBusy, terms, metadata } },
        (sent) => accepted(sentView(sent, by)),
      );
    },
  ),

  updateMessage: operation(
    {
      method: "PATCH",
      path: "/api/chats/{id}/messages/{message_id}",
      scope: "chats:write",
      summary: "Pin or unpin a message",
      description:
        "A pinned message stays in the model's context unchanged, even when the conversation around it is compacted. A chat can have at most 20.",
      params: { ...chatParams, message_id: MessageId },
      body: UpdateMessageBody,
      answers: { 200: MessageView },
      errors: ["invalid_state"],
      emits: "chat.updated",
    },
    async (services, change, { params, body }) => {
      const chat = await visibleChat(services, change.principal, params.id);
      if (!chat.ok) return chat;
      const command = { kind: "pin_message", messageId: params.message_id, isPinned: body.pinned } as const;
      const ref = chatRef(chat.value.organizationId, params.id);
      return change.commit(
        [ask(ref, { kind: "read_chat" }), ask(ref, command)],
        (before, [, { chat: after, message }]) => ({
          ...done(messageView(message, after)),
          ...(before.version === after.version ? { emits: null } : {}),
        }),
      );
    },
  ),
};

/** Checks a message's settings over those of the chat's agent; if there is no agent, the message itself says so. */
async function usableMessageSettings(
  services: Services,
  by: Principal,
  { agentId, options }: Chat,
  ofMessage: CallSettings | null,
): Promise<Outcome<null>> {
  if (ofMessage === null) return ok(null);
  const agent = await services.agents.find(by, agentId);
  if (!agent.ok) return possibleSettings(ofMessage);
  const { model, modelSettings: ofAgent } = agent.value;
  return usableModelSettings(services, { model: options.model ?? model, ofAgent, ofMessage });
}

/** Jobs in the summary, newest first. */
const SUMMARY_JOBS = 25;

/**
 * A page of the messages, with a summary of the chat's work (CHAT-6). Pages go from the newest message to the oldest,
 * and each page is in the order of the conversation. The cursor names the chat, and the message before which the next
 * page ends.
 */
async function messagePage(
  { system, chats, jobs, log }: Services,
  { organizationId, userId }: Principal,
  {
    chatId,
    limit,
    cursor,
  }: { readonly chatId: string; readonly limit: number; readonly cursor: Static<typeof MessageCursor> | undefined },
): Promise<Outcome<Shown<typeof MessagePage>>> {
  // Each chat has its own list: a cursor of another chat is invalid here (GEN-3).
  if (cursor !== undefined && cursor.chatId !== chatId) return refuse({ kind: "invalid_cursor" });
  const settled = await system.settled(organizationId);
  if (!settled.ok) return settled;
  const chat = await system.dispatch(chatRef(organizationId, chatId), { kind: "read_chat" });
  if (!chat.ok) return chat;
  const reads = Promise.all([
    chats.listMessages(organizationId, chatId, { limit, beforeSeq: cursor?.seq ?? null }),
    jobs.latest(organizationId, { chatId, seenBy: userId }, SUMMARY_JOBS),
  ]);
  const found = await lookUp(log, reads);
  if (!found.ok) return found;
  const [newest, latest] = found.value;
  const {
    id: chat_id,
    options: { title },
    status,
  } = chat.value;
  return ok({ chat_id, title, status, ...pageFields(chat.value, newest), work: workView(chat.value, latest) });
}

type Messages = Pick<Shown<typeof MessagePage>, "messages" | "next_cursor">;

function pageFields(chat: Chat, { records, hasMore }: ListHead<Message>): Messages {
  const last = records.at(-1);
  const next = hasMore && last !== undefined ? { next_cursor: encodeMessageCursor(chat.id, last.seq) } : {};
  return { messages: records.toReversed().map((message) => messageView(message, chat)), ...next };
}

const encodeMessageCursor = (chatId: string, seq: number): string =>
  Buffer.from(`${chatId} ${seq}`).toString("base64url");

const sentView = ({ message, job, chat, queuedPosition }: Sent, by: Principal): Shown<typeof SentView> => ({
  message: messageView(message, chat),
  job: jobView(job, by),
  chat: chatView(chat, by),
  queued_position: queuedPosition,
});
