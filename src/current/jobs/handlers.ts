/** Jobs on the current surface: list, read, lineage, transcript, and people's decisions about them (JOB-1 to JOB-9). */
import { mapped, type Outcome } from "../../../actors/fault.ts";
import { type Job, jobRef } from "../../../actors/job/schema.ts";
import type { Handlers, Input, Shown } from "../../http/contract/operation.ts";
import type { Caller } from "../../http/request/caller.ts";
import { lookUp } from "../../log/look-up.ts";
import type { Services } from "../../operations/services.ts";
import { type EventPage, eventView } from "../event-view.ts";
import { polled } from "../long-poll.ts";
import { pageOf, pageView } from "../paging.ts";
import { jobStanding, jobStandings } from "../standing.ts";
import { appLink } from "../streams/app-link.ts";
import { visibleJob } from "../work-visibility.ts";
import { approveJob, cancelJob, iterateJob, joinCancelled, resumeJob } from "./decisions.ts";
import { sendToolResults } from "./tool-results.ts";
import type { jobOperations } from "./operations.ts";
import { jobView, type LineageView, nodeView } from "./view.ts";

/** Limit of the lineage view; the oldest jobs come first. */
const LINEAGE_JOBS = 1_000;

type JobOperations = typeof jobOperations.operations;

export const jobHandlers: Handlers<JobOperations, Services> = {
  listJobs,

  getJob: (services, caller, { params, query }) =>
    onJob(services, caller, params.id, ({ id }) => {
      const ref = jobRef(caller.principal.organizationId, id);
      const read = () => services.system.dispatch(ref, { kind: "read_job" });
      const { principal } = caller;
      return polled(services, caller, { ref, read, query }, async (job) =>
        jobView(job, principal, {
          appStream: appLink(services, id, principal),
          standing: await jobStanding(services, principal, job),
        }),
      );
    }),

  getJobLineage: (services, caller, { params }) =>
    onJob(services, caller, params.id, (job) => readLineage(services, caller, job)),

  listTranscriptEvents: (services, caller, { params, query }) =>
    onJob(services, caller, params.id, (job) => readTranscript(services, job, query)),

  approveJob: (services, change, { params, body }) =>
    onJob(services, change, params.id, (job) => approveJob(services, change, job, body)),

  cancelJob: {
    run: (services, change, { params, query }) =>
      onJob(services, change, params.id, (job) => cancelJob(services, change, job, query.wait)),
    join: joinCancelled,
  },

  resumeJob: (services, change, { params, body }) =>
    onJob(services, change, params.id, (job) => resumeJob(services, change, job, body)),

  sendToolResults: (services, change, { params, body }) =>
    onJob(services, change, params.id, (job) => sendToolResults(change, job, body)),

  iterateJob: (services, change, { params, body }) =>
    onJob(services, change, params.id, (job) => iterateJob(services, change, job, body)),
};

/** Runs on a job that the caller may know of (AGT-5). */
async function onJob<T>(
  services: Services,
  { principal }: Caller,
  jobId: string,
  run: (job: Job) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const job = await visibleJob(services, principal, jobId);
  return job.ok ? run(job.value) : job;
}

async function listJobs(services: Services, { principal }: Caller, { query }: Input<JobOperations["listJobs"]>) {
  const { system, jobs, log } = services;
  const { organizationId, userId } = principal;
  const settled = await system.settled(organizationId);
  if (!settled.ok) return settled;
  const filter = {
    seenBy: userId,
    status: query.status,
    agentId: query.agent_id,
    chatId: query.chat_id,
    workspaceId: query.workspace_id,
    missionId: query.mission_id,
    parentJobId: query.parent_job_id,
    createdAfter: query.created_after,
    metadata: query.metadata,
  };
  const list = await lookUp(log, jobs.listJobs(organizationId, filter, pageOf(query)));
  if (!list.ok) return list;
  const standings = await jobStandings(services, principal, list.value.records);
  return mapped(standings, (standingOf) =>
    pageView("jobs", list.value, (job) =>
      jobView(job, principal, { appStream: appLink(services, job.id, principal), standing: standingOf(job) }),
    ),
  );
}

async function readLineage(
  { system, jobs, log }: Services,
  { principal: { organizationId, userId } }: Caller,
  { id, rootJobId }: Job,
): Promise<Outcome<Shown<typeof LineageView>>> {
  const settled = await system.settled(organizationId);
  if (!settled.ok) return settled;
  const rootId = rootJobId ?? id;
  const family = await lookUp(log, jobs.lineage(organizationId, { rootJobId: rootId, seenBy: userId }, LINEAGE_JOBS));
  return mapped(family, (nodes) => ({ root_id: rootId, nodes: nodes.map(nodeView) }));
}

/** The job's durable events after a seq; `next_cursor` is the next page's `after`. */
async function readTranscript(
  { system, jobs, log }: Services,
  { id: jobId, organizationId }: Job,
  { after, limit, types = [] }: Input<JobOperations["listTranscriptEvents"]>["query"],
): Promise<Outcome<Shown<typeof EventPage>>> {
  const settled = await system.settled(organizationId);
  if (!settled.ok) return settled;
  const found = await lookUp(log, jobs.jobEvents({ organizationId, jobId, types }, { after, limit }));
  return mapped(found, ({ records, hasMore, last }) => {
    const next = hasMore ? { next_cursor: String(last) } : {};
    return { events: records.map(eventView), ...next };
  });
}
