/** Jobs on the current surface: list, read, lineage, transcript, and people's decisions about them (JOB-1 to JOB-9). */
import { isLonger } from "../../../actors/cut-text.ts";
import { mapped, type Outcome } from "../../../actors/fault.ts";
import { JOB_EVENTS, type JobEventType } from "../../../actors/job/events.ts";
import { type Job, JOB_STATUSES, jobRef } from "../../../actors/job/schema.ts";
import { type JsonObject, Type } from "../../../actors/schema.ts";
import { parseJsonObject } from "../../http/body/json-body.ts";
import { bad, good, idFilter, someOf, textField, timeField, withDefault } from "../../http/contract/field.ts";
import { Id } from "../../http/contract/noun.ts";
import type { Input, Shown } from "../../http/contract/operation.ts";
import type { Caller } from "../../http/request/caller.ts";
import { lookUp } from "../../log/look-up.ts";
import { operation } from "../../operations/operation.ts";
import type { Services } from "../../operations/services.ts";
import { EventPage, eventView } from "../event-view.ts";
import { POLL_QUERY, polled } from "../long-poll.ts";
import { LIMIT, pageOf, pageQuery, pageView } from "../paging.ts";
import { JobId } from "../path-ids.ts";
import { jobStanding, jobStandings } from "../standing.ts";
import { appLink } from "../streams/app-link.ts";
import { visibleJob } from "../work-visibility.ts";
import { approveJob, cancelJob, iterateJob, joinCancelled, resumeJob } from "./decisions.ts";
import { ApproveBody, IterateBody, ResumeBody, ToolResultsBody } from "./schema.ts";
import { sendToolResults } from "./tool-results.ts";
import { JobList, JobView, jobView, LineageView, nodeView, ReceiptView } from "./view.ts";

const params = { id: JobId };

/** The durable events of a job. Others, such as text deltas, are in no transcript. */
const EVENT_TYPES = Object.keys(JOB_EVENTS) as readonly JobEventType[];

const LAST_SEQ = 2_147_483_647;

const METADATA_CHARACTERS = 2_048;

/**
 * A part of the metadata, as JSON. NUL and lone surrogates are refused as in a body, because PostgreSQL cannot store
 * them.
 */
const MetadataFilter = textField<JsonObject>(
  {
    type: "string",
    maxLength: METADATA_CHARACTERS,
    description: "Jobs whose metadata contains these fields, as a JSON object",
    examples: ['{"ticket":"T-7"}'],
  },
  (text, name) => {
    const given = isLonger(text, METADATA_CHARACTERS) ? null : parseJsonObject(text);
    if (given?.ok === true) return good(given.value);
    if (given?.fault.kind === "invalid_request" && given.fault.errors[0]!.path !== "")
      return bad(`${name}: ${given.fault.errors[0]!.message}`);
    return bad(`${name} must be a JSON object, such as {"ticket":"T-7"}`);
  },
);

const TRANSCRIPT_QUERY = {
  after: withDefault(Type.Integer({ minimum: 0, maximum: LAST_SEQ, description: "Only events after this seq" }), 0),
  types: someOf(EVENT_TYPES, { description: "Only events of these types" }),
  limit: LIMIT,
};

export const jobOperations = {
  listJobs: operation(
    {
      method: "GET",
      path: "/api/jobs",
      scope: "jobs:read",
      summary: "List jobs",
      description: "Filters are combined with AND.",
      query: {
        status: someOf(JOB_STATUSES, { description: "Jobs with one of these statuses" }),
        agent_id: idFilter(Id("agt", "Jobs of this agent")),
        chat_id: idFilter(Id("cht", "Jobs of this chat")),
        workspace_id: idFilter(Id("wsp", "Jobs in this workspace")),
        mission_id: idFilter(Id("mis", "Jobs of this mission")),
        parent_job_id: idFilter(Id("job", "Jobs that were created from this one")),
        created_after: timeField({
          description: "Jobs that were created later than this, ISO 8601",
          examples: ["2026-11-01T00:00:00.000Z"],
        }),
        metadata: MetadataFilter,
        ...pageQuery("jobs"),
      },
      answers: { 200: JobList },
    },
    async (services, { principal }, { query }) => {
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
    },
  ),

  getJob: operation(
    {
      method: "GET",
      path: "/api/jobs/{id}",
      scope: "jobs:read",
      summary: "Read status, metadata, artifacts, review state and links",
      description: "With `since_version` and `wait` it returns as soon as the job changes.",
      params,
      query: POLL_QUERY,
      answers: { 200: JobView, 304: null },
    },
    (services, caller, { params, query }) =>
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
  ),

  getJobLineage: operation(
    {
      method: "GET",
      path: "/api/jobs/{id}/lineage",
      scope: "jobs:read",
      summary: "Read related jobs",
      description: "Its iterations, resumptions and delegations, and its own ancestors.",
      params,
      answers: { 200: LineageView },
    },
    (services, caller, { params }) => onJob(services, caller, params.id, (job) => readLineage(services, caller, job)),
  ),

  listTranscriptEvents: operation(
    {
      method: "GET",
      path: "/api/jobs/{id}/transcript-events",
      scope: "jobs:read",
      summary: "Read transcript events",
      description: "The durable events of the job's stream, by pages.",
      params,
      query: TRANSCRIPT_QUERY,
      answers: { 200: EventPage },
    },
    (services, caller, { params, query }) =>
      onJob(services, caller, params.id, (job) => readTranscript(services, job, query)),
  ),

  approveJob: operation(
    {
      method: "POST",
      path: "/api/jobs/{id}/approve",
      scope: "jobs:write",
      summary: "Approve a reviewed job, or approve or deny waiting tool calls",
      description: "Without an id it applies to all waiting calls, or to the review. A denial emits `job.denied`.",
      params,
      body: ApproveBody,
      isBodyOptional: true,
      answers: { 200: JobView },
      errors: ["forbidden", "invalid_state"],
      emits: "job.approved",
    },
    (services, change, { params, body }) =>
      onJob(services, change, params.id, (job) => approveJob(services, change, job, body)),
  ),

  cancelJob: operation(
    {
      method: "POST",
      path: "/api/jobs/{id}/cancel",
      scope: "jobs:write",
      summary: "Cancel running work",
      description: "With `wait` it returns when the job has stopped, with the seq of its last event.",
      params,
      query: { wait: POLL_QUERY.wait },
      answers: { 200: ReceiptView },
      errors: ["invalid_state"],
      emits: "job.cancelled",
    },
    {
      run: (services, change, { params, query }) =>
        onJob(services, change, params.id, (job) => cancelJob(services, change, job, query.wait)),
      join: joinCancelled,
    },
  ),

  resumeJob: operation(
    {
      method: "POST",
      path: "/api/jobs/{id}/resume",
      scope: "jobs:write",
      summary: "Resume blocked work",
      description: "A blocked job continues itself; a failed or cancelled one continues in a new job.",
      params,
      body: ResumeBody,
      isBodyOptional: true,
      answers: { 202: JobView },
      errors: ["forbidden", "invalid_state", "approval_pending", "budget_exceeded", "provider_error"],
      emits: "job.resumed",
    },
    (services, change, { params, body }) =>
      onJob(services, change, params.id, (job) => resumeJob(services, change, job, body)),
  ),

  sendToolResults: operation(
    {
      method: "POST",
      path: "/api/jobs/{id}/tool-results",
      scope: "jobs:write",
      summary: "Send the results of tools that the client runs",
      description:
        "For calls in `requested_tool_calls`. Each call takes one result; the job goes on when all of them have theirs.",
      params,
      body: ToolResultsBody,
      answers: { 200: JobView },
      errors: ["forbidden", "invalid_state"],
      emits: "job.tool_results",
    },
    (services, change, { params, body }) =>
      onJob(services, change, params.id, (job) => sendToolResults(change, job, body)),
  ),

  iterateJob: operation(
    {
      method: "POST",
      path: "/api/jobs/{id}/iterate",
      scope: "jobs:write",
      summary: "Request another iteration",
      description: "Requests changes, if a review is pending, and starts another round in a new job.",
      params,
      body: IterateBody,
      answers: { 202: JobView },
      errors: ["forbidden", "invalid_state", "approval_pending", "budget_exceeded", "provider_error"],
      emits: "job.iteration_requested",
    },
    (services, change, { params, body }) =>
      onJob(services, change, params.id, (job) => iterateJob(services, change, job, body)),
  ),
};

/** Limit of the lineage view; the oldest jobs come first. */
const LINEAGE_JOBS = 1_000;

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
  { after, limit, types = [] }: Input<{ query: typeof TRANSCRIPT_QUERY }>["query"],
): Promise<Outcome<Shown<typeof EventPage>>> {
  const settled = await system.settled(organizationId);
  if (!settled.ok) return settled;
  const found = await lookUp(log, jobs.jobEvents({ organizationId, jobId, types }, { after, limit }));
  return mapped(found, ({ records, hasMore, last }) => {
    const next = hasMore ? { next_cursor: String(last) } : {};
    return { events: records.map(eventView), ...next };
  });
}
