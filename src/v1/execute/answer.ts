/**
 * The answer of an execution that is not streamed (V1-8): it waits for the job's end, but never longer than its
 * deadline, and then reports the job's state. A client that leaves ends the wait, not the job (V1-4).
 */
import { assert } from "../../../actors/assert.ts";
import { mapOutcome, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { requestsOf } from "../../../actors/job/client-call.ts";
import { type BlockedReason, type Job, jobRef, type RunErrorCode } from "../../../actors/job/schema.ts";
import { SHARD_UNAVAILABLE } from "../../../actors/runtime/placement/shards.ts";
import type { Subscription } from "../../../actors/runtime/streams/subscription.ts";
import { done, type JoinedAnswer } from "../../http/commit/commit.ts";
import type { Bearer } from "../../http/stream/open-streams.ts";
import type { Caller } from "../../http/request/caller.ts";
import type { Services } from "../../operations/services.ts";
import type { Execution } from "./beginning.ts";
import { type ExecutionResult, GOES_ON_NOTICE, noticeOf, partialNotice, stopReasonOf } from "./schema.ts";

type AnswerParts = Pick<Services, "system" | "streams" | "clock" | "jobLimits" | "log">;

/** Events after which a job waits for a decision or has ended. */
const STANDSTILLS: ReadonlySet<string> = new Set(["job.completed", "job.failed", "job.cancelled", "job.blocked"]);

/**
 * A job in one of these states is answered only if the service stops, the deadline has passed, or the caller's token
 * has ended.
 */
const GOES_ON: ReadonlySet<string> = new Set(["queued", "running"]);

export async function executionAnswer(
  parts: AnswerParts,
  { signal, principal }: Pick<Caller, "signal" | "principal">,
  execution: Execution,
): Promise<Outcome<JoinedAnswer>> {
  const { system, log } = parts;
  const { jobId } = execution;
  const ref = jobRef(principal.organizationId, jobId);
  const subscription = system.subscribe(ref, 0);
  try {
    await standstill(parts, { subscription, signal, bearer: principal });
  } catch (err) {
    log.error({ err, jobId }, "a job's events could not be read");
    return refuse(SHARD_UNAVAILABLE);
  } finally {
    subscription.close();
  }
  const job = await system.dispatch(ref, { kind: "read_job" });
  if (!job.ok) return job;
  const isFinal = !GOES_ON.has(job.value.status);
  return mapOutcome(answerOf(execution, job.value), (result) => ({ ...done(result), isFinal }));
}

interface WaitingExecution {
  readonly subscription: Subscription;
  readonly signal: AbortSignal;
  readonly bearer: Bearer;
}

/**
 * Resolves when the job is at rest or over, the deadline has passed, the client has left, its token has ended, or the
 * service stops.
 */
async function standstill(
  { streams, clock, jobLimits }: AnswerParts,
  { subscription, signal, bearer }: WaitingExecution,
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

/** The answer for the job's present state. */
export function answerOf({ names, isDemo }: Pick<Execution, "names" | "isDemo">, job: Job): Outcome<ExecutionResult> {
  const result = job.result ?? "";
  const hasOutput = result !== "" || job.metrics.toolCalls > 0;
  if (job.status === "failed" && !hasOutput) {
    assert(job.error !== null, "a failed job has an error");
    const fault = withoutOutput(job.error.code, job.error.message);
    if (fault !== null) return fault;
  }
  const stopReason = job.status === "completed" || job.status === "failed" ? (job.stopReason ?? null) : null;
  const notice = GOES_ON.has(job.status)
    ? { notice: GOES_ON_NOTICE }
    : { ...noticeOf(job.runner?.demo ?? isDemo), ...partialNotice(stopReason) };
  const answer = { success: job.status === "completed", ...names, ...stopReasonOf(stopReason), ...notice };
  if (job.status !== "blocked") return ok({ ...answer, result });
  const error = { code: job.blockedReason, message: BLOCKED[job.blockedReason] + linksOf(job) };
  return ok({ ...answer, ...(result === "" ? {} : { result }), error, jobId: job.id });
}

/**
 * What a blocked execution waits for. v1 has no operation to decide it; the current surface has one, for the job with
 * this `jobId`.
 */
const BLOCKED: Readonly<Record<BlockedReason, string>> = {
  approval_required: "The execution waits for a person to approve a tool call",
  input_required: "The execution waits for input",
  auth_required: "The execution waits for a person to sign in",
  tool_result_required: "The execution waits for the result of a tool that its client runs",
  budget_reached: "The execution has used up its budget",
  interrupted: "The execution was interrupted in a tool call, and waits for a person to say whether it is made again",
};

/** Where the person signs in, if that is what the execution waits for. */
function linksOf(job: Job): string {
  const links = requestsOf(job).map(({ name, link }) => `${name}: ${link}`);
  return links.length === 0 ? "" : `: ${links.join(", ")}`;
}

/** The answer to a failure without any output; null if the answer is 200 with `success: false`. */
function withoutOutput(code: RunErrorCode, message: string): Outcome<never> | null {
  switch (code) {
    case "provider_unreachable":
    case "provider_unauthorized":
    case "provider_key_rejected":
    case "provider_rate_limited":
    case "provider_error":
    case "provider_stalled":
    case "provider_rejected":
    case "context_length_exceeded":
    case "model_unavailable":
    case "no_answer":
      return refuse({ kind: "provider_error", message });
    case "timeout":
      return refuse({ kind: "timeout", message });
    case "internal_error":
    case "step_limit":
    case "attempts_exhausted":
    case "tools_unavailable":
    case "authorization_required":
    case "clone_failed":
    case "output_invalid":
      return null;
  }
}
