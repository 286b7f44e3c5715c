/** Operations on jobs (JOB-2 to JOB-9, GEN-6). */
import { isLonger } from "../../../actors/cut-text.ts";
import { JOB_EVENTS, type JobEventType } from "../../../actors/job/events.ts";
import { JOB_STATUSES } from "../../../actors/job/schema.ts";
import { type JsonObject, Type } from "../../../actors/schema.ts";
import { bad, good, idFilter, someOf, textField, timeField, withDefault } from "../../http/contract/field.ts";
import { Id } from "../../http/contract/noun.ts";
import { parseJsonObject } from "../../http/body/json-body.ts";
import { operationGroup } from "../../http/contract/operation.ts";
import { EventPage } from "../event-view.ts";
import { POLL_QUERY } from "../long-poll.ts";
import { LIMIT, pageQuery } from "../paging.ts";
import { JobId } from "../path-ids.ts";
import { ApproveBody, IterateBody, ResumeBody, ToolResultsBody } from "./schema.ts";
import { JobList, JobView, LineageView, ReceiptView } from "./view.ts";

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

export const jobOperations = operationGroup("Jobs", "Long-running work records", {
  listJobs: {
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
    errors: ["invalid_request", "invalid_cursor"],
  },
  getJob: {
    method: "GET",
    path: "/api/jobs/{id}",
    scope: "jobs:read",
    summary: "Read status, metadata, artifacts, review state and links",
    description: "With `since_version` and `wait` it returns as soon as the job changes.",
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
    description: "Its iterations, resumptions and delegations, and its own ancestors.",
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
      after: withDefault(Type.Integer({ minimum: 0, maximum: LAST_SEQ, description: "Only events after this seq" }), 0),
      types: someOf(EVENT_TYPES, { description: "Only events of these types" }),
      limit: LIMIT,
    },
    answers: { 200: EventPage },
    errors: ["not_found", "invalid_request"],
  },
  approveJob: {
    method: "POST",
    path: "/api/jobs/{id}/approve",
    scope: "jobs:write",
    summary: "Approve a reviewed job, or approve or deny waiting tool calls",
    description: "Without an id it applies to all waiting calls, or to the review. A denial emits `job.denied`.",
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
    description: "With `wait` it returns when the job has stopped, with the seq of its last event.",
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
    description: "A blocked job continues itself; a failed or cancelled one continues in a new job.",
    params,
    body: ResumeBody,
    isBodyOptional: true,
    answers: { 202: JobView },
    errors: ["not_found", "forbidden", "invalid_state", "approval_pending", "budget_exceeded", "provider_error"],
    emits: "job.resumed",
  },
  sendToolResults: {
    method: "POST",
    path: "/api/jobs/{id}/tool-results",
    scope: "jobs:write",
    summary: "Send the results of tools that the client runs",
    description:
      "For calls in `requested_tool_calls`. Each call takes one result; the job goes on when all of them have theirs.",
    params,
    body: ToolResultsBody,
    answers: { 200: JobView },
    errors: ["not_found", "forbidden", "invalid_state", "payload_too_large"],
    emits: "job.tool_results",
  },
  iterateJob: {
    method: "POST",
    path: "/api/jobs/{id}/iterate",
    scope: "jobs:write",
    summary: "Request another iteration",
    description: "Requests changes, if a review is pending, and starts another round in a new job.",
    params,
    body: IterateBody,
    answers: { 202: JobView },
    errors: ["not_found", "forbidden", "invalid_state", "approval_pending", "budget_exceeded", "provider_error"],
    emits: "job.iteration_requested",
  },
});
