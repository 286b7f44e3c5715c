/** People's decisions about a job: approve, cancel, resume, iterate (JOB-2, JOB-3, JOB-8, JOB-9). */
import { invalid, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { isCostKnown } from "../../../actors/job/budget.ts";
import { chatAfter } from "../../../actors/job/transitions.ts";
import { allowedActions, hasOpenApprovals, openApprovals } from "../../../actors/job/machine.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { JobCommand } from "../../../actors/job/protocol.ts";
import { type Job, jobRef } from "../../../actors/job/schema.ts";
import { pending, stale, unlessOwnWords } from "../../../actors/job/refusals.ts";
import { followed, following } from "../../../actors/runtime/turns/members.ts";
import type { JsonObject, Static } from "../../../actors/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import type { InputBlock } from "../../../actors/upload/terms.ts";
import { usesOf } from "../../work/attaching.ts";
import { costKnown, unpriced, withinBudget } from "../../work/budget.ts";
import { readable } from "../../work/prepared-work.ts";
import { accepted, type Change, type Commit, done, type JoinedAnswer, type Steps } from "../../http/commit/commit.ts";
import { withinArguments, withinMetadata } from "../../http/contract/limits.ts";
import type { Caller } from "../../http/request/caller.ts";
import { budgetOf } from "../chats/schema.ts";
import { sayAfter } from "../chats/sending.ts";
import { awaited } from "../long-poll.ts";
import { comingStanding, jobStanding } from "../standing.ts";
import { doneIf } from "../updating.ts";
import { saidContent, withinContent } from "../../operations/said-content.ts";
import type { Services } from "../../operations/services.ts";
import type { ApproveBody, IterateBody, ResumeBody } from "./schema.ts";
import { jobView, receiptView } from "./view.ts";

type Committing = Promise<Outcome<Commit>>;

export async function approveJob(
  services: Services,
  change: Change,
  job: Job,
  body: Static<typeof ApproveBody>,
): Committing {
  const {
    approval_id: approvalId = null,
    tool_call_id: toolCallId = null,
    decision = "approve",
    comment = null,
  } = body;
  const fits = withinArguments(body.arguments ?? {});
  if (!fits.ok) return fits;
  const fitting = await fittingArguments(services, change.principal, job, body);
  if (!fitting.ok) return fitting;
  const standing = await comingStanding(services, change.principal, job);
  const steps = decided(change, job.id, {
    kind: "approve",
    by: change.principal.userId,
    decision,
    approvalId,
    toolCallId,
    arguments: body.arguments ?? null,
    comment,
    inGroup: true,
  });
  // A client that waits for the approval event must not see a denial as one.
  const emits = decision === "deny" ? ({ emits: "job.denied" } as const) : {};
  return change.commit(steps, (after) => ({ ...done(jobView(after, change.principal, { standing })), ...emits }));
}

/**
 * Whether arguments changed by a person fit the tool's schema. The job itself decides who may change them, and for
 * which call.
 */
async function fittingArguments(
  { argumentChecks }: Services,
  by: Principal,
  job: Job,
  { arguments: given, decision, approval_id: approvalId, tool_call_id: callId }: Static<typeof ApproveBody>,
): Promise<Outcome<null>> {
  // Those of a denial are refused themselves, not for their fields.
  if (given === undefined || decision === "deny" || job.createdBy !== by.userId) return ok(null);
  const chosen = openApprovals(job).filter(
    ({ id, toolCallId }) => (approvalId ?? id) === id && (callId ?? toolCallId) === toolCallId,
  );
  const schema = job.openCalls.find(({ id }) => id === chosen[0]?.toolCallId)?.schema;
  if (chosen.length !== 1 || schema === undefined) return ok(null);
  const errors = await argumentChecks.errorsOf(job.organizationId, schema, given);
  if (errors.length === 0) return ok(null);
  const placed = errors.map(({ path, message }) => ({ path: `/arguments${path}`, message }));
  return refuse({ kind: "invalid_request", errors: placed });
}

/** Job and chat in one commit: once answered, both show the decision. */
function decided({ principal }: Caller, jobId: string, command: Extract<JobCommand, { kind: "approve" }>): Steps<Job> {
  return followed(ask(jobRef(principal.organizationId, jobId), command), chatAfter);
}

/** Answers at once, or, given a wait (in seconds), when the job has actually stopped. */
export async function cancelJob(services: Services, change: Change, job: Job, waitSeconds: number): Committing {
  const standing = await comingStanding(services, change.principal, job);
  const ref = jobRef(change.principal.organizationId, job.id);
  const read = ask(ref, { kind: "read_job" });
  const steps = following([read, ask(ref, { kind: "cancel", inGroup: true })], ([, after]) => chatAfter(after));
  // A second cancel is answered, and changes nothing.
  const isSame = ([before, after]: readonly [Job, Job, ...unknown[]]): boolean => before.version === after.version;
  return waitSeconds === 0
    ? change.commit(steps, (_, replies) =>
        doneIf(!isSame(replies), receiptView(replies[1], change.principal, standing)),
      )
    : change.begin(steps, ({ id }) => ({ jobId: id, waitSeconds }), isSame);
}

/** The receipt, when the job has stopped or the wait is over. */
export async function joinCancelled(
  services: Services,
  caller: Caller,
  work: JsonObject,
): Promise<Outcome<JoinedAnswer>> {
  const { jobId, waitSeconds } = work as { readonly jobId: string; readonly waitSeconds: number };
  const ref = jobRef(caller.principal.organizationId, jobId);
  const watched = { ref, read: () => services.system.dispatch(ref, { kind: "read_job" }) };
  const isReached = (job: Job): boolean => job.status !== "cancelling";
  // A cancellation must not be refused for lack of room: without room for a waiting reader it answers at once.
  const hasRoom = services.streams.room(caller.principal.organizationId).ok;
  const job = await awaited(services, caller, watched, { waitSeconds: hasRoom ? waitSeconds : 0, isReached });
  if (!job.ok) return job;
  const standing = await jobStanding(services, caller.principal, job.value);
  return ok({ ...done(receiptView(job.value, caller.principal, standing)), isFinal: isReached(job.value) });
}

/** A blocked job itself goes on; a failed or cancelled one continues in a child job. */
export async function resumeJob(
  services: Services,
  change: Change,
  job: Job,
  body: Static<typeof ResumeBody>,
): Committing {
  const { principal } = change;
  const { input = null, retry_step: retryStep = null, metadata = null } = body;
  const fits = withinContent(input ?? "", "input");
  if (!fits.ok) return fits;
  const fitting = withinMetadata(metadata ?? {});
  if (!fitting.ok) return fitting;
  const given = body.budget === undefined ? ok(null) : budgetOf(body.budget, services.clock.now());
  if (!given.ok) return given;
  const budget = given.value;
  const sayable = input === null ? null : maySay(job, principal.userId);
  if (sayable !== null) return sayable;
  const content = input === null ? ok(null) : await saidContent(services, change, input, "input");
  if (!content.ok) return content;
  const said = content.value;
  const blocks = said?.blocks;
  const command = {
    kind: "resume",
    by: principal.userId,
    input: said?.text ?? null,
    blocks,
    retryStep,
    budget,
  } as const;
  if (job.status !== "failed" && job.status !== "cancelled") {
    if (metadata !== null) return invalid("/metadata", "A blocked job goes on with the metadata that it has");
    const countable = job.runner === null ? ok(null) : costKnown(services.models, job.runner, budget);
    if (!countable.ok) return countable;
    const read = readByJob(services, job, blocks);
    if (!read.ok) return read;
    const allowed = await mayGoOn(services, job);
    if (!allowed.ok) return allowed;
    const resume = ask(jobRef(principal.organizationId, job.id), command);
    return change.commit([resume, ...usesOf(principal, blocks, "input")], (resumed) =>
      accepted(jobView(resumed, principal)),
    );
  }
  const following = {
    ...followingOf(change, job),
    relation: "resume",
    command,
    said,
    field: "input",
    budget,
    metadata,
  } as const;
  return sayAfter(services, change, following, (begun) => accepted(jobView(begun, principal)));
}

/** Refuses before anything is fetched what the actor would refuse in any case; null: not refused. */
function maySay(job: Job, by: string): Outcome<never> | null {
  if (!allowedActions(job).includes("resume")) return hasOpenApprovals(job) ? pending(job) : stale(job);
  return job.status === "blocked" ? unlessOwnWords(job, by) : null;
}

/** Refuses content that the model of a blocked job cannot read. */
function readByJob({ models }: Services, { agent, runner }: Job, blocks: readonly InputBlock[] = []): Outcome<null> {
  return runner === null ? ok(null) : readable(models.inputOf(agent.model), runner, { blocks, field: "input" });
}

/** A job that its budget has stopped resumes only when the budget allows it: otherwise it would stop again at once. */
async function mayGoOn({ system, models }: Services, job: Job): Promise<Outcome<unknown>> {
  if (job.blockedReason !== "budget_reached") return ok(null);
  const allowed = await withinBudget(system, job.organizationId);
  const model = models.describe(job.agent.model);
  if (!allowed.ok || !allowed.value.limitsCost || !model.ok) return allowed;
  return isCostKnown(models, model.value) ? allowed : unpriced(model.value);
}

/** Answers the review, if there is one, and begins another round. */
export async function iterateJob(
  services: Services,
  change: Change,
  job: Job,
  { feedback, metadata }: Static<typeof IterateBody>,
): Committing {
  const { principal } = change;
  const fits = withinContent(feedback, "feedback");
  if (!fits.ok) return fits;
  const fitting = withinMetadata(metadata ?? {});
  if (!fitting.ok) return fitting;
  if (!allowedActions(job).includes("iterate")) return stale(job);
  const said = await saidContent(services, change, feedback, "feedback");
  if (!said.ok) return said;
  const { text, blocks } = said.value;
  const command = { kind: "request_changes", by: principal.userId, feedback: text, blocks, inGroup: true } as const;
  const following = {
    ...followingOf(change, job),
    relation: "iteration",
    command,
    said: said.value,
    field: "feedback",
    metadata: metadata ?? null,
  } as const;
  return sayAfter(services, change, following, (begun) => accepted(jobView(begun, principal)));
}

const followingOf = ({ principal: by, requestId }: Caller, job: Job) => ({ by, requestId, job });
