/** Chats and messages as the current surface shows them (CHAT-2, CHAT-3, CHAT-6). */
import { USAGE_FIELDS, usageView } from "../cost.ts";
import { visibleJson } from "../../../actors/visible-text.ts";
import { ArtifactView, artifactViews } from "../jobs/artifact-view.ts";
import {
  type Chat,
  CHAT_STATUSES,
  type Message,
  type MessageBlock,
  messageBlocks,
  MESSAGE_ROLES,
  MESSAGE_STATUSES,
  ON_BUSY,
} from "../../../actors/chat/schema.ts";
import type { JobHead } from "../../../actors/job/directory.ts";
import { JOB_STATUSES } from "../../../actors/job/schema.ts";
import { STOP_REASONS } from "../../../actors/job/stop-reason.ts";
import { REVIEW_STATES } from "../../../actors/job/terms.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { Nullable, OneOf, Timestamp, Type } from "../../../actors/schema.ts";
import { AttachmentBlock } from "../../../actors/upload/terms.ts";
import { BlockView } from "../../http/contract/block.ts";
import { Count, fieldsFrom, Id, listOf, noun, OpenObject, Text } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";
import { RECORD, recordView } from "../record.ts";
import { chatVerbs, type Standing, STANDS } from "../standing.ts";
import { ShownJobId } from "../jobs/view.ts";

const ShownChatTitle = Text("The title", "The release notes");

const ChatOptionsView = noun("ChatOptions", "Settings of a chat", {
  model: Nullable(Text("Model that answers in this chat, as `provider:name`; null is the agent's own", "demo:echo")),
  on_busy: OneOf(ON_BUSY, { description: "What happens to a message while a chat turn runs" }),
  tools: Nullable(
    Type.Array(Type.String(), {
      description: "Tools that the agent may use in this chat; null is all that the agent has",
    }),
  ),
  auto_approve: Type.Boolean({ description: "Whether calls that need approval are approved without a person" }),
  title: ShownChatTitle,
  pinned: Type.Boolean(),
});

export const ChatView = noun("Chat", "A durable conversation with an agent", {
  id: Id("cht", "The chat's id"),
  title: ShownChatTitle,
  status: OneOf(CHAT_STATUSES),
  agent_id: Id("agt", "The agent that answers"),
  agent_name: Text("Name of the agent when the chat was created", "Ada"),
  workspace_id: Id("wsp", "Workspace of the chat"),
  options: ChatOptionsView,
  message_count: Count("Number of messages"),
  active_job_id: Nullable(ShownJobId),
  queued_messages: Count("Number of queued messages"),
  mission_id: Nullable(Id("mis", "Mission that this chat is a run of")),
  run_number: Nullable(Type.Integer()),
  summary: Nullable(
    noun("ChatSummary", "Summary that replaces older messages in model calls", {
      message_id: Id("msg", "The message with the summary"),
      messages: Count("Messages that it replaces"),
      created_at: Timestamp,
    }),
  ),
  forked_from: Nullable(
    noun("ForkOrigin", "Where a chat was forked from", {
      chat_id: Id("cht", "The chat"),
      message_id: Id("msg", "Last message that was copied"),
    }),
  ),
  last_message_preview: Nullable(Text("The beginning of the newest message", "Hello")),
  last_seq: Count("Number of the newest event"),
  metadata: OpenObject("Any JSON object, as the creator gave it"),
  created_by: Id("usr", "The user who opened it"),
  ...RECORD,
});
export const ChatList = listOf("ChatList", "chats", ChatView);

const MessageBlockView = Type.Union([BlockView, AttachmentBlock]);

export const MessageView = noun("Message", "A message in a chat", {
  id: Id("msg", "The message's id"),
  chat_id: Id("cht", "Chat of the message"),
  organization_id: RECORD.organization_id,
  role: OneOf(MESSAGE_ROLES),
  status: OneOf(MESSAGE_STATUSES),
  content: Text("Concatenated text blocks; `position` in streams is an offset into it", "Hello"),
  blocks: Type.Array(MessageBlockView, { description: "All blocks of the message, in order" }),
  job_id: Nullable(ShownJobId),
  usage: Nullable(noun("TokenUsage", "Tokens that model calls have used", USAGE_FIELDS)),
  stop_reason: Nullable(OneOf(STOP_REASONS)),
  pinned: Type.Boolean({ description: "Whether it stays in the model's context when the conversation is compacted" }),
  summary_of: Nullable(Count("For a summary: how many messages it replaces in model calls")),
  sender: noun("MessageSender", "Who has sent a message", {
    type: OneOf(["user", "agent"] as const),
    id: Id("usr", "A user's or an agent's id"),
  }),
  metadata: OpenObject("Metadata from the sender"),
  seq: Count("Position in the conversation: the seq of the event that created it"),
  version: RECORD.version,
  created_at: Timestamp,
  updated_at: Timestamp,
  completed_at: Nullable(Timestamp),
});

const WorkView = noun("ChatWork", "The current work of a chat", {
  active_job_id: Nullable(ShownJobId),
  jobs: Type.Array(
    noun("ChatJob", "A job of a chat, in short", {
      id: ShownJobId,
      title: ShownChatTitle,
      status: OneOf(JOB_STATUSES),
      review_state: OneOf(REVIEW_STATES),
    }),
    { description: "The newest jobs" },
  ),
  artifacts: Type.Array(ArtifactView, { examples: [[]] }),
  needs_attention: Type.Boolean({ description: "Whether it waits for a person" }),
});

export const MessagePage = noun(
  "MessagePage",
  "A page of messages in conversation order; the newest page comes first",
  {
    chat_id: Id("cht", "The chat"),
    title: ShownChatTitle,
    status: OneOf(CHAT_STATUSES),
    messages: Type.Array(MessageView),
    work: WorkView,
    next_cursor: Type.Optional(
      Type.String({ description: "Cursor of the next page, with older messages; absent on the last page" }),
    ),
  },
);

export const DeletedChat = noun("DeletedChat", "A deleted chat, in its last state", {
  ...ChatView.properties,
  deleted: Type.Literal(true),
});

const chatFields = fieldsFrom(ChatView);
const optionFields = fieldsFrom(ChatOptionsView);

export const chatView = (chat: Chat, by: Principal, standing: Standing = STANDS): Shown<typeof ChatView> => ({
  ...chatFields(chat),
  title: chat.options.title,
  options: optionFields(chat.options),
  queued_messages: chat.queue.length,
  summary:
    chat.summary === undefined
      ? null
      : { message_id: chat.summary.messageId, messages: chat.summary.messages, created_at: chat.summary.at },
  forked_from:
    chat.forkedFrom === undefined ? null : { chat_id: chat.forkedFrom.chatId, message_id: chat.forkedFrom.messageId },
  ...recordView(chat, chatLinks(chat), chatVerbs(chat, by, standing)),
});

function chatLinks({ id, agentId, activeJobId }: Chat): Record<string, string> {
  const self = `/api/chats/${id}`;
  const links = {
    self,
    messages: `${self}/messages`,
    events: `${self}/events`,
    agent: `/api/agents/${agentId}`,
    jobs: `/api/jobs?chat_id=${id}`,
  };
  return activeJobId === null ? links : { ...links, active_job: `/api/jobs/${activeJobId}` };
}

const messageFields = fieldsFrom(MessageView);

export const messageView = (message: Message, { pins = [] }: Pick<Chat, "pins">): Shown<typeof MessageView> => ({
  ...messageFields(message),
  blocks: messageBlocks(message).map(shownBlock),
  usage: message.usage === null ? null : usageView(message.usage),
  stop_reason: message.stopReason ?? null,
  pinned: pins.includes(message.id),
  summary_of: message.compaction?.messages ?? null,
});

/** The work in a chat, as its readers see it. */
export const workView = (chat: Chat, jobs: readonly JobHead[]): Shown<typeof WorkView> => ({
  active_job_id: chat.activeJobId,
  jobs: jobs.map(({ id, title, status, review }) => ({ id, title, status, review_state: review.state })),
  artifacts: jobs.flatMap((job) => artifactViews(chat.workspaceId, job.artifacts)),
  needs_attention: chat.status === "needs_attention",
});

export const deletedView = (chat: Chat, by: Principal): Shown<typeof DeletedChat> => ({
  ...chatView(chat, by),
  allowed_actions: [],
  deleted: true,
});

/** A call's arguments come from the model unchanged; in the view their control characters are visible marks. */
function shownBlock(block: MessageBlock): MessageBlock {
  if (block.type === "tool_use") {
    const { provider_state: _hidden, ...call } = block;
    return { ...call, input: visibleJson(call.input) };
  }
  if (block.type !== "text" || block.provider_state === undefined) return block;
  const { provider_state: _hidden, ...text } = block;
  return text;
}
