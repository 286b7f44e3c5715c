/**
 * The methods of ACP 1 as one operation. A connection (`socket/`) calls it for each message of its client, by the
 * service's own pipeline: so each message has the checks, limits and the owner of a request. A method answers its
 * result, or a stream of frames (`run-frames.ts`). Names with `_` are the connection's own.
 */
import { ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { FreeObject, type Json, type JsonObject, type Static, Type } from "../../../actors/schema.ts";
import type { BodySchema } from "../../http/contract/body-schema.ts";
import { operationGroup } from "../../http/contract/operation.ts";
import { Body } from "../../http/input/validation.ts";
import { eventStream } from "../../http/stream/event-stream.ts";
import { protocolOperation } from "../runs/protocol.ts";
import { Editor } from "./editor-tools.ts";
import { answerSession, cancelSession, followSession, promptSession } from "./prompts.ts";
import { ACP_BYTES, AcpAnswers } from "./run-operations.ts";
import {
  type AcpRequest,
  connectedAgent,
  deleteSession,
  listSessions,
  newSession,
  resumeSession,
  sessionHistory,
  setOption,
} from "./sessions.ts";
import { type EventSource, type Interruption, QUIET } from "../../http/stream/event-source.ts";
import { type AcpFrameWriter, acpFrameWriter } from "./run-frames.ts";

interface AcpMethod {
  (request: AcpRequest, params: JsonObject): Promise<Outcome<object | Response>>;
}

/** Reads the params by the schema. */
function acpMethod<S extends BodySchema>(
  schema: S,
  run: (request: AcpRequest, params: Static<S>) => Promise<Outcome<object | Response>>,
): AcpMethod {
  const body = new Body(schema, { isStrict: false });
  return async (request, given) => {
    const params = body.parse(given);
    return params.ok ? run(request, params.value) : params;
  };
}

const AcpWords = Type.String({ minLength: 1, maxLength: 4_096 });
const AnyList = Type.Unsafe<Json[]>(Type.Array(Type.Unknown()));
const Meta = Type.Optional(Type.Unsafe<JsonObject>(FreeObject));
const SESSION_NAME = { sessionId: AcpWords };
const SESSION_PLACE = {
  cwd: Type.String(),
  additionalDirectories: Type.Optional(AnyList),
  mcpServers: Type.Optional(AnyList),
  _meta: Meta,
};
const nullableWords = Type.Optional(Type.Union([Type.String(), Type.Null()]));

export const ACP_METHODS: Readonly<Record<string, AcpMethod>> = {
  _connect: acpMethod(Type.Object({}), async (request) => openPresence(request)),
  "session/new": acpMethod(Type.Object(SESSION_PLACE), newSession),
  "session/load": acpMethod(Type.Object({ ...SESSION_NAME, ...SESSION_PLACE }), resumeSession),
  "session/resume": acpMethod(Type.Object({ ...SESSION_NAME, ...SESSION_PLACE }), resumeSession),
  "session/list": acpMethod(Type.Object({ cwd: nullableWords, cursor: nullableWords }), listSessions),
  "session/delete": acpMethod(Type.Object(SESSION_NAME), deleteSession),
  "session/set_config_option": acpMethod(
    Type.Object({ ...SESSION_NAME, configId: AcpWords, value: Type.Union([Type.String(), Type.Boolean()]) }),
    setOption,
  ),
  "session/prompt": acpMethod(
    Type.Object({
      ...SESSION_NAME,
      prompt: AnyList,
      messageId: AcpWords,
      cwd: Type.Optional(Type.String()),
      editor: Editor,
    }),
    promptSession,
  ),
  _history: acpMethod(Type.Object({ ...SESSION_NAME, cursor: Type.Optional(Type.String()) }), sessionHistory),
  _follow: acpMethod(Type.Object({ jobId: AcpWords, hasNotices: Type.Boolean() }), followSession),
  _answer: acpMethod(Type.Object({ jobId: AcpWords, answers: AcpAnswers }), answerSession),
  _cancel: acpMethod(Type.Object({ jobId: AcpWords }), cancelSession),
};

async function openPresence(request: AcpRequest): Promise<Outcome<Response>> {
  const { streams, log } = request.services;
  const { principal, requestId } = request.caller;
  const room = streams.room(principal.organizationId);
  if (!room.ok) return room;
  const agent = request.agent === null ? ok(null) : await connectedAgent(request);
  if (!agent.ok) return agent;
  const onFailure = (err: unknown): void => log.error({ err, requestId }, "a stream was interrupted");
  const connection = request.caller.connection ?? request.caller;
  const presence = new Presence(acpFrameWriter(request.caller));
  return ok(eventStream(presence, ": open\n\n", { connection, streams, bearer: principal, onFailure }));
}

/** The path by which connections call it. */
export const ACP_RPC_PATH = "/acp/rpc";

export const acpRpcOperations = operationGroup("ACP", "The methods of the Agent Client Protocol, for its connections", {
  callAcp: protocolOperation(
    {
      method: "POST",
      path: ACP_RPC_PATH,
      scope: "chats:read",
      summary: "Call a method of ACP",
      body: Type.Object({
        method: Type.String(),
        params: Type.Optional(Type.Unsafe<JsonObject>(FreeObject)),
        agent: nullableWords,
      }),
      bodyBytes: ACP_BYTES,
      answers: { 200: Type.Unsafe<object>({ type: "object", description: "A result of ACP, or events" }) },
      errors: ["invalid_state", "budget_exceeded", "provider_error"],
      isRead: true,
    },
    async (services, caller, { body: { method, params = {}, agent = null } }) => {
      const run = Object.hasOwn(ACP_METHODS, method) ? ACP_METHODS[method] : undefined;
      if (run === undefined) return refuse({ kind: "not_found", noun: "route" });
      return run({ services, caller, agent }, params);
    },
  ),
});

/**
 * The stream that stands for a connection: it is open as long as the token is accepted, counts as one of the
 * organization's streams, and says nothing but why it ends.
 */
class Presence implements EventSource {
  private readonly toClient: AcpFrameWriter;

  constructor(toClient: AcpFrameWriter) {
    this.toClient = toClient;
  }

  next(): typeof QUIET {
    return QUIET;
  }

  onChange(): void {
    // Nothing ever changes.
  }

  close(): void {
    // It holds nothing.
  }

  lastWords(reason: Interruption): string {
    return this.toClient({ kind: "interrupted", reason });
  }
}
