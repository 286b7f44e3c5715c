/** What there is to do with jobs (JOB-2 to JOB-9, GEN-6). */
import { JOB_STATUSES } from "../../../actors/job/schema.ts";
import { OneOf, Type } from "../../../actors/schema.ts";
import { Count, Id } from "../../http/noun.ts";
import { operationGroup } from "../../http/operation.ts";
import { EventPage } from "../event-view.ts";
import { POLL_QUERY } from "../long-poll.ts";
import { PAGE_QUERY } from "../paging.ts";
import { ApproveBody, IterateBody, ResumeBody } from "./schema.ts";
import { JobList, JobView, LineageView, ReceiptView } from "./view.ts";

const params = { id: Id("job", "The job's id") };

export const jobOperations = operationGroup("Jobs", "Long-running work records", {
  listJobs: {
    method: "GET",
    path: "/api/jobs",
    scope: "jobs:read",
    summary: "List jobs",
    description: "All filters that are given must match.",
    query: {
      status: OneOf(JOB_STATUSES, { description: "The status that they have" }),
      agent_id: Id("agt", "Who works"),
      chat_id: Id("cht", "The chat that they answer in"),
      workspace_id: Id("wsp", "Where they work"),
      mission_id: Id("mis", "Their mission"),
      parent_job_id: Id("job", "The job that they come from"),
      created_after: Type.String({ description: "A time in ISO 8601", examples: ["2026-11-01T00:00:00.000Z"] }),
      ...PAGE_QUERY,
    },
    answers: { 200: JobList },
    errors: ["invalid_request", "invalid_cursor"],
  },
  getJob: {
    method: "GET",
    path: "/api/jobs/{id}",
    scope: "jobs:read",
    summary: "Read status, metadata, artifacts, review state and links",
    description: "With `since_version` and `wait` it answers as soon as the job has changed.",
    params,
    query: POLL_QUERY,
    answers: { 200: JobView, 304: null },
    errors: ["not_found", "invalid_request"],
  },
  getJobLineage: {
    method: "GET",
    path: "/api/jobs/{id}/lineage",
    scope: "jobs:read",
    summary: "Read related jobs",
    description: "Its iterations, resumptions and delegations, and what it comes from itself.",
    params,
    answers: { 200: LineageView },
    errors: ["not_found"],
  },
  listTranscriptEvents: {
    method: "GET",
    path: "/api/jobs/{id}/transcript-events",
    scope: "jobs:read",
    summary: "Read transcript events",
    description: "The durable events of the job's stream, by pages.",
    params,
    query: {
      after: Count("Only events after this seq"),
      types: Type.String({ description: "Types of events, with commas between them", examples: ["transcript.event"] }),
      limit: PAGE_QUERY.limit,
    },
    answers: { 200: EventPage },
    errors: ["not_found", "invalid_request"],
  },
  approveJob: {
    method: "POST",
    path: "/api/jobs/{id}/approve",
    scope: "jobs:write",
    summary: "Approve reviewable work, or decide about tool calls that wait",
    description:
      "Without an id it is meant for all calls that wait, or for the review. A denial leaves `resource.updated`.",
    params,
    body: ApproveBody,
    isBodyOptional: true,
    answers: { 200: JobView },
    errors: ["not_found", "forbidden", "invalid_state"],
    emits: "job.approved",
  },
  cancelJob: {
    method: "POST",
    path: "/api/jobs/{id}/cancel",
    scope: "jobs:write",
    summary: "Cancel running work",
    description: "With `wait` it answers when the job has really stopped, with the last event that it has.",
    params,
    query: { wait: POLL_QUERY.wait },
    answers: { 200: ReceiptView },
    errors: ["not_found", "invalid_state", "invalid_request"],
    emits: "job.cancelled",
  },
  resumeJob: {
    method: "POST",
    path: "/api/jobs/{id}/resume",
    scope: "jobs:write",
    summary: "Resume blocked work",
    description: "A blocked job goes on itself; one that has failed or was cancelled goes on in a new one.",
    params,
    body: ResumeBody,
    isBodyOptional: true,
    answers: { 202: JobView },
    errors: ["not_found", "forbidden", "invalid_state", "approval_pending", "budget_exceeded", "provider_error"],
    emits: "job.resumed",
  },
  iterateJob: {
    method: "POST",
    path: "/api/jobs/{id}/iterate",
    scope: "jobs:write",
    summary: "Request another iteration",
    description: "Answers the review, where there is one, and begins another round in a new job.",
    params,
    body: IterateBody,
    answers: { 202: JobView },
    errors: ["not_found", "forbidden", "invalid_state", "approval_pending", "budget_exceeded", "provider_error"],
    emits: "job.iteration_requested",
  },
});
