/**
 * The methods of A2A over HTTP+JSON, as operations. Paths of A2A end with a verb after a colon, which no route can have
 * beside an id: so the last part of such a path is one parameter, and its verb says which method it is.
 *
 * `beginA2aTask`, `readA2aAnswer` and `steerA2aTask` have no route: both transports call them, so that a message has the
 * same effect in each.
 */
import { chatRef } from "../../../actors/chat/schema.ts";
import { notFound, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { hasScope } from "../../../actors/organization/principal.ts";
import { jobRef, PLAIN_TERMS } from "../../../actors/job/schema.ts";
import { OneOf, Type } from "../../../actors/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { MIB } from "../../../actors/units.ts";
import { type Change, done } from "../../http/commit/commit.ts";
import { type Input, type Operation, type OperationContract, operationGroup } from "../../http/contract/operation.ts";
import { sseData } from "../../http/stream/sse.ts";
import { operation } from "../../operations/operation.ts";
import type { Services } from "../../operations/services.ts";
import { saidContent } from "../../operations/said-content.ts";
import { prepareWork } from "../../work/prepared-work.ts";
import { steeringSteps, workOf } from "../../work/sending.ts";
import { beginFirstRun, beginRun, type GivenRun } from "../runs/begin-run.ts";
import { A2A_VERSION, AGENT_BASE } from "./card.ts";
import { protocolOperation, type ProtocolServices } from "../runs/protocol.ts";
import { answerCalls, answerMeaning, type AnswerMeaning } from "./answer.ts";
import { A2aCalls } from "./calls.ts";
import { A2aPushCalls } from "./push-calls.ts";
import type { A2aRequest } from "./task-request.ts";
import { A2aPushBody, type GivenPush, pushStep } from "./push.ts";
import { BeginTaskBody, partsContent, SendA2aBody, TaskMessageBody } from "./message.ts";
import { tckRun } from "./tck.ts";
import { MESSAGE_ID_FIELD, TASK_STATES, type TaskJob } from "./task.ts";

export const A2A_AGENT = { id: Type.String({ description: "The agent's id" }) };
const A2A_CALL = { ...A2A_AGENT, call: Type.String() };
const A2A_CONFIG = { ...A2A_CALL, config: Type.String() };

/** A message may have files in it, as Base64. */
export const A2A_BODY_BYTES = 8 * MIB;

/** A2A says that a request without the header is of version 0.3, which is not served. */
export const A2A_VERSIONED = { "a2a-version": Type.String({ description: "The version of A2A: 1.0" }) };

/** An object of A2A, or for a method that streams, events of them. */
export const A2aObject = Type.Unsafe<object>({ type: "object", description: "An object of A2A 1.0" });
const HISTORY_FIELD = Type.Integer({ minimum: 0, description: "The newest messages of a task to show" });
/** What ListTasks is asked for. */
export const A2A_LIST_QUERY = {
  contextId: Type.String(),
  status: OneOf(TASK_STATES),
  pageSize: Type.Integer({ minimum: 1, maximum: 100 }),
  pageToken: Type.String(),
  historyLength: HISTORY_FIELD,
  statusTimestampAfter: Type.String({ description: "Only tasks whose status has changed since this time" }),
};

/** The two parts of `{task}:{verb}`. */
function verbOf(call: string): { readonly name: string; readonly verb: string } {
  const at = call.lastIndexOf(":");
  return { name: call.slice(0, at), verb: call.slice(at + 1) };
}

/** The part of a run's beginning that adds the address that came with its message. */
async function givenPushes(
  services: Parameters<typeof pushStep>[0],
  change: Change,
  given: GivenPush | undefined,
): Promise<Outcome<Pick<GivenRun, "pushes">>> {
  if (given === undefined) return ok({});
  if (!hasScope(change.principal.scopes, "jobs:write"))
    return refuse({ kind: "insufficient_scope", required: ["jobs:write"] });
  const step = await pushStep(services, change, given, "/configuration/taskPushNotificationConfig");
  return step.ok ? ok({ pushes: (jobId) => step.value({ jobId, isOver: false }) }) : step;
}

/** What A2A's compatibility kit orders of an agent with the demo model; null: nothing. */
async function orderedByTck(
  { agents, models }: Pick<Services, "agents" | "models">,
  { principal }: Change,
  agentId: string,
  messageId: string,
): Promise<ReturnType<typeof tckRun>> {
  const ordered = tckRun(messageId);
  if (ordered === null) return null;
  const agent = await agents.find(principal, agentId);
  const model = agent.ok ? models.describe(agent.value.model) : agent;
  return model.ok && model.value.provider === "demo" ? ordered : null;
}

export const a2aMessages = operationGroup<ProtocolServices>(
  "A2A messages",
  "What a message does, over both transports of A2A",
  {
    beginA2aTask: operation(
      {
        method: "POST",
        path: "/a2a/agents/{id}/begin",
        scope: "chats:write",
        summary: "Begin a task",
        params: A2A_AGENT,
        body: BeginTaskBody,
        bodyBytes: A2A_BODY_BYTES,
        answers: { 200: Type.Object({ task_id: Type.String() }) },
        errors: ["invalid_state", "budget_exceeded", "provider_error"],
        emits: null,
      },
      {
        run: async (services, change, { params, body: { message, configuration, metadata = {} } }) => {
          const pushes = await givenPushes(services, change, configuration?.taskPushNotificationConfig);
          if (!pushes.ok) return pushes;
          const ordered = await orderedByTck(services, change, params.id, message.messageId);
          const isFirst = (message.contextId ?? "") === "";
          const run = {
            protocol: "a2a",
            agentId: params.id,
            chat: isFirst ? { kind: "new" } : { kind: "existing", chatId: message.contextId! },
            content: partsContent(message.parts),
            field: "message/parts",
            key: message.messageId,
            metadata: { ...metadata, [MESSAGE_ID_FIELD]: message.messageId },
            ...pushes.value,
            ...ordered,
          } as const satisfies GivenRun;
          return (isFirst ? await beginFirstRun(services, change, run) : null) ?? beginRun(services, change, run);
        },
        join: async (_, __, work) => ok({ ...done({ task_id: String(work["jobId"]) }), isFinal: true }),
      },
    ),

    readA2aAnswer: protocolOperation(
      {
        method: "POST",
        path: "/a2a/tasks/{id}/meaning",
        scope: "jobs:read",
        summary: "Read what a message means to its task",
        params: { id: Type.String() },
        body: TaskMessageBody,
        bodyBytes: A2A_BODY_BYTES,
        answers: { 200: Type.Unsafe<AnswerMeaning>({ type: "object" }) },
        errors: ["invalid_state"],
        emits: null,
        forgetsRefusals: true,
      },
      async ({ invoke }, change, { params, body: { message } }) => {
        const job = (await invoke("getJob", change, { params })) as Outcome<TaskJob>;
        if (!job.ok) return job;
        const meaning = answerMeaning(job.value);
        if (!meaning.ok) return meaning;
        const calls = answerCalls(meaning.value, message);
        if (!calls.ok) return calls;
        const read = ask(jobRef(change.principal.organizationId, params.id), { kind: "read_job" });
        return change.commit([read], () => done(meaning.value));
      },
    ),

    steerA2aTask: protocolOperation(
      {
        method: "POST",
        path: "/a2a/tasks/{id}/steer",
        scope: "chats:write",
        summary: "Give a message to a task at work",
        params: { id: Type.String() },
        body: TaskMessageBody,
        bodyBytes: A2A_BODY_BYTES,
        answers: { 200: Type.Object({ id: Type.String() }) },
        errors: ["forbidden", "invalid_state", "approval_pending", "provider_error"],
        emits: null,
      },
      async (services, change, { params: { id }, body: { message } }) => {
        const { principal: by, requestId } = change;
        const { organizationId } = by;
        const job = await services.system.dispatch(jobRef(organizationId, id), { kind: "read_job" });
        if (!job.ok) return job;
        const { chatId } = job.value;
        const chat = await services.system.dispatch(chatRef(organizationId, chatId), { kind: "read_chat" });
        if (!chat.ok) return chat;
        const said = await saidContent(services, change, partsContent(message.parts), "message/parts");
        if (!said.ok) return said;
        const { text: content, blocks } = said.value;
        const work = await prepareWork(services, {
          ...workOf(chat.value, by),
          blocks,
          field: "message/parts",
          checksBudget: false,
        });
        if (!work.ok) return work;
        const terms = { ...PLAIN_TERMS, provenance: { origin: "a2a" } as const, requestId };
        const steering = { by, content, blocks, onBusy: "steer", terms, metadata: {} } as const;
        return change.commit(steeringSteps(id, chatId, work.value, steering), () => done({ id }));
      },
    ),
  },
);

export interface A2aMethods {
  readonly tasks: A2aCalls;
  readonly pushes: A2aPushCalls;
}
/** The methods, for a client that asks for the version that is served. */
export function methodsFor(services: ProtocolServices, version: string | undefined): Outcome<A2aMethods> {
  if (version !== A2A_VERSION) return refuse({ kind: "unsupported_api_version", supported: [A2A_VERSION] });
  return ok({ tasks: new A2aCalls(services), pushes: new A2aPushCalls(services) });
}

const A2A_FORM = { headers: A2A_VERSIONED, answers: { 200: A2aObject }, isRead: true } as const;
type A2aContract = Omit<OperationContract, keyof typeof A2A_FORM> & { readonly params: typeof A2A_AGENT };

/** An operation of HTTP+JSON that calls a method. What the method changes, it changes by operations that it invokes. */
function a2aOperation<const C extends A2aContract>(
  contract: C,
  call: (methods: A2aMethods, request: A2aRequest, input: Input<C>) => Promise<Outcome<object>>,
): Operation<ProtocolServices> {
  const whole: A2aContract & typeof A2A_FORM = { ...contract, ...A2A_FORM };
  return protocolOperation(whole, async (services, caller, input) => {
    const methods = methodsFor(services, input.headers["a2a-version"]);
    if (!methods.ok) return methods;
    return call(methods.value, { caller, agentId: input.params.id }, input as unknown as Input<C>);
  });
}

export const a2aOperations = operationGroup("A2A", "Agent2Agent 1.0 over HTTP+JSON", {
  getA2aAgentCard: protocolOperation(
    {
      method: "GET",
      path: `${AGENT_BASE}/.well-known/agent-card.json`,
      scope: "agents:read",
      summary: "Read an agent's card",
      params: A2A_AGENT,
      answers: { 200: A2aObject },
    },
    async (services, caller, { params: { id } }) => new A2aCalls(services).card({ caller, agentId: id }),
  ),

  sendA2aMessage: a2aOperation(
    {
      method: "POST",
      path: `${AGENT_BASE}/{call}`,
      scope: "chats:write",
      summary: "Send a message (`message:send`), or send one and follow its task (`message:stream`)",
      params: A2A_CALL,
      body: SendA2aBody,
      bodyBytes: A2A_BODY_BYTES,
      errors: ["invalid_state", "budget_exceeded", "provider_error"],
    },
    async ({ tasks }, request, { params, body }) => {
      if (params.call === "message:stream") return tasks.stream(request, body, sseData);
      return params.call === "message:send" ? tasks.send(request, body) : notFound("route");
    },
  ),

  listA2aTasks: a2aOperation(
    {
      method: "GET",
      path: `${AGENT_BASE}/tasks`,
      scope: "jobs:read",
      summary: "List tasks",
      params: A2A_AGENT,
      query: { ...A2A_LIST_QUERY, includeArtifacts: OneOf(["true", "false"]) },
    },
    ({ tasks }, request, { query }) =>
      tasks.list(request, { ...query, includeArtifacts: query.includeArtifacts === "true" }),
  ),

  getA2aTask: a2aOperation(
    {
      method: "GET",
      path: `${AGENT_BASE}/tasks/{call}`,
      scope: "jobs:read",
      summary: "Read a task, or subscribe to it (`{task}:subscribe`)",
      params: A2A_CALL,
      query: { historyLength: HISTORY_FIELD },
      errors: ["invalid_state"],
    },
    ({ tasks }, request, { params: { call }, query }) => {
      const { name, verb } = verbOf(call);
      if (verb === "subscribe") return tasks.subscribe(request, name, sseData);
      return tasks.get(request, call, query.historyLength);
    },
  ),

  callA2aTask: a2aOperation(
    {
      method: "POST",
      path: `${AGENT_BASE}/tasks/{call}`,
      scope: "jobs:read",
      summary: "Cancel a task (`{task}:cancel`), or subscribe to it (`{task}:subscribe`)",
      params: A2A_CALL,
      errors: ["invalid_state"],
    },
    async ({ tasks }, request, { params: { call } }) => {
      const { name, verb } = verbOf(call);
      if (verb === "subscribe") return tasks.subscribe(request, name, sseData);
      return verb === "cancel" ? tasks.cancel(request, name) : notFound("route");
    },
  ),

  createA2aPush: a2aOperation(
    {
      method: "POST",
      path: `${AGENT_BASE}/tasks/{call}/pushNotificationConfigs`,
      scope: "jobs:write",
      summary: "Add an address that gets the states of a task",
      params: A2A_CALL,
      body: A2aPushBody,
      errors: ["invalid_state", "invalid_url"],
    },
    ({ pushes }, request, { params: { call }, body }) => pushes.create(request, call, body),
  ),

  listA2aPushes: a2aOperation(
    {
      method: "GET",
      path: `${AGENT_BASE}/tasks/{call}/pushNotificationConfigs`,
      scope: "jobs:read",
      summary: "List the addresses that are told the states of a task",
      params: A2A_CALL,
    },
    ({ pushes }, request, { params: { call } }) => pushes.list(request, call),
  ),

  getA2aPush: a2aOperation(
    {
      method: "GET",
      path: `${AGENT_BASE}/tasks/{call}/pushNotificationConfigs/{config}`,
      scope: "jobs:read",
      summary: "Read an address that is told the states of a task",
      params: A2A_CONFIG,
    },
    ({ pushes }, request, { params: { call, config } }) => pushes.get(request, call, config),
  ),

  deleteA2aPush: a2aOperation(
    {
      method: "DELETE",
      path: `${AGENT_BASE}/tasks/{call}/pushNotificationConfigs/{config}`,
      scope: "jobs:write",
      summary: "Remove an address that gets the states of a task",
      params: A2A_CONFIG,
    },
    ({ pushes }, request, { params: { call, config } }) => pushes.remove(request, call, config),
  ),
});
