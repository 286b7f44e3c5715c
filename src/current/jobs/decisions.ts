/** What people decide about a job: approve, cancel, resume, iterate (JOB-2, JOB-3, JOB-8, JOB-9). */
import { type Fault, mapped, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { chatAfter } from "../../../actors/job/ending.ts";
import { allowedActions } from "../../../actors/job/machine.ts";
import type { JobCommand } from "../../../actors/job/protocol.ts";
import { type Job, jobRef, PLAIN_TERMS } from "../../../actors/job/schema.ts";
import { type Lineage } from "../../../actors/job/terms.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import { ask, type TroupeSystem } from "../../../actors/troupe.ts";
import { withinBudget } from "../../http/budget.ts";
import { accepted, type Committed, done, type Joined, type MutatingCall, type Steps } from "../../http/commit.ts";
import { queryOf } from "../../http/exchange.ts";
import { withinArguments, withinMessage } from "../../http/limits.ts";
import type { Call } from "../../http/surface.ts";
import { Body } from "../../http/validation.ts";
import { type Said, sayAfter } from "../chats/sending.ts";
import { awaited, waitOf } from "../long-poll.ts";
import type { CurrentParts } from "../parts.ts";
import { ApproveBody, IterateBody, ResumeBody } from "./schema.ts";
import { jobView, receiptView } from "./view.ts";

const approveBody = new Body(ApproveBody);
const resumeBody = new Body(ResumeBody);
const iterateBody = new Body(IterateBody);

type Change = Promise<Outcome<Committed>>;

export async function approveJob(call: MutatingCall, jobId: string): Change {
  const body = await call.body.orEmpty(approveBody);
  if (!body.ok) return body;
  const {
    approval_id: approvalId = null,
    tool_call_id: toolCallId = null,
    decision = "approve",
    comment = null,
  } = body.value;
  const fits = withinArguments(body.value.arguments ?? {});
  if (!fits.ok) return fits;
  const steps = decided(call, jobId, {
    kind: "approve",
    by: call.principal.userId,
    decision,
    approvalId,
    toolCallId,
    arguments: body.value.arguments ?? null,
    comment,
    inGroup: true,
  });
  // Who waits for an approval must not take a denial for one.
  const emits = decision === "deny" ? ({ emits: "resource.updated" } as const) : {};
  return call.commit(steps, (job) => ({ ...done(jobView(job, call.principal)), ...emits }));
}

/** Job and chat in one commit: whoever reads either after the answer finds it decided. */
function decided(
  { principal }: Call,
  jobId: string,
  command: Extract<JobCommand, { kind: "approve" | "cancel" }>,
): Steps<Job> {
  return [ask(jobRef(principal.organizationId, jobId), command), ([job]) => chatAfter(job as Job)];
}

/** Answers at once, or with `?wait=S` when the job has really stopped. */
export async function cancelJob(call: MutatingCall, jobId: string): Change {
  const wait = waitOf(queryOf(call.request.url));
  if (!wait.ok) return wait;
  const steps = decided(call, jobId, { kind: "cancel", inGroup: true });
  return wait.value === 0
    ? call.commit(steps, (job) => done(receiptView(job, call.principal)))
    : call.begin(steps, ({ id }) => ({ jobId: id, waitSeconds: wait.value }));
}

/** The receipt once the job has stopped, or when the wait is over. */
export async function joinCancelled(parts: CurrentParts, call: Call, work: JsonObject): Promise<Outcome<Joined>> {
  const { jobId, waitSeconds } = work as { readonly jobId: string; readonly waitSeconds: number };
  const ref = jobRef(call.principal.organizationId, jobId);
  const watched = { ref, read: () => parts.system.dispatch(ref, { kind: "read_job" }) };
  const isReached = (job: Job): boolean => job.status !== "cancelling";
  // What is to stop is never refused for want of room: who finds none is answered at once.
  const hasRoom = parts.streams.room(call.principal.organizationId).ok;
  const job = await awaited(parts, call, watched, { waitSeconds: hasRoom ? waitSeconds : 0, isReached });
  return mapped(job, (stopped) => ({ ...done(receiptView(stopped, call.principal)), isFinal: isReached(stopped) }));
}

/** A blocked job goes on itself; one that has failed or was cancelled goes on in a child. */
export async function resumeJob(parts: CurrentParts, call: MutatingCall, jobId: string): Change {
  const { principal } = call;
  const body = await call.body.orEmpty(resumeBody);
  if (!body.ok) return body;
  const { input = null, retry_step: retryStep = null } = body.value;
  const fits = withinMessage(input ?? "");
  if (!fits.ok) return fits;
  const ref = jobRef(principal.organizationId, jobId);
  const job = await parts.system.dispatch(ref, { kind: "read_job" });
  if (!job.ok) return job;
  const command = { kind: "resume", by: principal.userId, input, retryStep } as const;
  if (job.value.status !== "failed" && job.value.status !== "cancelled") {
    const allowed = await mayGoOn(parts.system, job.value);
    if (!allowed.ok) return allowed;
    return call.commit([ask(ref, command)], (resumed) => accepted(jobView(resumed, principal)));
  }
  const said = (parent: Job): Said => child(call, parent, { relation: "resume", content: input ?? parent.input });
  const following = { chatId: job.value.chatId, by: principal, decision: { jobId, command }, said };
  return sayAfter(parts, call, following, (begun) => accepted(jobView(begun, principal)));
}

/** A job that waits for tokens goes on when there are some: before that it would only wait again. */
const mayGoOn = (system: TroupeSystem, { blockedReason, organizationId }: Job): Promise<Outcome<null>> =>
  blockedReason === "budget_reached" ? withinBudget(system, organizationId) : Promise.resolve(ok(null));

/** Answers the review, where there is one, and begins another round. */
export async function iterateJob(parts: CurrentParts, call: MutatingCall, jobId: string): Change {
  const { principal } = call;
  const body = await call.body.as(iterateBody);
  if (!body.ok) return body;
  const { feedback } = body.value;
  const fits = withinMessage(feedback);
  if (!fits.ok) return fits;
  const job = await parts.system.dispatch(jobRef(principal.organizationId, jobId), { kind: "read_job" });
  if (!job.ok) return job;
  if (!allowedActions(job.value).includes("iterate")) return refuse(notNow(job.value));
  const command = { kind: "request_changes", by: principal.userId, feedback, inGroup: true } as const;
  const said = (parent: Job): Said => child(call, parent, { relation: "iteration", content: feedback });
  const following = { chatId: job.value.chatId, by: principal, decision: { jobId, command }, said };
  return sayAfter(parts, call, following, (begun) => accepted(jobView(begun, principal)));
}

/** The message whose job goes on from `parent`, under the same terms. */
function child(
  { principal: by, requestId }: Call,
  parent: Job,
  { relation, content }: { readonly relation: "resume" | "iteration"; readonly content: string },
): Said {
  const { maxTokens, maxSteps } = parent.budget;
  const lineage: Lineage = {
    parentJobId: parent.id,
    rootJobId: parent.rootJobId ?? parent.id,
    relation,
    iteration: parent.iteration + (relation === "iteration" ? 1 : 0),
    depth: parent.depth,
  };
  // The deadline was the parent's own; the child has its time from its start.
  const budget = { maxTokens, maxSteps, deadlineAt: null };
  const terms = {
    ...PLAIN_TERMS,
    lineage,
    priority: parent.priority,
    reviewRequired: parent.review.required,
    budget,
    requestId,
    metadata: parent.metadata,
  };
  return { by, content, onBusy: "queue", terms, metadata: {} };
}

const notNow = (job: Job): Fault => ({
  kind: "invalid_state",
  status: job.status,
  allowedActions: allowedActions(job),
  message: `The job is ${job.status}`,
});
