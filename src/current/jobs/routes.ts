/** Jobs on the current surface: list, read, lineage, transcript, and what people decide about them (JOB-1 to JOB-9). */
import { Elysia } from "elysia";
import { invalid, mapped, ok, type Outcome } from "../../../actors/fault.ts";
import { type Job, JOB_STATUSES, jobRef } from "../../../actors/job/schema.ts";
import { PAGE_DEFAULT } from "../../../actors/page.ts";
import { queryOf } from "../../http/exchange.ts";
import { lookUp } from "../../http/look-up.ts";
import type { Committed, MutatingCall, Mutation } from "../../http/commit.ts";
import type { Call, Operation, Surface } from "../../http/surface.ts";
import { eventView } from "../event-view.ts";
import { idFilters, timeFilter, wordFilter } from "../filter.ts";
import { polled } from "../long-poll.ts";
import { integerOf, limitOf, pageRequest, pageView } from "../paging.ts";
import type { CurrentParts } from "../parts.ts";
import { appLink } from "../streams/app-link.ts";
import { approveJob, cancelJob, iterateJob, joinCancelled, resumeJob } from "./decisions.ts";
import { jobInSight } from "../work-sight.ts";
import { jobView, nodeView } from "./view.ts";

const TYPE = /^[a-z_.]{1,64}$/;
/** Types that one query may name. */
const TYPES = 32;
/** Jobs of one lineage that are shown, oldest first. */
const LINEAGE_JOBS = 1_000;

type Answer = Promise<Outcome<object | Response>>;
type OnJob = (parts: CurrentParts, call: Call, jobId: string) => Answer;
type Decide = (parts: CurrentParts, call: MutatingCall, jobId: string) => Promise<Outcome<Committed>>;

export function jobRoutes(current: Surface, parts: CurrentParts) {
  const on = (scope: string, run: OnJob): Operation => ({
    scope,
    run: (call) => onJob(parts, call, (id) => run(parts, call, id)),
  });
  const deciding = (decide: Decide): Mutation => ({
    scope: "jobs:write",
    run: (call) => onJob(parts, call, (id) => decide(parts, call, id)),
  });
  const list = current.handler({ scope: "jobs:read", run: (call) => listJobs(parts, call) });
  const read = current.handler(on("jobs:read", readJob));
  const lineage = current.handler(on("jobs:read", readLineage));
  const transcript = current.handler(on("jobs:read", readTranscript));
  const approve = current.mutation(deciding(approveJob));
  const cancel = current.mutation({ ...deciding(cancelJob), join: (call, work) => joinCancelled(parts, call, work) });
  const resume = current.mutation(deciding(resumeJob));
  const iterate = current.mutation(deciding(iterateJob));
  return new Elysia({ name: "current-jobs" })
    .get("/api/jobs", list)
    .get("/api/jobs/:id", read)
    .get("/api/jobs/:id/lineage", lineage)
    .get("/api/jobs/:id/transcript-events", transcript)
    .post("/api/jobs/:id/approve", approve, { parse: "none" })
    .post("/api/jobs/:id/cancel", cancel, { parse: "none" })
    .post("/api/jobs/:id/resume", resume, { parse: "none" })
    .post("/api/jobs/:id/iterate", iterate, { parse: "none" });
}

/** On a job that the caller may know of (AGT-5). */
async function onJob<T>(
  parts: CurrentParts,
  { params, principal }: Call,
  run: (jobId: string) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const job = await jobInSight(parts, principal, params["id"] ?? "");
  return job.ok ? run(job.value.id) : job;
}

async function listJobs(parts: CurrentParts, { request, principal }: Call): Answer {
  const { system, jobs, log } = parts;
  const { organizationId } = principal;
  const query = queryOf(request.url);
  const names = {
    agentId: "agent_id",
    chatId: "chat_id",
    workspaceId: "workspace_id",
    missionId: "mission_id",
    parentJobId: "parent_job_id",
  };
  const ids = idFilters(query, names);
  if (!ids.ok) return ids;
  const status = wordFilter(query, "status", JOB_STATUSES);
  if (!status.ok) return status;
  const createdAfter = timeFilter(query, "created_after");
  if (!createdAfter.ok) return createdAfter;
  const page = pageRequest(query);
  if (!page.ok) return page;
  const settled = await system.settled(organizationId);
  if (!settled.ok) return settled;
  const filter = {
    seenBy: principal.userId,
    ...ids.value,
    ...(status.value === null ? {} : { status: status.value }),
    ...(createdAfter.value === null ? {} : { createdAfter: createdAfter.value }),
  };
  return mapped(await lookUp(log, jobs.listJobs(organizationId, filter, page.value)), (list) =>
    pageView("jobs", list, (job) => jobView(job, principal, appLink(parts, job.id, principal))),
  );
}

function readJob(parts: CurrentParts, call: Call, id: string): Answer {
  const ref = jobRef(call.principal.organizationId, id);
  return polled<Job>(parts, call, { ref, read: () => parts.system.dispatch(ref, { kind: "read_job" }) }, (job) =>
    jobView(job, call.principal, appLink(parts, id, call.principal)),
  );
}

async function readLineage(
  { system, jobs, log }: CurrentParts,
  { principal: { organizationId, userId } }: Call,
  id: string,
): Answer {
  const job = await system.dispatch(jobRef(organizationId, id), { kind: "read_job" });
  if (!job.ok) return job;
  const settled = await system.settled(organizationId);
  if (!settled.ok) return settled;
  const rootId = job.value.rootJobId ?? id;
  const family = await lookUp(log, jobs.lineage(organizationId, { rootJobId: rootId, seenBy: userId }, LINEAGE_JOBS));
  return mapped(family, (nodes) => ({ root_id: rootId, nodes: nodes.map(nodeView) }));
}

/** The job's durable events after a seq; `next_cursor` is the next page's `after`. */
async function readTranscript(
  { system, jobs, log }: CurrentParts,
  { request, principal: { organizationId } }: Call,
  jobId: string,
): Answer {
  const query = queryOf(request.url);
  const after = integerOf(query, "after", { min: 0, max: 2_147_483_647, fallback: 0 });
  if (!after.ok) return after;
  const limit = limitOf(query, PAGE_DEFAULT);
  if (!limit.ok) return limit;
  const types = typesOf(query);
  if (!types.ok) return types;
  const job = await system.dispatch(jobRef(organizationId, jobId), { kind: "read_job" });
  if (!job.ok) return job;
  const settled = await system.settled(organizationId);
  if (!settled.ok) return settled;
  const page = { after: after.value, limit: limit.value + 1 };
  const found = await lookUp(log, jobs.jobEvents({ organizationId, jobId, types: types.value }, page));
  return mapped(found, (events) => {
    const shown = events.slice(0, limit.value);
    const next = events.length > limit.value ? { next_cursor: String(shown.at(-1)?.seq) } : {};
    return { events: shown.map(eventView), ...next };
  });
}

/** `types=a,b` or `types=a&types=b`. */
function typesOf(query: URLSearchParams): Outcome<readonly string[]> {
  const types = query
    .getAll("types")
    .flatMap((text) => text.split(","))
    .filter((type) => type !== "");
  if (types.length > TYPES || !types.every((type) => TYPE.test(type)))
    return invalid("/types", "types must be names of events, with commas between them");
  return ok(types);
}
