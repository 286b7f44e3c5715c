/** The body and the answer of one action on many jobs (JOB-18). */
import { JOB_STATUSES } from "../../../actors/job/schema.ts";
import { FreeObject, type JsonObject, Nullable, OneOf, type Static, Type } from "../../../actors/schema.ts";
import { GIVEN_ID_CHARACTERS } from "../../http/contract/field.ts";
import { Count, NextCursor, noun, Text } from "../../http/contract/noun.ts";
import { ShownJobId } from "./view.ts";

export const BULK_ACTIONS = ["cancel", "resume", "approve", "deny"] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

const BULK_OUTCOMES = ["done", "unchanged", "refused"] as const;

const FilterId = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: GIVEN_ID_CHARACTERS, description }));

/** The conditions of `GET /api/jobs`. */
const JobFilterBody = noun("JobFilter", "Conditions on jobs, combined with AND; at least one", {
  status: Type.Optional(
    Type.Array(OneOf(JOB_STATUSES), {
      minItems: 1,
      maxItems: JOB_STATUSES.length,
      description: "Jobs with one of these statuses",
    }),
  ),
  agent_id: FilterId("Jobs of this agent"),
  chat_id: FilterId("Jobs of this chat"),
  workspace_id: FilterId("Jobs in this workspace"),
  mission_id: FilterId("Jobs of this mission"),
  parent_job_id: FilterId("Jobs that were created from this one"),
  created_after: Type.Optional(Type.String({ description: "Jobs created after this time, in ISO 8601" })),
  metadata: Type.Optional(
    Type.Unsafe<JsonObject>({
      ...FreeObject,
      description: "Jobs whose metadata contains these fields; an empty object is no condition",
    }),
  ),
});
export type GivenJobFilter = Static<typeof JobFilterBody>;

export const BulkJobsBody = Type.Object(
  {
    action: OneOf(BULK_ACTIONS, {
      description:
        "`cancel`; `resume`: a blocked job continues, a failed or cancelled one continues in a new job; `approve`: the result that waits for review is accepted, or all waiting calls of tools are approved; `deny`: all waiting calls are denied",
    }),
    filter: JobFilterBody,
    dry_run: Type.Optional(Type.Boolean({ description: "Only say what would happen; by default false" })),
  },
  { examples: [{ action: "resume", filter: { status: ["failed"] }, dry_run: true }] },
);

export const BulkJobResult = noun("BulkJobResult", "What an action on many jobs did to one of them", {
  job_id: ShownJobId,
  title: Text("The title", "The release notes"),
  outcome: OneOf(BULK_OUTCOMES, {
    description:
      "`done` (in a dry run: would be done), `unchanged` because the job is already as the action would leave it, or `refused`",
  }),
  status: OneOf(JOB_STATUSES, { description: "Status of the job afterwards" }),
  next_job_id: Nullable(
    Type.String({ description: "Id of the new job that continues the work; null if no new job was made" }),
  ),
  error: Nullable(
    noun("BulkJobRefusal", "Why an action on many jobs was refused for one of them", {
      code: Text("An error code", "invalid_state"),
      message: Text("In words", "The job is completed"),
    }),
  ),
});

export const BulkJobsView = noun("BulkJobs", "What an action did to one page of jobs", {
  action: OneOf(BULK_ACTIONS, { description: "What was asked for" }),
  dry_run: Type.Boolean({ description: "Whether this was a dry run, which changes nothing" }),
  done: Count("Number of jobs with the outcome `done`"),
  unchanged: Count("Number of jobs with the outcome `unchanged`"),
  refused: Count("Number of jobs with the outcome `refused`"),
  results: Type.Array(BulkJobResult, { description: "One for each job of the page, newest first" }),
  next_cursor: NextCursor,
});
