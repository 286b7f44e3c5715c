/** Jobs on the current surface: list, read, lineage, transcript, and what people decide about them (JOB-1 to JOB-9). */
import { invalid, mapped, ok, type Outcome } from "../../../actors/fault.ts";
import { JOB_STATUSES, jobRef } from "../../../actors/job/schema.ts";
import { PAGE_DEFAULT } from "../../../actors/page.ts";
import { queryOf } from "../../http/exchange.ts";
import { lookUp } from "../../http/look-up.ts";
import type { Handlers, Shown } from "../../http/operation.ts";
import { operationRoutes } from "../../http/operation-routes.ts";
import type { Call, Surface } from "../../http/surface.ts";
import { type EventPage, eventView } from "../event-view.ts";
import { idFilters, timeFilter, wordFilter } from "../filter.ts";
import { polled } from "../long-poll.ts";
import { integerOf, limitOf, pageRequest, pageView } from "../paging.ts";
import type { CurrentParts } from "../parts.ts";
import { appLink } from "../streams/app-link.ts";
import { approveJob, cancelJob, iterateJob, joinCancelled, resumeJob } from "./decisions.ts";
import { jobInSight } from "../work-sight.ts";
import { jobOperations } from "./operations.ts";
import { jobView, type LineageView, nodeView } from "./view.ts";

const TYPE = /^[a-z_.]{1,64}$/;
/** Types that one query may name. */
const TYPES = 32;
/** Jobs of one lineage that are shown, oldest first. */
const LINEAGE_JOBS = 1_000;

export const jobRoutes = (current: Surface, parts: CurrentParts) =>
  operationRoutes(current, jobOperations, handlers(parts));

const handlers = (parts: CurrentParts): Handlers<typeof jobOperations.operations> => ({
  listJobs: (call) => listJobs(parts, call),
  getJob: (call) => onJob(parts, call, (id) => readJob(parts, call, id)),
  getJobLineage: (call) => onJob(parts, call, (id) => readLineage(parts, call, id)),
  listTranscriptEvents: (call) => onJob(parts, call, (id) => readTranscript(parts, call, id)),
  approveJob: (call) => onJob(parts, call, (id) => approveJob(call, id)),
  cancelJob: {
    run: (call) => onJob(parts, call, (id) => cancelJob(call, id)),
    join: (call, work) => joinCancelled(parts, call, work),
  },
  resumeJob: (call) => onJob(parts, call, (id) => resumeJob(parts, call, id)),
  iterateJob: (call) => onJob(parts, call, (id) => iterateJob(parts, call, id)),
});

/** On a job that the caller may know of (AGT-5). */
async function onJob<T>(
  parts: CurrentParts,
  { params, principal }: Call,
  run: (jobId: string) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const job = await jobInSight(parts, principal, params["id"] ?? "");
  return job.ok ? run(job.value.id) : job;
}

async function listJobs(parts: CurrentParts, { request, principal }: Call) {
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
  const page = pageRequest(query, "jobs");
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

function readJob(parts: CurrentParts, call: Call, id: string) {
  const ref = jobRef(call.principal.organizationId, id);
  return polled(parts, call, { ref, read: () => parts.system.dispatch(ref, { kind: "read_job" }) }, (job) =>
    jobView(job, call.principal, appLink(parts, id, call.principal)),
  );
}

async function readLineage(
  { system, jobs, log }: CurrentParts,
  { principal: { organizationId, userId } }: Call,
  id: string,
): Promise<Outcome<Shown<typeof LineageView>>> {
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
): Promise<Outcome<Shown<typeof EventPage>>> {
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
  const page = { after: after.value, limit: limit.value };
  const found = await lookUp(log, jobs.jobEvents({ organizationId, jobId, types: types.value }, page));
  return mapped(found, ({ records, hasMore }) => {
    const next = hasMore ? { next_cursor: String(records.at(-1)?.seq) } : {};
    return { events: records.map(eventView), ...next };
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
