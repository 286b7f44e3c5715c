/** Going on after a job has stopped: resume, iterate (JOB-8, JOB-9). */
import { invalid, ok, type Outcome } from "../../../actors/fault.ts";
import { isCostKnown } from "../../../actors/job/budget.ts";
import { allowedJobActions, hasOpenApprovals, pending, stale, unlessOwnWords } from "../../../actors/job/machine.ts";
import { type Job, jobRef } from "../../../actors/job/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import type { InputBlock } from "../../../actors/upload/terms.ts";
import { accepted } from "../../http/commit/commit.ts";
import { withinMetadata } from "../../http/contract/limits.ts";
import type { Caller } from "../../http/request/caller.ts";
import { operation } from "../../operations/operation.ts";
import { saidContent, withinContent } from "../../operations/said-content.ts";
import type { Services } from "../../operations/services.ts";
import { usesOf } from "../../work/attaching.ts";
import { costKnown, refuseUnpriced, withinBudget } from "../../work/budget.ts";
import { readable } from "../../work/prepared-work.ts";
import { budgetOf } from "../chats/schema.ts";
import { sayAfter } from "../chats/sending.ts";
import { jobParams } from "../path-ids.ts";
import { visibleJob } from "../work-visibility.ts";
import { IterateBody, ResumeBody } from "./schema.ts";
import { JobView, jobView } from "./view.ts";

export const continuingOperations = {
  resumeJob: operation(
    {
      method: "POST",
      path: "/api/jobs/{id}/resume",
      scope: "jobs:write",
      summary: "Resume blocked work",
      description: "A blocked job continues as the same job; a failed or cancelled job continues in a new one.",
      params: jobParams,
      body: ResumeBody,
      isBodyOptional: true,
      answers: { 202: JobView },
      errors: ["forbidden", "invalid_state", "approval_pending", "budget_exceeded", "provider_error"],
      emits: "job.resumed",
    },
    async (services, change, { params, body }) => {
      const found = await visibleJob(services, change.principal, params.id);
      if (!found.ok) return found;
      const job = found.value;
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
        if (metadata !== null) return invalid("/metadata", "A blocked job keeps its metadata; omit the field");
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
    },
  ),

  iterateJob: operation(
    {
      method: "POST",
      path: "/api/jobs/{id}/iterate",
      scope: "jobs:write",
      summary: "Request another iteration",
      description: "Requests changes, if a review is pending, and starts another round in a new job.",
      params: jobParams,
      body: IterateBody,
      answers: { 202: JobView },
      errors: ["forbidden", "invalid_state", "approval_pending", "budget_exceeded", "provider_error"],
      emits: "job.iteration_requested",
    },
    async (services, change, { params, body }) => {
      const found = await visibleJob(services, change.principal, params.id);
      if (!found.ok) return found;
      const job = found.value;
      const { feedback, metadata } = body;
      const { principal } = change;
      const fits = withinContent(feedback, "feedback");
      if (!fits.ok) return fits;
      const fitting = withinMetadata(metadata ?? {});
      if (!fitting.ok) return fitting;
      if (!allowedJobActions(job).includes("iterate")) return stale(job);
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
    },
  ),
};

/** Refuses before any fetch what the actor would refuse anyway; null: not refused. */
function maySay(job: Job, by: string): Outcome<never> | null {
  if (!allowedJobActions(job).includes("resume")) return hasOpenApprovals(job) ? pending(job) : stale(job);
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
  return isCostKnown(models, model.value) ? allowed : refuseUnpriced(model.value);
}

const followingOf = ({ principal: by, requestId }: Caller, job: Job) => ({ by, requestId, job });
