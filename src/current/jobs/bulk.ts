/**
 * One action on many jobs (JOB-18): those of one page of a filter, one after the other, each in a commit of its own with
 * the event of the single action. The answer says what happened to each. A repetition after a crash finds the jobs as
 * the first try has left them, and does nothing twice: what the action has reached already is `unchanged`. Two calls at
 * the same time are not serialized: a job may be resumed several times on purpose, so its actor refuses no second one.
 */
import { assert } from "../../../actors/assert.ts";
import { type Fault, invalid, ok, type Outcome } from "../../../actors/fault.ts";
import { type JsonObject, timeOf } from "../../../actors/schema.ts";
import type { JobFilter } from "../../../actors/job/directory.ts";
import { hasOpenApprovals, pending, stale } from "../../../actors/job/machine.ts";
import { type Job, type JobStatus, jobRef } from "../../../actors/job/schema.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { type Change, done } from "../../http/commit/commit.ts";
import type { Shown } from "../../http/contract/operation.ts";
import { lookUp } from "../../log/look-up.ts";
import { operation } from "../../operations/operation.ts";
import type { Services } from "../../operations/services.ts";
import { refusalWords } from "../dialect.ts";
import { pageOf, pageQuery, pageView } from "../paging.ts";
import { jobStandings, jobVerbs, type Standing } from "../standing.ts";
import { type BulkAction, BulkJobsBody, type BulkJobResult, BulkJobsView, type GivenJobFilter } from "./bulk-schema.ts";
import { recordNamed } from "../../http/contract/noun.ts";

type JobResult = Shown<typeof BulkJobResult>;

export const bulkOperations = {
  bulkJobs: operation(
    {
      method: "POST",
      path: "/api/jobs/bulk",
      scope: "jobs:write",
      summary: "Cancel, resume or decide many jobs",
      description:
        "Acts on the jobs of one page of the filter, one after the other. Each job changes and emits its event as if the operation for one job had been called. The answer says what happened to each. Do not call it twice at the same time: both calls may resume the same failed job. Call it again with `next_cursor` for the jobs after these.",
      query: pageQuery("jobs"),
      body: BulkJobsBody,
      answers: { 200: BulkJobsView },
      // Each job emits the event of its own change.
      emits: null,
      holdsKey: true,
    },
    async (services, change, { query, body: { action, filter: given, dry_run: isDryRun = false } }) => {
      const { jobs, readCommitted } = services;
      const { principal } = change;
      const { organizationId, userId } = principal;
      const filter = bulkFilterOf(given, userId);
      if (!filter.ok) return filter;
      const page = await readCommitted(organizationId, () =>
        jobs.listJobs(organizationId, filter.value, pageOf(query)),
      );
      if (!page.ok) return page;
      const standings = await jobStandings(services, principal, page.value.records);
      if (!standings.ok) return standings;
      const results: JobResult[] = [];
      for (const job of page.value.records) {
        results.push(await resultFor(services, change, { action, isDryRun, job, standing: standings.value(job) }));
      }
      const count = (wanted: JobResult["outcome"]): number =>
        results.filter(({ outcome }) => outcome === wanted).length;
      const { next_cursor: next } = pageView("jobs", page.value, ({ id }) => id);
      const counts = { done: count("done"), unchanged: count("unchanged"), refused: count("refused") };
      const view = {
        action,
        dry_run: isDryRun,
        ...counts,
        results,
        ...(next === undefined ? {} : { next_cursor: next }),
      };
      // The jobs have changed in commits of their own: this one is for the answer under an idempotency key.
      return change.commit([ask(organizationRef(organizationId), { kind: "read_organization" })], () => done(view));
    },
  ),
};

function bulkFilterOf(given: GivenJobFilter, seenBy: string): Outcome<JobFilter> {
  const { created_after: after, metadata, ...others } = given;
  // An empty object is contained in the metadata of every job.
  const conditions = [after, ...Object.values(others), ...Object.values(metadata ?? {})];
  if (conditions.every((condition) => condition === undefined))
    return invalid("/filter", "Field filter must have at least one condition");
  const createdAfter = after === undefined ? undefined : timeOf(after);
  if (createdAfter === null)
    return invalid("/filter/created_after", "Field filter.created_after must be a time in ISO 8601");
  return ok({ seenBy, ...recordNamed(others), createdAfter, metadata });
}

interface BulkStep {
  readonly action: BulkAction;
  readonly isDryRun: boolean;
  readonly job: Job;
  readonly standing: Standing;
}

/** What the action does to one job. It goes on with the next one whatever happens to this. */
async function resultFor(services: Services, change: Change, step: BulkStep): Promise<JobResult> {
  const { action, isDryRun, job, standing } = step;
  const result = (outcome: JobResult["outcome"], more: Partial<JobResult> = {}): JobResult => ({
    job_id: job.id,
    title: job.title,
    outcome,
    status: job.status,
    next_job_id: null,
    error: null,
    ...more,
  });
  const refused = (fault: Fault): JobResult => result("refused", { error: refusalWords(fault) });
  if (REACHED[action].has(job.status)) return result("unchanged");
  const continuing = action === "resume" ? await resumptionOf(services, change, job) : ok(null);
  if (!continuing.ok) return refused(continuing.fault);
  if (continuing.value !== null) return result("unchanged", { next_job_id: continuing.value });
  const { verb, operation: id, body } = BULK_STEPS[action];
  const isPossible = jobVerbs(job, change.principal, standing).includes(verb) && !isDeniedReview(action, job);
  if (!isPossible) return refused(whyNot(action, job, standing));
  if (isDryRun) return result("done");
  const performed = await change.perform(id, { id: job.id }, body);
  if (!performed.ok) return refused(performed.fault);
  const now = await services.system.dispatch(jobRef(job.organizationId, job.id), { kind: "read_job" });
  const { id: after = job.id } = performed.value as { readonly id?: string };
  const nextJobId = action === "resume" && after !== job.id ? after : null;
  return result("done", { status: now.ok ? now.value.status : job.status, next_job_id: nextJobId });
}

/** The operation of one job that an action stands for, and the verb that a job must allow for it. */
const BULK_STEPS: Readonly<
  Record<BulkAction, { readonly verb: string; readonly operation: string; body?: JsonObject }>
> = {
  cancel: { verb: "cancel", operation: "cancelJob" },
  resume: { verb: "resume", operation: "resumeJob" },
  approve: { verb: "approve", operation: "approveJob", body: { decision: "approve" } },
  deny: { verb: "approve", operation: "approveJob", body: { decision: "deny" } },
};

const isDeniedReview = (action: BulkAction, { status }: Job): boolean => action === "deny" && status === "needs_review";
const DENIED_REVIEW_WORDS = "A review cannot be denied: approve it, or request changes with iterate";

/** Statuses of jobs that wait for no decision: one has been made, or none was needed. */
const DECIDED: ReadonlySet<JobStatus> = new Set(["queued", "running", "completed"]);

/** Statuses in which the action has nothing left to do. */
const REACHED: Readonly<Record<BulkAction, ReadonlySet<JobStatus>>> = {
  cancel: new Set(["cancelling", "cancelled"]),
  resume: new Set(["queued", "running"]),
  approve: DECIDED,
  deny: DECIDED,
};

/** Jobs that derive from one; a delegating job may have children of another kind. */
const MOST_CHILDREN = 100;

/** The job that continues this ended one already; null if there is none. */
async function resumptionOf({ jobs, log }: Services, { principal }: Change, job: Job): Promise<Outcome<string | null>> {
  if (job.status !== "failed" && job.status !== "cancelled") return ok(null);
  const { organizationId, userId } = principal;
  const filter = { seenBy: userId, parentJobId: job.id };
  const children = await lookUp(log, jobs.listJobs(organizationId, filter, { limit: MOST_CHILDREN, after: null }));
  return children.ok ? ok(children.value.records.find(({ relation }) => relation === "resume")?.id ?? null) : children;
}

function whyNot(action: BulkAction, job: Job, { canBegin }: Standing): Fault {
  const words = canBegin ? undefined : "The agent, the chat or the workspace of the job is gone";
  const isDecision = action === "approve" || action === "deny";
  const refusal = isDecision
    ? stale(job, isDeniedReview(action, job) ? DENIED_REVIEW_WORDS : undefined)
    : hasOpenApprovals(job)
      ? pending(job)
      : stale(job, words);
  assert(!refusal.ok, "a refusal has a fault");
  return refusal.fault;
}
