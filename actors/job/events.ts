/**
 * The durable events of a job's stream (SSE-8): each type with the shape of its data. Turns append
 * through `appendJobEvent`, so every event is in this table; the surfaces, the contract and
 * the tests read the same table. Data is camelCase here, as in every record.
 *
 *   job.created, runner queued ─▶ job.started, runner running ─▶ transcript.event … ─▶ runner stopped, job.<end>
 *
 * A job's terminal event is the last of its run; only `job.iteration_requested` may follow it. `runner.status` shows
 * the runner's state, with a heartbeat while nothing else happens.
 */
import { AttachmentBlock, InputBlocks } from "../upload/terms.ts";
import type { NewEvent, Tx } from "../runtime/actor.ts";
import {
  FreeObject,
  type JsonObject,
  NullableText,
  OneOf,
  type Static,
  type TProperties,
  Timestamp,
  Type,
} from "../schema.ts";
import { Citations } from "./citation.ts";
import { ProviderState } from "./provider-state.ts";
import { ApprovalPolicy, CallDecision, ON_EXPIRY } from "./approval-rule.ts";
import { isLifecycle, sendCreated, sendLifecycle } from "./lifecycle.ts";
import { BLOCKED_REASONS, type Job, RUN_ERROR_CODES, JobTokens } from "./schema.ts";
import { STOP_REASONS, StopReasonField } from "./stop-reason.ts";
import {
  APPROVAL_DECISIONS,
  APPROVAL_QUESTION,
  ApprovalVote,
  ListedConnection,
  MadeArtifact,
  NO_PROGRESS,
  JobProgress,
  REVIEW_STATES,
  WAIT_REASONS,
} from "./terms.ts";
import { cutText, isLonger } from "../cut-text.ts";

export const RUNNER_STATES = ["queued", "starting", "running", "waiting", "stopped"] as const;
type RunnerState = (typeof RUNNER_STATES)[number];

const FAILURE = { code: OneOf(RUN_ERROR_CODES), message: Type.String() };

/** A call that waits for a person (JOB-8). */
export const ApprovalRequested = Type.Object({ approvalId: Type.String(), ...APPROVAL_QUESTION });
/** `by` is a user's id, or null if a timeout or a cancel decided; `arguments` is set if a person changed them. */
export const ApprovalResolved = Type.Object({
  approvalId: Type.String(),
  toolCallId: Type.String(),
  decision: OneOf(APPROVAL_DECISIONS),
  by: NullableText,
  arguments: Type.Optional(FreeObject),
});
export type ApprovalResolved = Static<typeof ApprovalResolved>;
export const ReviewUpdated = Type.Object({
  state: OneOf(REVIEW_STATES),
  decidedBy: NullableText,
  comment: NullableText,
});

/** A call that waits for the client. Long arguments are left out; the job's record has them. */
const ClientCall = Type.Object(
  { id: Type.String(), name: Type.String(), arguments: Type.Optional(FreeObject) },
  { $id: "ClientToolCall", description: "A call of a tool that waits for its result from the client" },
);

/** What no client sees (`HIDDEN_FIELDS`). */
const HiddenProviderState = { providerState: Type.Optional(ProviderState) };
/** Fields of an event's data that the surfaces leave out. */
export const HIDDEN_FIELDS: ReadonlySet<string> = new Set(Object.keys(HiddenProviderState));

/** On the last piece of a step, unless it ended with `stop` or `tool_use`: why the model stopped. */
const CutStep = { stopReason: Type.Optional(OneOf(STOP_REASONS)) };

/** A piece of the transcript by its `kind`, with its name and description in the contract. */
const piece = <K extends string, F extends TProperties>(kind: K, description: string, fields: F) =>
  Type.Object(
    { kind: Type.Literal(kind), ...fields },
    { $id: `Transcript${kind.replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())}`, description },
  );
const TranscriptEvent = Type.Union(
  [
    piece("assistant_text", "Text of the model", {
      text: Type.String(),
      citations: Citations,
      ...CutStep,
      ...HiddenProviderState,
    }),
    piece("reasoning", "Reasoning of the model", { text: Type.String(), ...CutStep }),
    piece("user_text", "A message of the user, or feedback", {
      text: Type.String(),
      messageId: Type.Optional(Type.String()),
      blocks: InputBlocks,
    }),
    piece("tool_use", "A call of a tool", {
      id: Type.String(),
      name: Type.String(),
      input: FreeObject,
      decision: Type.Optional(CallDecision),
      ...CutStep,
      ...HiddenProviderState,
    }),
    piece("repair", "The service's request to the model to repair an answer that does not fit its schema", {
      text: Type.String(),
    }),
    /** `covers`: how many parts of the run it replaces (CHAT-11). */
    piece("summary", "A summary that replaces everything before it in model calls", {
      text: Type.String(),
      covers: Type.Integer({
        description: "Number of parts of the run that the summary replaces; 0 if it replaces only earlier chat turns",
      }),
    }),
    piece("system", "What the service did about the run, such as waiting; not content", { text: Type.String() }),
    piece("error", "What the run continued without, or why a call failed; not content", { text: Type.String() }),
    piece("tool_result", "The result of a tool call", {
      toolUseId: Type.String(),
      content: Type.String(),
      isError: Type.Boolean(),
      attachments: Type.Optional(Type.Array(AttachmentBlock, { description: "Images and files beside the text" })),
    }),
  ],
  { description: "A piece of the transcript" },
);
export type TranscriptData = Static<typeof TranscriptEvent>;

/** Each with its description in the contract. */
export const JOB_EVENTS = {
  "job.created": Type.Object(
    { chatId: Type.String(), agentId: Type.String(), title: Type.String() },
    { description: "The job exists, and waits for a runner" },
  ),
  "job.started": Type.Object(
    { attempt: Type.Integer(), model: Type.String() },
    { description: "The job has begun to run" },
  ),
  "job.restarted": Type.Object({ attempt: Type.Integer() }, { description: "The job was resumed after a crash" }),
  "job.blocked": Type.Object(
    {
      reason: OneOf(BLOCKED_REASONS),
      toolCalls: Type.Optional(Type.Array(ClientCall)),
      authorizations: Type.Optional(
        Type.Array(ListedConnection, { description: "For `auth_required`: the connections that the job waits for" }),
      ),
    },
    { description: "The job is blocked; `reason` says what it waits for" },
  ),
  "job.resumed": Type.Object({ attempt: Type.Integer() }, { description: "The blocked job runs again" }),
  "job.review_requested": Type.Object(
    { expiresAt: Timestamp },
    { description: "The result of the job waits for a person's review" },
  ),
  "job.approved": Type.Object({ decidedBy: NullableText }, { description: "The review has approved the result" }),
  "job.denied": Type.Object(
    { decidedBy: Type.String(), toolCallIds: Type.Array(Type.String()), comment: NullableText },
    { description: "A person has denied tool calls; the job continues without them" },
  ),
  "job.iteration_requested": Type.Object(
    { by: Type.String(), feedback: Type.String(), blocks: InputBlocks },
    { description: "The review wants changes; another job makes them" },
  ),
  "job.cancelling": Type.Object({}, { description: "The job is being cancelled" }),
  /** `stopReason`: why the model stopped in its last step. Absent in events of earlier versions. */
  "job.completed": Type.Object(
    { usage: JobTokens, stopReason: StopReasonField },
    { description: "The job is completed" },
  ),
  "job.failed": Type.Object(
    {
      error: Type.Object(FAILURE, { $id: "JobFailure", description: "Why the job has failed" }),
      usage: JobTokens,
      stopReason: StopReasonField,
    },
    { description: "The job has failed" },
  ),
  "job.cancelled": Type.Object(
    { toolCallsAborted: Type.Integer(), usage: JobTokens },
    { description: "The job was cancelled" },
  ),
  /** `heartbeatAt`: the runner's last sign of life, or null if no runner has begun. */
  "runner.status": Type.Object(
    {
      state: OneOf(RUNNER_STATES),
      attempt: Type.Integer(),
      heartbeatAt: Type.Union([Timestamp, Type.Null()]),
      progress: JobProgress,
      /** Why a runner waits for its provider or its tools, and when it tries again. */
      reason: Type.Optional(OneOf(WAIT_REASONS)),
      retryAt: Type.Optional(Type.Union([Timestamp, Type.Null()])),
    },
    { description: "The state of the job's runner: on every change, and as a heartbeat while nothing else happens" },
  ),
  "transcript.event": TranscriptEvent,
  log: Type.Object(
    { level: OneOf(["info", "warn"] as const), message: Type.String() },
    { description: "A line that a tool or the runner has logged about its work" },
  ),
  "usage.updated": Type.Object(JobTokens.properties, { description: "Tokens that the job has used so far" }),
  /** Only for a file that no earlier call of the job had written. */
  "artifact.created": Type.Object(MadeArtifact.properties, {
    description: "A tool has written a file for the first time",
  }),
  "approval.requested": Type.Object(ApprovalRequested.properties, {
    description: "A tool call waits for a person's approval",
  }),
  "approval.updated": Type.Object(
    {
      approvalId: Type.String(),
      toolCallId: Type.String(),
      policy: ApprovalPolicy,
      votes: Type.Array(ApprovalVote, { description: "Who has approved so far" }),
      expiresAt: Timestamp,
      onExpiry: OneOf(ON_EXPIRY),
    },
    { description: "One of several people has approved a call that waits, or others decide about it from now on" },
  ),
  "approval.resolved": Type.Object(ApprovalResolved.properties, {
    description: "An approval was decided, or has expired",
  }),
  "review.updated": Type.Object(ReviewUpdated.properties, { description: "The review has a new state" }),
  error: Type.Object(FAILURE, { description: "The job has failed" }),
} as const;
export type JobEventType = keyof typeof JOB_EVENTS;

/**
 * Appends an event to the stream of this turn's job and returns its seq; sends lifecycle events to the webhook actor
 * (HOOK-4).
 */
export function appendJobEvent<K extends JobEventType>(tx: Tx, type: K, data: Static<(typeof JOB_EVENTS)[K]>): number {
  if (isLifecycle(type)) sendLifecycle(tx, type, data);
  return tx.append(type, data);
}

/** Reports the current state of the job's runner; a waiting runner gives its reason. */
export function appendRunnerStatus(tx: Tx, job: Job, state: RunnerState): number {
  const { attempt, heartbeatAt, progress, waiting = null } = job;
  const why = state !== "waiting" || waiting === null ? {} : { reason: waiting.reason, retryAt: waiting.retryAt };
  return appendJobEvent(tx, "runner.status", { state, attempt, heartbeatAt, progress, ...why });
}

/** The first events of a job: it exists, and waits for a runner. */
export const firstEvents = (data: Static<(typeof JOB_EVENTS)["job.created"]>): readonly NewEvent[] => [
  { type: "job.created", data },
  { type: "runner.status", data: { state: "queued", attempt: 1, heartbeatAt: null, progress: NO_PROGRESS } },
];

/** Announces a new job. */
export function announceJob(tx: Tx, job: Job): Job {
  sendCreated(tx, job);
  return job;
}

/** Characters of arguments and of a result that a chat's event has; the whole is in the job's transcript. */
const EVENT_CHARACTERS = 4_096;

/** Null if they are too long. */
export const eventArguments = (given: JsonObject): JsonObject | null =>
  JSON.stringify(given).length > EVENT_CHARACTERS ? null : given;

export const eventResult = (content: string) => ({
  result: cutText(content, EVENT_CHARACTERS),
  isTruncated: isLonger(content, EVENT_CHARACTERS),
});
