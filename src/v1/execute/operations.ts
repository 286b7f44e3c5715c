/** The execution of an agent on v1 (V1-2, V1-3, V1-8). */
import { media, operationGroup } from "../../http/contract/operation.ts";
import { AgentId } from "../path-ids.ts";
import { ExecuteBody, ExecutionEvent, ExecutionResult } from "./schema.ts";

export const executeOperations = operationGroup(
  "V1 execution",
  "One message to an agent, answered whole or as a stream",
  {
    v1ExecuteAgent: {
      method: "POST",
      path: "/api/v1/agents/{id}/execute",
      scope: "chats:write",
      summary: "Execute agent",
      description:
        "With `stream: true` the answer is an event stream: `meta` first, then `message`s, then `result`, or `error`. Disconnecting does not stop the work. Send `sessionId` and `chatId` of an earlier answer to continue its conversation.",
      params: { id: AgentId },
      body: ExecuteBody,
      answers: { 200: media({ "application/json": ExecutionResult, "text/event-stream": ExecutionEvent }) },
      errors: ["not_found", "invalid_state", "budget_exceeded", "provider_error", "timeout"],
    },
  },
);
