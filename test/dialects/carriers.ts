/** Each protocol's frames, by its row in docs/protocols.md. */
import { TASK_FRAMES, TaskStream } from "../../src/dialects/a2a/stream.ts";
import { type TaskJob, taskMetadata, taskStatus } from "../../src/dialects/a2a/task.ts";
import { AcpFrames } from "../../src/dialects/acp/run-frames.ts";
import { AgUiFrames } from "../../src/dialects/ag-ui/event-frames.ts";
import { UiStream } from "../../src/dialects/ai-sdk/ui-stream.ts";
import { CompletionFrames } from "../../src/dialects/openai/completion-frames.ts";
import { ResponseFrames } from "../../src/dialects/openai/response-frames.ts";
import { ResponseState } from "../../src/dialects/openai/response-state.ts";
import type { RunFrames } from "../../src/dialects/runs/followed-run.ts";
import { protocolFrames, type RunItem } from "../../src/dialects/runs/run-item.ts";
import { RunTranslation } from "../../src/dialects/runs/run-translation.ts";
import { ok } from "../../actors/fault.ts";

const jobId = "job_V1StGXR8_Z5jdHi6B-myT";

const TASK: TaskJob = {
  id: jobId,
  chat_id: "cht_V1StGXR8_Z5jdHi6B-myT",
  agent_id: "agt_V1StGXR8_Z5jdHi6B-myT",
  workspace_id: null,
  status: "running",
  blocked_reason: null,
  input: "",
  result: null,
  output: null,
  stop_reason: null,
  error: null,
  approvals: [],
  requested_tool_calls: [],
  authorizations: [],
  artifacts: [],
  metrics: {},
  metadata: {},
  last_seq: 1,
  version: 1,
  updated_at: "2026-11-26T00:00:00.000Z",
};

/** The job as the item leaves it: A2A reads the state of a task from its record. */
function jobAfter(item: RunItem): TaskJob {
  if (item.kind === "client_calls")
    return {
      ...TASK,
      status: "blocked",
      blocked_reason: "tool_result_required",
      requested_tool_calls: item.calls.map((call) => ({ ...call })),
    };
  if (item.kind === "approval")
    return {
      ...TASK,
      status: "blocked",
      blocked_reason: "approval_required",
      approvals: [{ id: item.approvalId, tool_name: item.name, message: item.message, decision: null }],
    };
  if (item.kind !== "end") return TASK;
  const { stopReason: stop_reason, usage } = item;
  return { ...TASK, status: item.status, stop_reason, metrics: { input_tokens: usage.inputTokens } };
}

function taskFrames(): RunFrames {
  const stream = new TaskStream({
    subscription: { take: () => [], nextPage: async () => [], onChange() {}, close() {}, isLost: false },
    translation: new RunTranslation({ agent: { tools: [] } as never }, {}),
    job: TASK,
    read: async () => ok(TASK),
    endsWaiting: true,
    appUrl: "",
    now: () => "",
    frame: (response) => JSON.stringify(response),
  });
  return {
    opening: () => "",
    interrupted: () => "",
    frames(item) {
      const after = jobAfter(item);
      const status = JSON.stringify([taskStatus(after), taskMetadata(after)]);
      return protocolFrames(TASK_FRAMES, stream, item) + status;
    },
  };
}

export const CARRIERS: Readonly<Record<string, () => RunFrames>> = {
  "A2A 1.0": taskFrames,
  "ACP 1": () => new AcpFrames({ jobId, workspaceId: null, appUrl: "", hasNotices: true, mayDecide: true }),
  "AI SDK UI": () => new UiStream({ jobId, chatId: "cht_1" }, null),
  "AG-UI": () => new AgUiFrames({ jobId, chatId: "cht_1", threadId: "t", runId: "r" }, []),
  "OpenAI Chat Completions": () => new CompletionFrames({ jobId, model: "m", created: 0 }, { hasUsage: true }),
  "OpenAI Responses": () => new ResponseFrames(new ResponseState({ jobId, afterRounds: 0 }, {}), null),
};
