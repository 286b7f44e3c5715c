/** Chats and messages as the current surface shows them (CHAT-2, CHAT-3, CHAT-6). */
import { allowedActions } from "../../../actors/chat/machine.ts";
import type { Chat, Message } from "../../../actors/chat/schema.ts";
import type { Job, Usage } from "../../../actors/job/schema.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { permitted, recordView } from "../record.ts";

export const chatView = (chat: Chat, by: Principal) => ({
  id: chat.id,
  title: chat.options.title,
  status: chat.status,
  agent_id: chat.agentId,
  agent_name: chat.agentName,
  workspace_id: chat.workspaceId,
  options: {
    model: chat.options.model,
    on_busy: chat.options.onBusy,
    tools: chat.options.tools,
    auto_approve: chat.options.autoApprove,
    title: chat.options.title,
    pinned: chat.options.pinned,
  },
  message_count: chat.messageCount,
  active_job_id: chat.activeJobId,
  queued_messages: chat.queue.length,
  mission_id: chat.missionId,
  run_number: chat.runNumber,
  last_message_preview: chat.lastMessagePreview,
  last_seq: chat.lastSeq,
  metadata: chat.metadata,
  created_by: chat.createdBy,
  ...recordView(chat, linksOf(chat), permitted(by, "chats:write", allowedActions(chat))),
});

function linksOf({ id, agentId, activeJobId }: Chat): Record<string, string> {
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

export const messageView = (message: Message) => ({
  id: message.id,
  chat_id: message.chatId,
  organization_id: message.organizationId,
  role: message.role,
  status: message.status,
  content: message.content,
  blocks: message.blocks,
  job_id: message.jobId,
  usage: message.usage === null ? null : usageView(message.usage),
  sender: message.sender,
  metadata: message.metadata,
  seq: message.seq,
  version: message.version,
  created_at: message.createdAt,
  updated_at: message.updatedAt,
  completed_at: message.completedAt,
});

const usageView = ({ inputTokens, outputTokens }: Usage) => ({
  input_tokens: inputTokens,
  output_tokens: outputTokens,
});

/** What goes on in a chat, as its messages' readers see it. */
export const workView = (chat: Chat, jobs: readonly Job[]) => ({
  active_job_id: chat.activeJobId,
  jobs: jobs.map(({ id, title, status, review }) => ({ id, title, status, review_state: review.state })),
  artifacts: [],
  needs_attention: chat.status === "needs_attention",
});
