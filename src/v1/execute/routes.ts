/** Execution on v1: one message to an agent, answered whole or as a stream. */
import { ok } from "../../../actors/fault.ts";
import { jobRef } from "../../../actors/job/schema.ts";
import { eventStream } from "../../http/event-stream.ts";
import { operationRoutes } from "../../http/operation-routes.ts";
import type { Call, Surface } from "../../http/surface.ts";
import { Body } from "../../http/validation.ts";
import type { V1Parts } from "../parts.ts";
import { executionAnswer } from "./answer.ts";
import { beginExecution, type Execution } from "./beginning.ts";
import { ExecutionFrames, openingFrames } from "./frames.ts";
import { executeOperations } from "./operations.ts";
import { ExecuteBody } from "./schema.ts";

const executeBody = new Body(ExecuteBody);

export const executeRoutes = (v1: Surface, parts: V1Parts) =>
  operationRoutes(v1, executeOperations, {
    v1ExecuteAgent: {
      admit: ({ principal }) => parts.streams.room(principal.organizationId),
      async run(call) {
        const body = await call.body.as(executeBody);
        return body.ok ? beginExecution(parts, call, body.value) : body;
      },
      async join(call, work) {
        const execution = work as unknown as Execution;
        if (execution.isStreamed) return ok(streamed(parts, call, execution));
        // Whoever waits for a model may hear nothing for longer than the server's idle time-out.
        call.server?.timeout(call.request, 0);
        return executionAnswer(parts, call, execution);
      },
    },
  });

function streamed(
  { system, streams, log }: V1Parts,
  { request, requestId, server, principal }: Call,
  execution: Execution,
): Response {
  const { jobId } = execution;
  const frames = new ExecutionFrames(execution, system.subscribe(jobRef(principal.organizationId, jobId), 0));
  const onFailure = (err: unknown): void => log.error({ err, requestId, jobId }, "a stream was interrupted");
  return eventStream(frames, openingFrames(execution), {
    request,
    requestId,
    server,
    streams,
    bearer: principal,
    onFailure,
  });
}
