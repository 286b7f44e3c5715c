/** The methods of A2A as JSON-RPC 2.0, in one operation: their params are read like the input of HTTP+JSON. */
import { ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { isJsonObject, type JsonObject, type Static, Type } from "../../../actors/schema.ts";
import { type BodySchema, checkedField } from "../../http/contract/body-schema.ts";
import { operationGroup } from "../../http/contract/operation.ts";
import { Body } from "../../http/input/validation.ts";
import { sseEvent, sseJson } from "../../http/stream/sse.ts";
import { protocolOperation } from "../runs/protocol.ts";
import { A2aCalls, type A2aFrame, type A2aRequest } from "./calls.ts";
import { RPC_BASE } from "./card.ts";
import { SENDS_NO_PUSHES } from "./errors.ts";
import { SendA2aBody } from "./message.ts";
import { A2A_AGENT, A2A_BODY_BYTES, A2aObject, isServed, A2A_LIST_QUERY, A2A_VERSIONED } from "./operations.ts";

/** A method: its params, and what it answers, whole or as a stream. */
interface A2aMethod {
  (parts: A2aCalls, request: A2aRequest, params: JsonObject, frame: A2aFrame): Promise<Outcome<object | Response>>;
}

/** Reads the params by the schema. */
function methodOf<S extends BodySchema>(
  schema: S,
  run: (
    calls: A2aCalls,
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
const NO_PUSHES = refusedMethod(SENDS_NO_PUSHES);

const RPC_METHODS: Readonly<Record<string, A2aMethod>> = {
  SendMessage: methodOf(SendA2aBody, (calls, request, params) => calls.send(request, params)),
  SendStreamingMessage: methodOf(SendA2aBody, (calls, request, params, frame) => calls.stream(request, params, frame)),
  GetTask: methodOf(
    Type.Object({ ...TaskName.properties, historyLength: Type.Optional(A2A_LIST_QUERY.historyLength) }),
    (calls, request, { id, historyLength }) => calls.get(request, id, historyLength),
  ),
  ListTasks: methodOf(
    Type.Object({
      ...Type.Partial(Type.Object(A2A_LIST_QUERY)).properties,
      includeArtifacts: Type.Optional(Type.Boolean()),
    }),
    (calls, request, query) => calls.list(request, query),
  ),
  CancelTask: methodOf(TaskName, (calls, request, { id }) => calls.cancel(request, id)),
  SubscribeToTask: methodOf(TaskName, (calls, request, { id }, frame) => calls.subscribe(request, id, frame)),
  GetExtendedAgentCard: refusedMethod("The agent has one card, which its address below the agent's base has"),
  CreateTaskPushNotificationConfig: NO_PUSHES,
  GetTaskPushNotificationConfig: NO_PUSHES,
  ListTaskPushNotificationConfigs: NO_PUSHES,
  DeleteTaskPushNotificationConfig: NO_PUSHES,
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
      const frame: A2aFrame = (result) => sseEvent({ data: sseJson({ jsonrpc, id, result }) });
      const served = isServed(headers["a2a-version"]);
      const outcome = served.ok
        ? await run(new A2aCalls(services), { caller, agentId: params.id }, given, frame)
        : served;
      if (!outcome.ok) return ok({ ...(services.refusal(outcome.fault, caller.requestId).body as object), id });
      return outcome.value instanceof Response ? ok(outcome.value) : answer({ result: outcome.value });
    },
  ),
});

const isRpcId = (id: unknown): id is string | number => typeof id === "string" || Number.isInteger(id);
