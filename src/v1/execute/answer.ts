/**
 * The answer of an execution that is not streamed (V1-8): waits for the job's end, but never longer
 * than its deadline, and says what there is. A client that leaves ends the waiting, not the job
 * (V1-4).
 */
import { assert } from "../../../actors/assert.ts";
import { mapped, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { type Job, jobRef, type RunErrorCode } from "../../../actors/job/schema.ts";
import { UNAVAILABLE } from "../../../actors/runtime/shards.ts";
import type { Subscription } from "../../../actors/runtime/subscription.ts";
import { done, type Joined } from "../../http/commit.ts";
import type { Bearer } from "../../http/open-streams.ts";
import type { Call } from "../../http/surface.ts";
import type { V1Parts } from "../parts.ts";
import type { Execution } from "./beginning.ts";
import { type ExecutionResult, noticeOf, GOES_ON_NOTICE } from "./schema.ts";

type AnswerParts = Pick<V1Parts, "system" | "streams" | "clock" | "jobLimits" | "log">;

/** Events after which a job does nothing more by itself. */
const STANDSTILLS: ReadonlySet<string> = new Set(["job.completed", "job.failed", "job.cancelled", "job.blocked"]);

/** A job in one of these is answered only when the service stops, its time is up, or the caller's token counts no more. */
const GOES_ON: ReadonlySet<string> = new Set(["queued", "running"]);

export async function executionAnswer(
  parts: AnswerParts,
  { request, principal }: Pick<Call, "request" | "principal">,
  execution: Execution,
): Promise<Outcome<Joined>> {
  const { system, log } = parts;
  const { jobId } = execution;
  const ref = jobRef(principal.organizationId, jobId);
  const subscription = system.subscribe(ref, 0);
  try {
    await standstill(parts, { subscription, signal: request.signal, bearer: principal });
  } catch (err) {
    log.error({ err, jobId }, "a job's events could not be read");
    return refuse(UNAVAILABLE);
  } finally {
    subscription.close();
  }
  const job = await system.dispatch(ref, { kind: "read_job" });
  if (!job.ok) return job;
  const isFinal = !GOES_ON.has(job.value.status);
  return mapped(answerOf(execution, job.value), (result) => ({ ...done(result), isFinal }));
}

interface Waiting {
  readonly subscription: Subscription;
  readonly signal: AbortSignal;
  readonly bearer: Bearer;
}

/** Resolves when the job stands still, its deadline has passed, the client has left, its token counts no more or the service stops. */
async function standstill(
  { streams, clock, jobLimits }: AnswerParts,
  { subscription, signal, bearer }: Waiting,
): Promise<void> {
  const stop = (): void => subscription.close();
  const waiting = { bearer, end: stop };
  const cancelDeadline = clock.after(jobLimits.runMs, stop);
  signal.addEventListener("abort", stop, { once: true });
  streams.add(waiting);
  try {
    for (;;) {
      const items = await subscription.next();
      if (items.length === 0 || items.some((item) => item.kind === "event" && STANDSTILLS.has(item.event.type))) return;
    }
  } finally {
    cancelDeadline();
    signal.removeEventListener("abort", stop);
    streams.remove(waiting);
  }
}

/** What the job has come to. */
export function answerOf({ names, isDemo }: Pick<Execution, "names" | "isDemo">, job: Job): Outcome<ExecutionResult> {
  const result = job.result ?? "";
  const hasOutput = result !== "" || job.metrics.toolCalls > 0;
  if (job.status === "failed" && !hasOutput) {
    assert(job.error !== null, "a failed job has an error");
    const fault = withoutOutput(job.error.code, job.error.message);
    if (fault !== null) return fault;
  }
  const notice = GOES_ON.has(job.status) ? { notice: GOES_ON_NOTICE } : noticeOf(job.runner?.demo ?? isDemo);
  return ok({ success: job.status === "completed", ...names, result, ...notice });
}

/** How a failure that left nothing behind is answered; null where 200 with `success: false` is right. */
function withoutOutput(code: RunErrorCode, message: string): Outcome<never> | null {
  switch (code) {
    case "provider_unreachable":
    case "provider_unauthorized":
    case "provider_rate_limited":
    case "provider_error":
    case "provider_stalled":
    case "provider_rejected":
    case "model_unavailable":
      return refuse({ kind: "provider_error", message });
    case "timeout":
      return refuse({ kind: "timeout", message });
    case "internal_error":
    case "step_limit":
    case "attempts_exhausted":
      return null;
  }
}
