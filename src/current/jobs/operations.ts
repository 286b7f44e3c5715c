/** Reading jobs: list, read, lineage, transcript (JOB-1 to JOB-7, GEN-6). */
import { isLonger } from "../../../actors/cut-text.ts";
import { mapOutcome } from "../../../actors/fault.ts";
import { JOB_EVENTS, type JobEventType } from "../../../actors/job/events.ts";
import { JOB_STATUSES, jobRef } from "../../../actors/job/schema.ts";
import { type JsonObject, Type } from "../../../actors/schema.ts";
import { parseJsonObject } from "../../http/body/json-body.ts";
import { bad, good, idFilter, someOf, textField, timeField, withDefault } from "../../http/contract/field.ts";
import { Id, recordNamed } from "../../http/contract/noun.ts";
import { operation } from "../../operations/operation.ts";
import { EventPageView, eventView } from "../event-view.ts";
import { POLL_QUERY, pollRecord } from "../long-poll.ts";
import { LIMIT, pageOf, pageQuery, pageView } from "../paging.ts";
import { jobParams } from "../path-ids.ts";
import { jobStanding, jobStandings } from "../standing.ts";
import { visibleJob } from "../work-visibility.ts";
import { appLink, JobList, JobView, jobView, LineageView, nodeView } from "./view.ts";

/** Limit of the lineage view; the oldest jobs come first. */
const LINEAGE_JOBS = 1_000;

/** The durable events of a job. Others, such as text deltas, are in no transcript. */
const JOB_EVENT_TYPES = Object.keys(JOB_EVENTS) as readonly JobEventType[];

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
          description: "Jobs created after this time, in ISO 8601",
          examples: ["2026-11-01T00:00:00.000Z"],
        }),
        metadata: MetadataFilter,
        ...pageQuery("jobs"),
      },
      answers: { 200: JobList },
    },
    async (services, { principal }, { query }) => {
      const { jobs, readCommitted } = services;
      const { organizationId, userId } = principal;
      const { limit: _, cursor: __, ...conditions } = query;
      const filter = { seenBy: userId, ...recordNamed(conditions) };
      const list = await readCommitted(organizationId, () => jobs.listJobs(organizationId, filter, pageOf(query)));
      if (!list.ok) return list;
      const standings = await jobStandings(services, principal, list.value.records);
      return mapOutcome(standings, (standingOf) =>
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
      params: jobParams,
      query: POLL_QUERY,
      answers: { 200: JobView, 304: null },
    },
    async (services, caller, { params: { id }, query }) => {
      const { principal } = caller;
      const found = await visibleJob(services, principal, id);
      if (!found.ok) return found;
      const ref = jobRef(principal.organizationId, id);
      const read = () => services.system.dispatch(ref, { kind: "read_job" });
      return pollRecord(services, caller, { ref, read, query }, async (job) =>
        jobView(job, principal, {
          appStream: appLink(services, id, principal),
          standing: await jobStanding(services, principal, job),
        }),
      );
    },
  ),

  getJobLineage: operation(
    {
      method: "GET",
      path: "/api/jobs/{id}/lineage",
      scope: "jobs:read",
      summary: "Read related jobs",
      description: "The job's iterations, resumptions, delegations and ancestors.",
      params: jobParams,
      answers: { 200: LineageView },
    },
    async (services, { principal }, { params: { id } }) => {
      const job = await visibleJob(services, principal, id);
      if (!job.ok) return job;
      const { jobs, readCommitted } = services;
      const { organizationId, userId } = principal;
      const rootId = job.value.rootJobId ?? id;
      const family = await readCommitted(organizationId, () =>
        jobs.lineage(organizationId, { rootJobId: rootId, seenBy: userId }, LINEAGE_JOBS),
      );
      return mapOutcome(family, (nodes) => ({ root_id: rootId, nodes: nodes.map(nodeView) }));
    },
  ),

  listTranscriptEvents: operation(
    {
      method: "GET",
      path: "/api/jobs/{id}/transcript-events",
      scope: "jobs:read",
      summary: "Read transcript events",
      description: "The durable events of the job's stream, in pages.",
      params: jobParams,
      query: {
        after: withDefault(
          Type.Integer({ minimum: 0, maximum: LAST_SEQ, description: "Only events after this seq" }),
          0,
        ),
        types: someOf(JOB_EVENT_TYPES, { description: "Only events of these types" }),
        limit: LIMIT,
      },
      answers: { 200: EventPageView },
    },
    async (services, { principal }, { params: { id: jobId }, query: { after, limit, types = [] } }) => {
      const job = await visibleJob(services, principal, jobId);
      if (!job.ok) return job;
      const { jobs, readCommitted } = services;
      const { organizationId } = principal;
      const found = await readCommitted(organizationId, () =>
        jobs.jobEvents({ organizationId, jobId, types }, { after, limit }),
      );
      return mapOutcome(found, ({ records, hasMore, last }) => {
        const next = hasMore ? { next_cursor: String(last) } : {};
        return { events: records.map(eventView), ...next };
      });
    },
  ),
};
