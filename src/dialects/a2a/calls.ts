/**
 * The methods of A2A over the operations of the service, for both transports: a call has the same effect, scope and
 * limits in each. A task is a job, and its context is the job's chat.
 */
import { type Fault, invalid, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { type Json, type Static, timeOf } from "../../../actors/schema.ts";
import { jobRef } from "../../../actors/job/schema.ts";
import { hasScope } from "../../../actors/organization/principal.ts";
import { detachCaller } from "../../http/request/caller.ts";
import { eventStream } from "../../http/stream/event-stream.ts";
import type { ProtocolServices } from "../runs/protocol.ts";
import { RunTranslation } from "../runs/run-translation.ts";
import { answerCalls, type AnswerMeaning } from "./answer.ts";
import { agentCard } from "./card.ts";
import { TASK_HAS_ENDED } from "./errors.ts";
import type { ClientMessage, SendA2aBody } from "./message.ts";
import {
  type A2aTask,
  isTaskOver,
  isTaskWaiting,
  statusesOf,
  type TaskJob,
  type TaskState,
  taskState,
  a2aTask,
} from "./task.ts";
import { A2aPushCalls } from "./push-calls.ts";
import { TaskStream } from "./stream.ts";
import { type A2aRequest, readBegunTask, readTaskJob, readTaskRun, type TaskOfRun } from "./task-request.ts";

type SentA2a = Static<typeof SendA2aBody>;

/** The frame of a response, for the client's transport. */
export type A2aFrame = (response: object) => string;

/** The query of ListTasks. */
export interface TaskQuery {
  readonly contextId?: string | undefined;
  readonly status?: TaskState | undefined;
  readonly pageSize?: number | undefined;
  readonly pageToken?: string | undefined;
  readonly historyLength?: number | undefined;
  readonly statusTimestampAfter?: string | undefined;
  readonly includeArtifacts?: boolean | undefined;
}

/** The page of ListTasks by default, as A2A says. */
const TASKS_OF_PAGE = 50;
/** Seconds of one wait for a change of a job: the operation's maximum. */
const TASK_POLL_SECONDS = 30;
/** A poll that returns before this share of its time was cut short. */
const EARLY_END_SHARE = 0.98;

export class A2aCalls {
  private readonly services: ProtocolServices;

  constructor(services: ProtocolServices) {
    this.services = services;
  }

  async card({ caller, agentId }: A2aRequest): Promise<Outcome<object>> {
    const { agents, models, appUrl } = this.services;
    const agent = await agents.find(caller.principal, agentId);
    return agent.ok ? ok(agentCard(agent.value, models.inputOf(agent.value.model), appUrl())) : agent;
  }

  /** SendMessage: answers when the task is over or waits for its client, or at once if the client says so. */
  async send(request: A2aRequest, body: SentA2a): Promise<Outcome<{ readonly task: A2aTask }>> {
    const begun = await this.take(request, body);
    if (!begun.ok) return begun;
    const { historyLength, returnImmediately = false } = body.configuration ?? {};
    const job = returnImmediately ? await this.read(request, begun.value) : await this.settled(request, begun.value);
    return job.ok ? ok({ task: this.view(job.value, { historyLength }) }) : job;
  }

  /** SendStreamingMessage: the task, and what happens to it until it is over or waits for its client. */
  async stream(request: A2aRequest, body: SentA2a, frame: A2aFrame): Promise<Outcome<Response>> {
    const room = this.services.streams.room(request.caller.principal.organizationId);
    if (!room.ok) return room;
    const taken = await this.take(request, body);
    if (!taken.ok) return taken;
    const { historyLength } = body.configuration ?? {};
    const task = answersTask(body)
      ? await readTaskRun(this.services, request, taken.value)
      : await readBegunTask(this.services, request, taken.value);
    return task.ok ? this.follow(request, task.value, { frame, historyLength, endsWaiting: true }) : task;
  }

  /** SubscribeToTask: the task, and what happens to it until it is over. */
  async subscribe(request: A2aRequest, taskId: string, frame: A2aFrame): Promise<Outcome<Response>> {
    const room = this.services.streams.room(request.caller.principal.organizationId);
    if (!room.ok) return room;
    const task = await readTaskRun(this.services, request, taskId);
    if (!task.ok) return task;
    const { job } = task.value;
    if (isTaskOver(taskState(job.status, job.blocked_reason)))
      return refuse({
        kind: "invalid_state",
        status: job.status,
        allowedActions: [],
        message: "The task has ended: there is nothing to subscribe to. GetTask has its result",
      });
    return this.follow(request, task.value, { frame, historyLength: undefined, endsWaiting: false });
  }

  async get(request: A2aRequest, taskId: string, historyLength: number | undefined): Promise<Outcome<A2aTask>> {
    const job = await this.read(request, taskId);
    return job.ok ? ok(this.view(job.value, { historyLength })) : job;
  }

  async cancel(request: A2aRequest, taskId: string): Promise<Outcome<A2aTask>> {
    const job = await this.read(request, taskId);
    if (!job.ok) return job;
    const { status } = job.value;
    const hasEnded = refuse({ kind: "invalid_state", status, allowedActions: [], message: TASK_HAS_ENDED });
    // Our own cancel can be repeated; that of A2A is refused for a task that has ended.
    if (isTaskOver(taskState(status, null))) return hasEnded;
    const query = { wait: TASK_POLL_SECONDS };
    const cancelled = await this.services.invoke("cancelJob", request.caller, { params: { id: taskId }, query });
    if (!cancelled.ok) return cancelled.fault.kind === "invalid_state" ? hasEnded : cancelled;
    return ok(this.view((cancelled.value as { readonly job: TaskJob }).job, {}));
  }

  async list({ caller, agentId }: A2aRequest, query: TaskQuery): Promise<Outcome<object>> {
    const { contextId, status, pageSize = TASKS_OF_PAGE, pageToken, historyLength, includeArtifacts = false } = query;
    const since = query.statusTimestampAfter === undefined ? "" : timeOf(query.statusTimestampAfter);
    if (since === null) return invalid("/statusTimestampAfter", "statusTimestampAfter must be a time in ISO 8601");
    const statuses = status === undefined ? undefined : statusesOf(status);
    const given = { agent_id: agentId, chat_id: contextId, status: statuses, limit: pageSize, cursor: pageToken };
    const listed = await this.services.invoke("listJobs", caller, { query: given });
    if (!listed.ok) return listed;
    const { jobs, next_cursor: next = "" } = listed.value as {
      readonly jobs: readonly TaskJob[];
      readonly next_cursor?: string;
    };
    const shown = jobs.filter(
      (job) => (status === undefined || taskState(job.status, job.blocked_reason) === status) && job.updated_at > since,
    );
    const tasks = shown.map((job) => this.view(job, { historyLength, withArtifacts: includeArtifacts }));
    return ok({ tasks, nextPageToken: next, pageSize, totalSize: tasks.length });
  }

  /** Gives the message to its task, or begins one, and adds the address that came with it. Answers the task's id. */
  private async take(request: A2aRequest, body: SentA2a): Promise<Outcome<string>> {
    // Nothing begins whose task the caller could not read.
    if (!hasScope(request.caller.principal.scopes, "jobs:read")) return CANNOT_READ;
    const taken = await this.taken(request, body);
    const push = body.configuration?.taskPushNotificationConfig;
    if (!taken.ok || push === undefined) return taken;
    const ensured = await new A2aPushCalls(this.services).ensure(request, taken.value, push);
    return ensured.ok ? taken : ensured;
  }

  private async taken(request: A2aRequest, body: SentA2a): Promise<Outcome<string>> {
    const { message } = body;
    if (answersTask(body)) return this.answer(request, message.taskId ?? "", message);
    const { caller, agentId } = request;
    const begun = await this.services.invoke("beginA2aTask", caller, {
      params: { id: agentId },
      body: body as unknown as Json,
    });
    return begun.ok ? ok((begun.value as { readonly task_id: string }).task_id) : begun;
  }

  /** Answers a task: decides its approvals, gives it results of tools, steers or resumes it. */
  private async answer(request: A2aRequest, taskId: string, message: ClientMessage): Promise<Outcome<string>> {
    const job = await this.read(request, taskId);
    if (!job.ok) return job;
    if (message.contextId !== undefined && message.contextId !== "" && message.contextId !== job.value.chat_id)
      return WRONG_A2A_CONTEXT;
    const { caller } = request;
    const params = { id: taskId };
    const decided = await this.services.invoke("readA2aAnswer", caller, {
      params,
      body: { message: message as unknown as Json },
      idempotencyKey: answerKey(taskId, message.messageId, "meaning"),
    });
    if (!decided.ok) return decided;
    const calls = answerCalls(decided.value as AnswerMeaning, message);
    if (!calls.ok) return calls;
    let answeredBy = taskId;
    for (const [i, { operation, body }] of calls.value.entries()) {
      const idempotencyKey = answerKey(taskId, message.messageId, i);
      const done = await this.services.invoke(operation, caller, { params, body, idempotencyKey });
      if (!done.ok) return done;
      answeredBy = (done.value as { readonly id?: string }).id ?? taskId;
    }
    return ok(answeredBy);
  }

  private read(request: A2aRequest, taskId: string): Promise<Outcome<TaskJob>> {
    return readTaskJob(this.services, request, taskId);
  }

  /** Waits until the task is over or waits for its client. */
  private async settled(request: A2aRequest, taskId: string): Promise<Outcome<TaskJob>> {
    const { clock } = this.services;
    const { caller } = request;
    const waiting = { ...detachCaller(caller), signal: caller.signal };
    const read = await this.read(request, taskId);
    if (!read.ok) return read;
    for (let job = read.value; ;) {
      const state = taskState(job.status, job.blocked_reason);
      if (isTaskOver(state) || isTaskWaiting(state) || caller.signal.aborted) return ok(job);
      const query = { since_version: job.version, wait: TASK_POLL_SECONDS };
      const askedAt = clock.monotonic();
      const polled = await this.services.invoke("getJob", waiting, { params: { id: taskId }, query });
      if (!polled.ok) return polled;
      // 304: nothing is newer. If it comes early, the service is ending its streams.
      if (!(polled.value instanceof Response)) job = polled.value as TaskJob;
      else if (clock.monotonic() < askedAt + EARLY_END_SHARE * TASK_POLL_SECONDS * 1_000) return ok(job);
    }
  }

  private follow(
    request: A2aRequest,
    { job, record }: TaskOfRun,
    how: { readonly frame: A2aFrame; readonly historyLength: number | undefined; readonly endsWaiting: boolean },
  ): Outcome<Response> {
    const { caller } = request;
    const { frame, historyLength, endsWaiting } = how;
    const { system, streams, log, clock, appUrl } = this.services;
    const { principal: bearer, requestId } = caller;
    const taskId = job.id;
    const source = new TaskStream({
      subscription: system.subscribe(jobRef(bearer.organizationId, taskId), 0),
      translation: new RunTranslation(record, {}),
      job,
      read: () => this.read(detached(request), taskId),
      endsWaiting,
      appUrl: appUrl(),
      now: () => new Date(clock.now()).toISOString(),
      frame,
    });
    const onFailure = (err: unknown): void => log.error({ err, requestId, jobId: taskId }, "a stream was interrupted");
    const opening = frame({ task: this.view(job, { historyLength }) });
    const connection = caller.connection ?? caller;
    return ok(eventStream(source, opening, { connection, streams, bearer, onFailure }));
  }

  private view(
    job: TaskJob,
    detail: { readonly historyLength?: number | undefined; readonly withArtifacts?: boolean },
  ): A2aTask {
    return a2aTask(job, { appUrl: this.services.appUrl(), ...detail });
  }
}

/** Whether the message is for a task that exists. */
const answersTask = ({ message: { taskId = "" } }: SentA2a): boolean => taskId !== "";

/** The request for reads that outlive it. */
const detached = (request: A2aRequest): A2aRequest => ({ ...request, caller: detachCaller(request.caller) });

const CANNOT_READ = refuse({ kind: "insufficient_scope", required: ["jobs:read"] } satisfies Fault);
const WRONG_A2A_CONTEXT = refuse({
  kind: "invalid_request",
  errors: [{ path: "/message/contextId", message: "message.contextId is not that of the task" }],
} satisfies Fault);

/** The idempotency key of an answer: the client's message id may have any characters. */
const answerKey = (taskId: string, messageId: string, part: number | "meaning"): string =>
  `a2a-${new Bun.CryptoHasher("sha256").update(JSON.stringify([taskId, messageId, part])).digest("base64url")}`;
