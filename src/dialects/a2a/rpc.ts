/** The methods of A2A as JSON-RPC 2.0, in one operation: their params are read like the input of HTTP+JSON. */
import { ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { isJsonObject, type JsonObject, type Static, Type } from "../../../actors/schema.ts";
import { type BodySchema, checkedField } from "../../http/contract/body-schema.ts";
import { operationGroup } from "../../http/contract/operation.ts";
import { Body } from "../../http/input/validation.ts";
import { sseData } from "../../http/stream/sse.ts";
import { protocolOperation } from "../runs/protocol.ts";
import type { A2aFrame } from "./calls.ts";
import { RPC_BASE } from "./card.ts";
import { SendA2aBody } from "./message.ts";
import { A2aPushBody } from "./push.ts";
import type { A2aRequest } from "./task-request.ts";
import {
  A2A_AGENT,
  A2A_BODY_BYTES,
  A2aObject,
  A2A_LIST_QUERY,
  A2A_VERSIONED,
  type A2aMethods,
  methodsFor,
} from "./operations.ts";

/** A method: its params, and what it answers, whole or as a stream. */
interface A2aMethod {
  (calls: A2aMethods, request: A2aRequest, params: JsonObject, frame: A2aFrame): Promise<Outcome<object | Response>>;
}

/** Reads the params by the schema. */
function methodOf<S extends BodySchema>(
  schema: S,
  run: (
    calls: A2aMethods,
    request: A2aRequest,
    params: Static<S>,
    frame: A2aFrame,
  ) => Promise<Outcome<object | Response>>,
): A2aMethod {
  const body = new Body(schema, { isStrict: false });
  return async (calls, request, given, frame) => {
    const params = body.parse(given);
    return params.ok ? run(calls, request, params.value, frame) : params;
  };
}

const TaskName = Type.Object({ id: Type.String({ minLength: 1 }) });
const refusedMethod =
  (message: string): A2aMethod =>
  async () =>
    refuse({ kind: "invalid_state", status: "", allowedActions: [], message });
const PushOfTask = Type.Object({ taskId: Type.String({ minLength: 1 }) });
const PushName = Type.Object({ ...PushOfTask.properties, id: Type.String({ minLength: 1 }) });

const RPC_METHODS: Readonly<Record<string, A2aMethod>> = {
  SendMessage: methodOf(SendA2aBody, ({ tasks }, request, params) => tasks.send(request, params)),
  SendStreamingMessage: methodOf(SendA2aBody, ({ tasks }, request, params, frame) =>
    tasks.stream(request, params, frame),
  ),
  GetTask: methodOf(
    Type.Object({ ...TaskName.properties, historyLength: Type.Optional(A2A_LIST_QUERY.historyLength) }),
    ({ tasks }, request, { id, historyLength }) => tasks.get(request, id, historyLength),
  ),
  ListTasks: methodOf(
    Type.Object({
      ...Type.Partial(Type.Object(A2A_LIST_QUERY)).properties,
      includeArtifacts: Type.Optional(Type.Boolean()),
    }),
    ({ tasks }, request, query) => tasks.list(request, query),
  ),
  CancelTask: methodOf(TaskName, ({ tasks }, request, { id }) => tasks.cancel(request, id)),
  SubscribeToTask: methodOf(TaskName, ({ tasks }, request, { id }, frame) => tasks.subscribe(request, id, frame)),
  GetExtendedAgentCard: refusedMethod("The agent has only one card, at its address below the agent's base"),
  CreateTaskPushNotificationConfig: methodOf(
    Type.Object({ ...PushOfTask.properties, ...A2aPushBody.properties }),
    ({ pushes }, request, { taskId, ...given }) => pushes.create(request, taskId, given),
  ),
  GetTaskPushNotificationConfig: methodOf(PushName, ({ pushes }, request, { taskId, id }) =>
    pushes.get(request, taskId, id),
  ),
  ListTaskPushNotificationConfigs: methodOf(PushOfTask, ({ pushes }, request, { taskId }) =>
    pushes.list(request, taskId),
  ),
  DeleteTaskPushNotificationConfig: methodOf(PushName, ({ pushes }, request, { taskId, id }) =>
    pushes.remove(request, taskId, id),
  ),
};

const RPC_METHOD_NOT_FOUND = -32_601;
const RPC_INVALID_REQUEST = -32_600;

/** Any value: what is wrong with the envelope is answered as JSON-RPC says. */
const anyValue = Type.Optional(checkedField<unknown>({ description: "As JSON-RPC 2.0 says" }, () => []));

export const a2aRpcOperations = operationGroup("A2A over JSON-RPC", "Agent2Agent 1.0 over JSON-RPC", {
  callA2aAgent: protocolOperation(
    {
      method: "POST",
      path: RPC_BASE,
      scope: "jobs:read",
      summary: "Call a method of A2A",
      params: A2A_AGENT,
      headers: A2A_VERSIONED,
      body: Type.Object({ jsonrpc: anyValue, id: anyValue, method: anyValue, params: anyValue }),
      bodyBytes: A2A_BODY_BYTES,
      answers: { 200: A2aObject },
      errors: ["invalid_state", "budget_exceeded", "provider_error"],
      isRead: true,
    },
    async (services, caller, { params, headers, body }) => {
      const { jsonrpc, id, method, params: given = {} } = body;
      const answer = (fields: object): Outcome<object> => ok({ jsonrpc: "2.0", id: id ?? null, ...fields });
      if (jsonrpc !== "2.0" || typeof method !== "string" || !isRpcId(id) || !isJsonObject(given))
        return answer({ error: { code: RPC_INVALID_REQUEST, message: "This is not a request of JSON-RPC 2.0" } });
      const run = Object.hasOwn(RPC_METHODS, method) ? RPC_METHODS[method] : undefined;
      if (run === undefined)
        return answer({ error: { code: RPC_METHOD_NOT_FOUND, message: `A2A 1.0 has no method ${method}` } });
      const frame: A2aFrame = (result) => sseData({ jsonrpc, id, result });
      const methods = methodsFor(services, headers["a2a-version"]);
      const outcome = methods.ok ? await run(methods.value, { caller, agentId: params.id }, given, frame) : methods;
      if (!outcome.ok) return ok({ ...(services.refusal(outcome.fault, caller.requestId).body as object), id });
      return outcome.value instanceof Response ? ok(outcome.value) : answer({ result: outcome.value });
    },
  ),
});

const isRpcId = (id: unknown): id is string | number => typeof id === "string" || Number.isInteger(id);
