/**
 * Push notifications of a task: a client names addresses that get the states of its task until the task has ended. They
 * are sent like webhooks (`actors/webhook/pushes.ts`). A token and credentials are sealed here, first of all, and never
 * shown again.
 */
import { invalid, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { type Job, jobRef } from "../../../actors/job/schema.ts";
import { isTerminal } from "../../../actors/job/machine.ts";
import { type Ask, followedBy } from "../../../actors/runtime/turns/members.ts";
import { isoTime, type JsonObject, type Static, Type } from "../../../actors/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { type NewsEvent, webhookRef } from "../../../actors/webhook/events.ts";
import { type JobPush, type PushSecrets, signingContext } from "../../../actors/webhook/schema.ts";
import { eventCause } from "../../http/commit/emission.ts";
import { type Change, done } from "../../http/commit/commit.ts";
import { operationGroup } from "../../http/contract/operation.ts";
import type { Services } from "../../operations/services.ts";
import { protocolOperation, type ProtocolServices } from "../runs/protocol.ts";
import { A2A_VERSION } from "./card.ts";
import { a2aTask, isTaskOver, type TaskJob, taskMetadata, taskState, taskStatus } from "./task.ts";

const PUSH_ID_CHARACTERS = 256;
const PUSH_URL_CHARACTERS = 2_048;
/** Characters of a token or of credentials. */
const PUSH_SECRET_CHARACTERS = 4_096;

/** A push notification configuration of A2A, as clients send it. */
export const A2aPushBody = Type.Object({
  id: Type.Optional(Type.String({ maxLength: PUSH_ID_CHARACTERS })),
  url: Type.String({ maxLength: PUSH_URL_CHARACTERS }),
  token: Type.Optional(Type.String({ maxLength: PUSH_SECRET_CHARACTERS })),
  authentication: Type.Optional(
    Type.Object({
      scheme: Type.String({ maxLength: 64 }),
      credentials: Type.Optional(Type.String({ maxLength: PUSH_SECRET_CHARACTERS })),
    }),
  ),
});
export type GivenPush = Static<typeof A2aPushBody>;

/** The same as clients get it: without secrets. */
export interface A2aPush {
  readonly id: string;
  readonly taskId: string;
  readonly url: string;
  readonly authentication?: { readonly scheme: string };
}

export const a2aPushView = (taskId: string, { id, url, scheme }: Pick<JobPush, "id" | "url" | "scheme">): A2aPush => ({
  id,
  taskId,
  url,
  ...(scheme === null ? {} : { authentication: { scheme } }),
});

/** An address without an id has one that follows from the address: so a retry does not add it twice. */
export const pushIdOf = ({ id = "", url }: Pick<GivenPush, "id" | "url">): string =>
  id === "" ? `push_${new Bun.CryptoHasher("sha256").update(url).digest("base64url").slice(0, 21)}` : id;

/** What a header can have. */
const IN_HEADER = /^[\x20-\x7e]*$/;
const AUTH_SCHEME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** The member that adds the address to a task; `field` is where the client has put it. */
export async function pushStep(
  { webhookTools, sealing, clock }: Pick<Services, "webhookTools" | "sealing" | "clock">,
  change: Change,
  given: GivenPush,
  field = "",
): Promise<Outcome<(of: { readonly jobId: string; readonly isOver: boolean }) => Ask<JobPush>>> {
  const { organizationId, userId } = change.principal;
  const { url, token = "", authentication } = given;
  const { scheme = "", credentials = "" } = authentication ?? {};
  if (!IN_HEADER.test(token)) return invalid(`${field}/token`, "token must be printable ASCII: it is sent in a header");
  if (!IN_HEADER.test(credentials))
    return invalid(
      `${field}/authentication/credentials`,
      "credentials must be printable ASCII: they are sent in a header",
    );
  if (authentication !== undefined && !AUTH_SCHEME.test(scheme))
    return invalid(
      `${field}/authentication/scheme`,
      "scheme must be the name of an HTTP authentication scheme, such as Bearer",
    );
  const message = await webhookTools.refusalOf(url);
  if (message !== null) return refuse({ kind: "invalid_url", message });
  const secrets: PushSecrets = { ...(token === "" ? {} : { token }), ...(credentials === "" ? {} : { credentials }) };
  const isSealed = Object.keys(secrets).length > 0;
  const push = {
    id: pushIdOf(given),
    url,
    userId,
    scheme: scheme === "" ? null : scheme,
    sealed: isSealed ? sealing.seal("webhook", JSON.stringify(secrets), signingContext(organizationId)) : null,
  };
  const at = isoTime(clock.now());
  return ok(({ jobId, isOver }) =>
    ask(webhookRef(organizationId), {
      kind: "set_push",
      jobId,
      isOver,
      push,
      event: pushEvent(change, "resource.created", { at, jobId, pushId: push.id }),
    }),
  );
}

function pushEvent(
  { principal, requestId }: Change,
  type: "resource.created" | "resource.deleted",
  { at, jobId, pushId }: { readonly at: string; readonly jobId: string; readonly pushId: string },
): NewsEvent {
  return {
    type,
    source: "api_mutation",
    at,
    actor: eventCause(principal),
    requestId,
    resource: { type: "push_notification", id: pushId, path: null, version: null },
    data: { id: pushId, job_id: jobId },
    isTruncated: false,
    changes: [],
  };
}

const TASK_PATH = { id: Type.String() };
const PushView = Type.Unsafe<A2aPush>({ type: "object" });

/** The changes, for both transports. Their callers have checked that the client may read the task. */
export const a2aPushes = operationGroup<ProtocolServices>("A2A push notifications", "The addresses of a task", {
  setA2aPush: protocolOperation(
    {
      method: "POST",
      path: "/a2a/tasks/{id}/pushes",
      scope: "jobs:write",
      summary: "Add or replace an address that gets the states of a task",
      params: TASK_PATH,
      body: A2aPushBody,
      answers: { 200: PushView },
      errors: ["invalid_state", "invalid_url"],
      emits: null,
    },
    async (services, change, { params: { id }, body }) => {
      const step = await pushStep(services, change, body);
      if (!step.ok) return step;
      const begins: Ask<Job> = ask(jobRef(change.principal.organizationId, id), { kind: "begin_pushes" });
      const steps = followedBy(begins, ({ status }) => step.value({ jobId: id, isOver: isTerminal(status) }));
      return change.commit(steps, (_, [, push]) => done(a2aPushView(id, push)));
    },
  ),

  removeA2aPush: protocolOperation(
    {
      method: "POST",
      path: "/a2a/tasks/{id}/pushes/remove",
      scope: "jobs:write",
      summary: "Remove an address of a task",
      params: TASK_PATH,
      body: Type.Object({ push_id: Type.String() }),
      answers: { 200: Type.Unsafe<JsonObject>({ type: "object" }) },
      errors: ["not_found"],
      emits: null,
    },
    async ({ clock }, change, { params: { id: jobId }, body: { push_id: pushId } }) => {
      const event = pushEvent(change, "resource.deleted", { at: isoTime(clock.now()), jobId, pushId });
      const remove = ask(webhookRef(change.principal.organizationId), { kind: "remove_push", jobId, pushId, event });
      return change.commit([remove], () => done({}));
    },
  ),
});

/** A longer task is sent as its status; the receiver reads the task. */
export const PUSH_BODY_BYTES = 256 * 1_024;

/** The body for an address, as in a stream of A2A: the task once it has ended, before that its status. */
export function a2aPushBody(job: TaskJob, appUrl: string) {
  const { id: taskId, chat_id: contextId } = job;
  const status = (): string =>
    JSON.stringify({ statusUpdate: { taskId, contextId, status: taskStatus(job), metadata: taskMetadata(job) } });
  const whole = isTaskOver(taskState(job.status, job.blocked_reason))
    ? JSON.stringify({ task: a2aTask(job, { appUrl }) })
    : status();
  const body = Buffer.byteLength(whole) > PUSH_BODY_BYTES ? status() : whole;
  return { body, headers: { "Content-Type": "application/a2a+json", "A2A-Version": A2A_VERSION } };
}
