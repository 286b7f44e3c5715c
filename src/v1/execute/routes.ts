/** Execution on v1: one message to an agent, answered whole or as a stream. */
import { Elysia } from "elysia";
import { ok } from "../../../actors/fault.ts";
import { jobRef } from "../../../actors/job/schema.ts";
import { eventStream } from "../../http/event-stream.ts";
import { readJsonObject } from "../../http/json-body.ts";
import type { Call, Surface } from "../../http/surface.ts";
import { Body } from "../../http/validation.ts";
import type { V1Parts } from "../parts.ts";
import { executionAnswer } from "./answer.ts";
import { beginExecution, type Execution } from "./beginning.ts";
import { ExecutionFrames, openingFrames } from "./frames.ts";
import { ExecuteBody } from "./schema.ts";

const executeBody = new Body(ExecuteBody);

export function executeRoutes(v1: Surface, parts: V1Parts) {
  const execute = v1.handler({
    scope: "chats:write",
    async run(call) {
      const { request, server, params, principal } = call;
      const json = await readJsonObject(request);
      if (!json.ok) return json;
      const body = executeBody.parse(json.value);
      if (!body.ok) return body;
      const execution = await beginExecution(parts, principal, params["id"] ?? "", body.value);
      if (!execution.ok) return execution;
      if (body.value.stream === true) return ok(streamed(parts, call, execution.value));
      // Whoever waits for a model may hear nothing for longer than the server's idle time-out.
      server?.timeout(request, 0);
      return executionAnswer(parts, execution.value, request.signal);
    },
  });
  return new Elysia({ name: "v1-execute" }).post("/api/v1/agents/:id/execute", execute, { parse: "none" });
}

function streamed({ system, streams, clock, log }: V1Parts, { request, requestId, server }: Call, execution: Execution): Response {
  const { id: jobId, organizationId } = execution.job;
  const frames = new ExecutionFrames(execution, system.subscribe(jobRef(organizationId, jobId), 0));
  const onFailure = (err: unknown): void => log.error({ err, requestId, jobId }, "a stream was interrupted");
  return eventStream(frames, openingFrames(execution), { request, requestId, server, streams, clock, onFailure });
}
