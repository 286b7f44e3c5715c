/** The objects of A2A 1.0 that this service sends, as JSON, and a job as a task of A2A. */
import type { BlockedReason, JobStatus } from "../../../actors/job/schema.ts";
import type { Json, JsonObject } from "../../../actors/schema.ts";

/** The states that tasks of this service have; it rejects nothing after it has begun. */
export const TASK_STATES = [
  "TASK_STATE_SUBMITTED",
  "TASK_STATE_WORKING",
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_INPUT_REQUIRED",
  "TASK_STATE_AUTH_REQUIRED",
] as const;
export type TaskState = (typeof TASK_STATES)[number];

export interface A2aPart {
  readonly text?: string;
  readonly data?: Json;
  readonly url?: string;
  readonly filename?: string;
  readonly mediaType?: string;
  readonly metadata?: JsonObject;
}
export interface A2aMessage {
  readonly messageId: string;
  readonly contextId: string;
  readonly taskId: string;
  readonly role: "ROLE_USER" | "ROLE_AGENT";
  readonly parts: readonly A2aPart[];
}
export interface A2aArtifact {
  readonly artifactId: string;
  readonly name: string;
  readonly parts: readonly A2aPart[];
}
export interface TaskStatusView {
  readonly state: TaskState;
  readonly timestamp: string;
  readonly message?: A2aMessage;
}
export interface A2aTask {
  readonly id: string;
  readonly contextId: string;
  readonly status: TaskStatusView;
  readonly artifacts?: readonly A2aArtifact[];
  readonly history?: readonly A2aMessage[];
  readonly metadata: JsonObject;
}

/** The fields of a job, as the current surface shows it, that a task is made of. */
export interface TaskJob extends JsonObject {
  readonly id: string;
  readonly chat_id: string;
  readonly agent_id: string;
  readonly workspace_id: string | null;
  readonly status: JobStatus;
  readonly blocked_reason: BlockedReason | null;
  readonly input: string;
  readonly result: string | null;
  readonly output: Json;
  readonly stop_reason: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly approvals: readonly (JsonObject & {
    readonly id: string;
    readonly message: string;
    readonly decision: Json;
  })[];
  readonly requested_tool_calls: readonly (JsonObject & { readonly id: string })[];
  readonly authorizations: readonly (JsonObject & {
    readonly name: string;
    readonly link: string;
    readonly outcome: Json;
  })[];
  readonly artifacts: readonly {
    readonly id: string;
    readonly name: string;
    readonly path: string;
    readonly mime: string;
    readonly url: string;
  }[];
  readonly metrics: JsonObject;
  readonly metadata: JsonObject;
  readonly last_seq: number;
  readonly version: number;
  readonly updated_at: string;
}

/** The states of A2A. It has one state for everything that a person or the client must do before the task goes on. */
const STATE_OF_JOB: Readonly<Record<Exclude<JobStatus, "blocked">, TaskState>> = {
  queued: "TASK_STATE_SUBMITTED",
  running: "TASK_STATE_WORKING",
  cancelling: "TASK_STATE_WORKING",
  needs_review: "TASK_STATE_INPUT_REQUIRED",
  completed: "TASK_STATE_COMPLETED",
  failed: "TASK_STATE_FAILED",
  cancelled: "TASK_STATE_CANCELED",
};
const BLOCKED_STATES: Readonly<Record<BlockedReason, TaskState>> = {
  approval_required: "TASK_STATE_INPUT_REQUIRED",
  input_required: "TASK_STATE_INPUT_REQUIRED",
  auth_required: "TASK_STATE_AUTH_REQUIRED",
  tool_result_required: "TASK_STATE_INPUT_REQUIRED",
  budget_reached: "TASK_STATE_INPUT_REQUIRED",
  interrupted: "TASK_STATE_INPUT_REQUIRED",
};

/** The state of a job as the state of its task. */
export const taskState = (status: JobStatus, reason: BlockedReason | null): TaskState =>
  status === "blocked" ? BLOCKED_STATES[reason ?? "input_required"] : STATE_OF_JOB[status];

/** The statuses of jobs whose task is in this state, for the filter of a list. */
export function statusesOf(state: TaskState): readonly JobStatus[] {
  const plain = (Object.keys(STATE_OF_JOB) as (keyof typeof STATE_OF_JOB)[]).filter(
    (status) => STATE_OF_JOB[status] === state,
  );
  return Object.values(BLOCKED_STATES).includes(state) ? [...plain, "blocked"] : plain;
}

const ENDED_STATES: ReadonlySet<TaskState> = new Set([
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
]);
/** Whether a task in this state never changes again. */
export const isTaskOver = (state: TaskState): boolean => ENDED_STATES.has(state);
const WAITING_STATES: ReadonlySet<TaskState> = new Set(["TASK_STATE_INPUT_REQUIRED", "TASK_STATE_AUTH_REQUIRED"]);
/** Whether a task in this state waits for its client or a person. */
export const isTaskWaiting = (state: TaskState): boolean => WAITING_STATES.has(state);

/** What a task that waits asks for: words for people, and data for programs. */
const WORDS_OF_WAITING: Readonly<Record<BlockedReason, string>> = {
  approval_required: "A person must approve or deny tool calls. Answer `approve` or `deny`.",
  input_required: "The task waits for input.",
  auth_required: "The task waits for a person to connect a tool server.",
  tool_result_required: "The task waits for the results of tools that its client runs.",
  budget_reached: 'The task has used up its budget. Answer with a new one as data: `{"budget": {"max_tokens": …}}`.',
  interrupted: 'The task was interrupted in a tool call. Answer with the data `{"retry_step": true}` or `false`.',
};
const REVIEW_WORDS = "The result waits for a review. Answer `approve`, or say what to change.";

function waitingParts(job: TaskJob): readonly A2aPart[] {
  if (job.status === "needs_review") return [{ text: REVIEW_WORDS }, { data: { review: "required" } }];
  if (job.status !== "blocked") return [];
  const approvals = job.approvals.filter(({ decision }) => decision === null);
  const words = job.blocked_reason === null ? [] : [WORDS_OF_WAITING[job.blocked_reason]];
  const authorizations = job.authorizations.filter(({ outcome }) => outcome === null);
  const links = authorizations.map(({ name, link }) => `Connect ${name}: ${link}`);
  const text = [...words, ...approvals.map(({ message }) => message), ...links].join("\n");
  if (approvals.length > 0) return [{ text }, { data: { approvals } }];
  if (job.requested_tool_calls.length > 0) return [{ text }, { data: { tool_calls: job.requested_tool_calls } }];
  return authorizations.length > 0 ? [{ text }, { data: { authorizations } }] : [{ text }];
}

/** Where a job keeps the message id of its client. */
export const MESSAGE_ID_FIELD = "a2a_message_id";

/** The status of a job's task. */
export function taskStatus(job: TaskJob): TaskStatusView {
  const state = taskState(job.status, job.blocked_reason);
  const parts = job.error === null ? waitingParts(job) : [{ text: job.error.message }];
  return {
    state,
    timestamp: job.updated_at,
    ...(parts.length === 0 ? {} : { message: taskMessage(job, `${job.id}.${job.last_seq}`, parts) }),
  };
}

export const taskMessage = (
  { id: taskId, chat_id: contextId }: Pick<TaskJob, "id" | "chat_id">,
  messageId: string,
  parts: readonly A2aPart[],
): A2aMessage => ({ messageId, contextId, taskId, role: "ROLE_AGENT", parts });

const A2A_ANSWER = "answer";

/** The artifact of the answer's text, or of a piece of it in a stream. */
export const textArtifact = (taskId: string, text: string): A2aArtifact => ({
  artifactId: `${taskId}.${A2A_ANSWER}`,
  name: A2A_ANSWER,
  parts: [{ text, mediaType: "text/plain" }],
});

/** A file that the job has made; its address needs the token. */
export const fileArtifact = (
  appUrl: string,
  { id, path, name, mime, url }: TaskJob["artifacts"][number],
): A2aArtifact => ({
  artifactId: id,
  name: path,
  parts: [{ url: appUrl + url, filename: name, mediaType: mime }],
});

/** The answer as a value that fits its schema; none if the answer is text. */
export const outputArtifacts = ({ id, output }: TaskJob): readonly A2aArtifact[] =>
  output === null ? [] : [{ artifactId: `${id}.output`, name: "output", parts: [{ data: output }] }];

function artifactsOf(job: TaskJob, appUrl: string): readonly A2aArtifact[] {
  const { id, result } = job;
  const text = result === null || result === "" ? [] : [textArtifact(id, result)];
  return [...text, ...outputArtifacts(job), ...job.artifacts.map((file) => fileArtifact(appUrl, file))];
}

/** What a task shows. */
export interface TaskDetail {
  readonly appUrl: string;
  /** The newest messages to show; undefined: all. */
  readonly historyLength?: number | undefined;
  readonly withArtifacts?: boolean;
}

export function a2aTask(job: TaskJob, { appUrl, historyLength, withArtifacts = true }: TaskDetail): A2aTask {
  const { id, chat_id: contextId } = job;
  const artifacts = withArtifacts ? artifactsOf(job, appUrl) : [];
  const given = job.metadata[MESSAGE_ID_FIELD];
  const said: A2aMessage = {
    messageId: typeof given === "string" ? given : `${id}.input`,
    contextId,
    taskId: id,
    role: "ROLE_USER",
    parts: [{ text: job.input }],
  };
  return {
    id,
    contextId,
    status: taskStatus(job),
    ...(withArtifacts ? { artifacts } : {}),
    ...(historyLength === 0 ? {} : { history: [said] }),
    metadata: taskMetadata(job),
  };
}

/** What A2A has no field for: why the model stopped, the code of an error, what the job has used. */
export const taskMetadata = (job: TaskJob): JsonObject => ({
  ...job.metadata,
  ...(job.stop_reason === null ? {} : { stop_reason: job.stop_reason }),
  ...(job.error === null ? {} : { error_code: job.error.code }),
  usage: job.metrics,
});
