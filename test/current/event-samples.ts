/** Every event of the two tables, as it is appended, with every field; and what its readers see of it (SSE-7, SSE-8). */
import type { ChatEventData, ChatEventType } from "../../actors/chat/events.ts";
import type { JOB_EVENTS, JobEventType } from "../../actors/job/events.ts";
import type { Static } from "../../actors/schema.ts";
import type { Json } from "../support/current.ts";

export const AT = "2026-11-21T08:00:00.000Z";
const USED = { inputTokens: 3, outputTokens: 4 };
const USED_SHOWN = { input_tokens: 3, output_tokens: 4 };
const ERROR = { code: "provider_unreachable", message: "No answer." } as const;
const ARTIFACT = { id: "art_1", kind: "file", name: "a.md", path: "x/a.md", mime: "text/markdown", size: 3 } as const;
const INPUT = { someKey: { innerKey: 1 } };
const POLICY = { of: { group: "finance" }, count: 2, notStarter: true, services: false };
const VOTE = { by: "u", at: AT, comment: null };

/** What is appended, with every field, and what a reader sees of it. */
export type Shapes<Data> = readonly (readonly [said: Data, shown: Json])[];

export const CHAT_SAMPLES: { readonly [K in ChatEventType]: Shapes<ChatEventData<K>> } = {
  "authorization.requested": [
    [
      {
        jobId: "j",
        connectionId: "c",
        name: "crm",
        resource: "https://mcp.example",
        owner: "person",
        scopes: ["read"],
        link: "https://app.example/connections/c",
      },
      {
        job_id: "j",
        connection_id: "c",
        name: "crm",
        resource: "https://mcp.example",
        owner: "person",
        scopes: ["read"],
        link: "https://app.example/connections/c",
      },
    ],
  ],
  "message.created": [
    [
      { messageId: "m", role: "user", content: "x", jobId: "j" },
      { message_id: "m", role: "user", content: "x", job_id: "j" },
    ],
  ],
  "message.queued": [
    [
      { jobId: "j", messageId: "m", position: 1 },
      { job_id: "j", message_id: "m", position: 1 },
    ],
  ],
  "message.started": [
    [
      { jobId: "j", messageId: "m", attempt: 1 },
      { job_id: "j", message_id: "m", attempt: 1 },
    ],
  ],
  "message.restarted": [
    [
      { jobId: "j", messageId: "m", attempt: 2 },
      { job_id: "j", message_id: "m", attempt: 2 },
    ],
  ],
  "message.completed": [
    [
      { jobId: "j", messageId: "m", status: "failed", content: "" },
      { job_id: "j", message_id: "m", status: "failed", content: "" },
    ],
  ],
  "chat.compacted": [
    [
      { jobId: "j", messageId: "m", messages: 3 },
      { job_id: "j", message_id: "m", messages: 3 },
    ],
  ],
  "message.updated": [
    [
      { messageId: "m", pinned: true },
      { message_id: "m", pinned: true },
    ],
  ],
  "tool.started": [
    [
      { jobId: "j", callId: "c", name: "n" },
      { job_id: "j", call_id: "c", name: "n" },
    ],
    [
      { jobId: "j", callId: "c", name: "n", arguments: { toName: { inIt: 1 } } },
      { job_id: "j", call_id: "c", name: "n", arguments: { toName: { inIt: 1 } } },
    ],
  ],
  "tool.requested": [
    [
      { jobId: "j", callId: "c", name: "n", arguments: { toName: 1 }, expiresAt: AT },
      { job_id: "j", call_id: "c", name: "n", arguments: { toName: 1 }, expires_at: AT },
    ],
  ],
  "tool.completed": [
    [
      { jobId: "j", callId: "c", result: "Done", isTruncated: false },
      { job_id: "j", call_id: "c", result: "Done", is_truncated: false },
    ],
    [
      { jobId: "j", callId: "c" },
      { job_id: "j", call_id: "c" },
    ],
  ],
  "tool.failed": [
    [
      { jobId: "j", callId: "c" },
      { job_id: "j", call_id: "c" },
    ],
  ],
  "routing.updated": [[{ model: null }, { model: null }]],
  "approval.requested": [
    [
      {
        jobId: "j",
        approvalId: "a",
        toolName: "t",
        toolCallId: "c",
        arguments: INPUT,
        message: "?",
        expiresAt: AT,
        onExpiry: "deny",
      },
      {
        job_id: "j",
        approval_id: "a",
        tool_name: "t",
        tool_call_id: "c",
        arguments: INPUT,
        message: "?",
        expires_at: AT,
        on_expiry: "deny",
      },
    ],
  ],
  "approval.resolved": [
    [
      { jobId: "j", approvalId: "a", toolCallId: "c", decision: "approve", by: null, arguments: INPUT },
      { job_id: "j", approval_id: "a", tool_call_id: "c", decision: "approve", by: null, arguments: INPUT },
    ],
  ],
  "review.updated": [
    [
      { jobId: "j", state: "pending", decidedBy: "u", comment: null },
      { job_id: "j", state: "pending", decided_by: "u", comment: null },
    ],
  ],
  "job.linked": [
    [
      { jobId: "j", messageId: "m" },
      { job_id: "j", message_id: "m" },
    ],
  ],
  "job.updated": [
    [
      { jobId: "j", status: "blocked", blockedReason: "approval_required" },
      { job_id: "j", status: "blocked", blocked_reason: "approval_required" },
    ],
  ],
  "chat.updated": [
    [
      { status: "done", options: { onBusy: "queue", autoApprove: true }, deleted: false },
      { status: "done", options: { on_busy: "queue", auto_approve: true }, deleted: false },
    ],
  ],
  "usage.updated": [
    [
      { jobId: "j", ...USED },
      { job_id: "j", ...USED_SHOWN },
    ],
  ],
  "artifact.created": [
    [
      { jobId: "j", ...ARTIFACT },
      { job_id: "j", ...ARTIFACT },
    ],
  ],
  error: [
    [
      { jobId: "j", ...ERROR },
      { job_id: "j", ...ERROR },
    ],
  ],
};

export const JOB_SAMPLES: { readonly [K in JobEventType]: Shapes<Static<(typeof JOB_EVENTS)[K]>> } = {
  "job.created": [
    [
      { chatId: "c", agentId: "a", title: "t" },
      { chat_id: "c", agent_id: "a", title: "t" },
    ],
  ],
  "job.started": [
    [
      { attempt: 1, model: "p:m" },
      { attempt: 1, model: "p:m" },
    ],
  ],
  "job.restarted": [[{ attempt: 2 }, { attempt: 2 }]],
  "job.blocked": [
    [{ reason: "approval_required" }, { reason: "approval_required" }],
    [
      { reason: "tool_result_required", toolCalls: [{ id: "c", name: "n", arguments: { toName: 1 } }] },
      {
        reason: "tool_result_required",
        tool_calls: [{ id: "c", name: "n", arguments: { toName: 1 } }],
      },
    ],
  ],
  "job.resumed": [[{ attempt: 1 }, { attempt: 1 }]],
  "job.review_requested": [[{ expiresAt: AT }, { expires_at: AT }]],
  "job.approved": [[{ decidedBy: null }, { decided_by: null }]],
  "job.denied": [
    [
      { decidedBy: "u", toolCallIds: ["c"], comment: null },
      { decided_by: "u", tool_call_ids: ["c"], comment: null },
    ],
  ],
  "job.iteration_requested": [
    [
      { by: "u", feedback: "f" },
      { by: "u", feedback: "f" },
    ],
  ],
  "job.cancelling": [[{}, {}]],
  // A terminal event ends the stream of a job that has ended, which this one has not.
  "job.completed": [[{ usage: USED }, { usage: USED_SHOWN }]],
  "job.failed": [
    [
      { error: ERROR, usage: USED },
      { error: ERROR, usage: USED_SHOWN },
    ],
  ],
  "job.cancelled": [
    [
      { toolCallsAborted: 1, usage: USED },
      { tool_calls_aborted: 1, usage: USED_SHOWN },
    ],
  ],
  "runner.status": [
    [
      { state: "running", attempt: 1, heartbeatAt: AT, progress: { percent: 5, label: null } },
      { state: "running", attempt: 1, heartbeat_at: AT, progress: { percent: 5, label: null } },
    ],
    [
      {
        state: "waiting",
        attempt: 1,
        heartbeatAt: AT,
        progress: { percent: null, label: null },
        reason: "provider_rate_limited",
        retryAt: AT,
      },
      {
        state: "waiting",
        attempt: 1,
        heartbeat_at: AT,
        progress: { percent: null, label: null },
        reason: "provider_rate_limited",
        retry_at: AT,
      },
    ],
  ],
  "transcript.event": [
    [
      { kind: "error", text: "x" },
      { kind: "error", text: "x" },
    ],
    [
      { kind: "assistant_text", text: "x" },
      { kind: "assistant_text", text: "x" },
    ],
    [
      { kind: "reasoning", text: "x" },
      { kind: "reasoning", text: "x" },
    ],
    [
      { kind: "user_text", text: "x", messageId: "m" },
      { kind: "user_text", text: "x", message_id: "m" },
    ],
    [
      { kind: "tool_use", id: "c", name: "n", input: INPUT },
      { kind: "tool_use", id: "c", name: "n", input: INPUT },
    ],
    [
      { kind: "tool_result", toolUseId: "c", content: "x", isError: true },
      { kind: "tool_result", tool_use_id: "c", content: "x", is_error: true },
    ],
  ],
  log: [
    [
      { level: "warn", message: "x" },
      { level: "warn", message: "x" },
    ],
  ],
  "usage.updated": [[USED, USED_SHOWN]],
  "approval.requested": [
    [
      {
        approvalId: "a",
        toolName: "t",
        toolCallId: "c",
        arguments: INPUT,
        message: "?",
        expiresAt: AT,
        onExpiry: "cancel",
      },
      {
        approval_id: "a",
        tool_name: "t",
        tool_call_id: "c",
        arguments: INPUT,
        message: "?",
        expires_at: AT,
        on_expiry: "cancel",
      },
    ],
  ],
  "approval.updated": [
    [
      { approvalId: "a", toolCallId: "c", policy: POLICY, votes: [VOTE], expiresAt: AT, onExpiry: "deny" },
      {
        approval_id: "a",
        tool_call_id: "c",
        policy: { of: { group: "finance" }, count: 2, not_starter: true, services: false },
        votes: [VOTE],
        expires_at: AT,
        on_expiry: "deny",
      },
    ],
  ],
  "approval.resolved": [
    [
      { approvalId: "a", toolCallId: "c", decision: "deny", by: "u", arguments: INPUT },
      { approval_id: "a", tool_call_id: "c", decision: "deny", by: "u", arguments: INPUT },
    ],
  ],
  "review.updated": [
    [
      { state: "approved", decidedBy: "u", comment: "c" },
      { state: "approved", decided_by: "u", comment: "c" },
    ],
  ],
  "artifact.created": [[ARTIFACT, ARTIFACT]],
  error: [[ERROR, { ...ERROR }]],
};
