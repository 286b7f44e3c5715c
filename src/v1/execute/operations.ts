/** Execution on v1: one message to an agent, answered whole or as a stream. */
import { ok } from "../../../actors/fault.ts";
import { jobRef } from "../../../actors/job/schema.ts";
import { media } from "../../http/contract/operation.ts";
import type { Caller } from "../../http/request/caller.ts";
import { eventStream } from "../../http/stream/event-stream.ts";
import { operation } from "../../operations/operation.ts";
import type { Services } from "../../operations/services.ts";
import { V1AgentId } from "../agents/schema.ts";
import { executionAnswer } from "./answer.ts";
import { beginExecution, type Execution } from "./beginning.ts";
import { ExecutionFrames, openingFrames } from "./frames.ts";
import { ExecuteBody, ExecutionEvent, ExecutionResult } from "./schema.ts";

export const executeOperations = {
  v1ExecuteAgent: operation(
    {
      method: "POST",
      path: "/api/v1/agents/{id}/execute",
      scope: "chats:write",
      summary: "Execute agent",
      description:
        "With `stream: true` the answer is an event stream: `meta` first, then `message`s, then `result`, or `error`. Disconnecting does not stop the work. Send `sessionId` and `chatId` of an earlier answer to continue its conversation.",
      params: { id: V1AgentId },
      body: ExecuteBody,
      answers: { 200: media({ "application/json": ExecutionResult, "text/event-stream": ExecutionEvent }) },
      errors: ["invalid_state", "budget_exceeded", "provider_error", "timeout"],
    },
    {
      admit: ({ streams }, { principal }) => streams.room(principal.organizationId),
      run: (services, change, { params, body }) => beginExecution(services, change, params.id, body),
      async join(services, caller, work) {
        const execution = work as unknown as Execution;
        if (execution.isStreamed) return ok(streamExecution(services, caller, execution));
        // Waiting for a model may take longer than the server's idle time-out.
        caller.keepOpen(0);
        return executionAnswer(services, caller, execution);
      },
    },
  ),
};

function streamExecution({ system, streams, log }: Services, caller: Caller, execution: Execution): Response {
  const { jobId } = execution;
  const { principal: bearer, requestId } = caller;
  const frames = new ExecutionFrames(execution, system.subscribe(jobRef(bearer.organizationId, jobId), 0));
  const onFailure = (err: unknown): void => log.error({ err, requestId, jobId }, "a stream was interrupted");
  return eventStream(frames, openingFrames(execution), {
    connection: caller.connection ?? caller,
    streams,
    bearer,
    onFailure,
  });
}
