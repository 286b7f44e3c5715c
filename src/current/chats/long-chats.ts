/** Long and branching conversations (CHAT-11, CHAT-13): summaries and forks. */
import { type Chat, chatRef } from "../../../actors/chat/schema.ts";
import { ok, type Outcome } from "../../../actors/fault.ts";
import { newId } from "../../../actors/ids.ts";
import { type Job, PLAIN_TERMS } from "../../../actors/job/schema.ts";
import { Nullable } from "../../../actors/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { accepted, type Change, created } from "../../http/commit/commit.ts";
import { withinMessage } from "../../http/contract/limits.ts";
import { noun } from "../../http/contract/noun.ts";
import { operation } from "../../operations/operation.ts";
import { saidContent } from "../../operations/said-content.ts";
import type { Services } from "../../operations/services.ts";
import { usesOf } from "../../work/attaching.ts";
import { forkStep } from "../../work/forking.ts";
import { prepareWork } from "../../work/prepared-work.ts";
import { workOf } from "../../work/sending.ts";
import { JobView, jobView } from "../jobs/view.ts";
import { chatParams } from "../path-ids.ts";
import { aboutRecord, chatVerbs, FALLEN } from "../standing.ts";
import { visibleChat } from "../work-visibility.ts";
import { CompactChatBody, ForkChatBody } from "./schema.ts";
import { ChatView, chatView, MessageView, messageView } from "./view.ts";

const CompactionView = noun("StartedCompaction", "The job that writes a summary of the conversation", {
  chat: ChatView,
  job: JobView,
});

const ForkView = noun("ForkedChat", "A chat that was forked from another one", {
  chat: ChatView,
  message: Nullable(MessageView),
  job: Nullable(JobView),
});

export const longChatOperations = {
  compactChat: operation(
    {
      method: "POST",
      path: "/api/chats/{id}/compact",
      scope: "chats:write",
      summary: "Compact the conversation",
      description:
        "Starts a job that writes a summary of the conversation so far. From then on the model gets the summary instead of the messages that it replaces; all messages stay readable. Long conversations are compacted automatically.",
      params: chatParams,
      body: CompactChatBody,
      answers: { 202: CompactionView },
      errors: ["invalid_state", "budget_exceeded", "provider_error"],
      emits: "chat.updated",
    },
    async (services, change, { params, body }) => {
      const chat = await visibleChat(services, change.principal, params.id);
      if (!chat.ok) return chat;
      const { principal: by, requestId } = change;
      const { instructions = "" } = body;
      const fits = withinMessage(instructions);
      if (!fits.ok) return fits;
      const work = await prepareWork(services, workOf(chat.value, by));
      if (!work.ok) return fallen(services, change, chat.value, work);
      const command = {
        kind: "compact_chat",
        agent: work.value.agent,
        instructions,
        userId: by.userId,
        terms: { ...PLAIN_TERMS, provenance: { origin: change.origin }, requestId },
      } as const;
      return change.commit([ask(chatRef(chat.value.organizationId, params.id), command)], ({ chat: after, job }) =>
        accepted({ chat: chatView(after, by), job: jobView(job, by) }),
      );
    },
  ),

  forkChat: operation(
    {
      method: "POST",
      path: "/api/chats/{id}/fork",
      scope: "chats:write",
      summary: "Fork a chat at an earlier message",
      description:
        "Copies the conversation up to and including the message into a new chat; this chat stays as it is. `content` replaces the message, which must then be a user's, and the agent answers it: edit and resend. At most the newest 1,000 messages and 4 MiB before the message are copied.",
      params: chatParams,
      body: ForkChatBody,
      answers: { 201: ForkView },
      errors: ["invalid_state", "budget_exceeded", "provider_error"],
      emits: "chat.created",
    },
    async (services, change, { params, body }) => {
      const chat = await visibleChat(services, change.principal, params.id);
      if (!chat.ok) return chat;
      const { principal: by, requestId } = change;
      const { from_message_id: from, title = chat.value.options.title } = body;
      const said = body.content === undefined ? ok(null) : await saidContent(services, change, body.content);
      if (!said.ok) return said;
      const { text: content = null, blocks } = said.value ?? {};
      const work = await prepareWork(services, { ...workOf(chat.value, by), blocks, checksBudget: content !== null });
      if (!work.ok) return fallen(services, change, chat.value, work);
      const chatId = newId("cht");
      const { agent } = work.value;
      const { userId } = by;
      const isEdit = content !== null;
      const fork = await forkStep(services, { source: chat.value, chatId, from, isEdit, agent, title, userId });
      if (!fork.ok) return fork;
      if (content === null)
        return change.commit([fork.value], (forked) =>
          created({ chat: chatView(forked, by), message: null, job: null }),
        );
      const terms = { ...PLAIN_TERMS, provenance: { origin: change.origin }, requestId };
      const sending = work.value.message({ chatId, opening: null, content, blocks, onBusy: null, terms, metadata: {} });
      return change.commit([fork.value, sending, ...usesOf(by, blocks)], (_, [, sent]) =>
        created({
          chat: chatView(sent.chat, by),
          message: messageView(sent.message, sent.chat),
          job: jobView(sent.job as Job, by),
        }),
      );
    },
  ),
};

/** The refusal, or, if the agent is gone, a refusal that says so of the chat. */
const fallen = (services: Services, { principal }: Change, chat: Chat, refused: Outcome<never>): Outcome<never> =>
  aboutRecord(
    services,
    {
      status: chat.status,
      verbs: chatVerbs(chat, principal, FALLEN),
      agent: { id: chat.agentId, name: chat.agentName, organizationId: chat.organizationId },
    },
    refused,
  );
