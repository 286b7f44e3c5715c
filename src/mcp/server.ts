/**
 * What the endpoint offers, as a server of the SDK: one server per message, in both eras of the protocol, so that
 * the two cannot differ. It has no state: tools, resources and prompts are views of the operations.
 */
import {
  type jsonSchemaValidator,
  ProtocolError,
  ProtocolErrorCode,
  type RequestId,
  ResourceNotFoundError,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Fault, Outcome } from "../../actors/fault.ts";
import type { Principal } from "../../actors/organization/principal.ts";
import type { Caller } from "../http/request/caller.ts";
import type { Refusal } from "../http/answer/dialect.ts";
import { answeredCall } from "./answered-call.ts";
import { factsIn } from "./auth-info.ts";
import { JOB_VIEW_URI, jobViewResource } from "./job-view.ts";
import { getPrompt, listPrompts } from "./prompts.ts";
import { watchable } from "./resource-watch.ts";
import { listResources, readResource, RESOURCE_TEMPLATES } from "./resources.ts";
import type { Era, ServerParts } from "./call-parts.ts";
import { type TimedWork, WordedServer } from "./worded-server.ts";

const SERVER_INSTRUCTIONS =
  "Agents of Troupe do work in chats; each message begins a job. execute_agent starts a chat and waits for the answer. When a job is still queued or running, call wait_for_job. A job that is blocked or needs_review waits for a person: show them what it asks before you call approve_job.";

/**
 * A person's answer is checked where it is used; the SDK's default validator would be compiled anew for each
 * message.
 */
const ANY_ANSWER: jsonSchemaValidator = {
  getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
};

/** The session of the server, if the client of the older era has opened one. */
export interface ServedSession {
  /** Stores the subscription. */
  subscribe(by: Principal, uri: string, version: number): Promise<Outcome<null>>;
  unsubscribe(by: Principal, uri: string): Promise<Outcome<null>>;
}

/** How a server serves, and whom it charges. */
export interface Serving {
  readonly era: Era;
  readonly timed: TimedWork;
  readonly session: ServedSession | null;
}

export function mcpServer(parts: ServerParts, { era, timed, session }: Serving): Server {
  const { invoke, services } = parts;
  const server = new WordedServer(
    { name: "troupe", title: "Troupe", version: services.facts.version },
    {
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {} },
      instructions: SERVER_INSTRUCTIONS,
      jsonSchemaValidator: ANY_ANSWER,
    },
    timed,
  );
  const guarded = async <T>(context: ServerContext, run: (asking: AskingClient) => Promise<T>): Promise<T> => {
    const { caller } = factsIn(context);
    const orThrow = <V>(outcome: Outcome<V>): V => orError(outcome, (fault) => parts.refusal(fault, caller.requestId));
    try {
      return await run({ caller, orThrow });
    } catch (err) {
      if (err instanceof ProtocolError) throw err;
      services.log.error({ err, requestId: caller.requestId }, "an MCP message failed");
      throw new ProtocolError(
        ProtocolErrorCode.InternalError,
        `Internal error; the operator finds it by the request id ${caller.requestId}`,
      );
    }
  };
  server.setRequestHandler("tools/list", ({ params }, context) => {
    ofOnePage(params?.cursor);
    const { toolset, leavesTools } = factsIn(context);
    return { tools: leavesTools ? [] : (toolset.shown as never) };
  });
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const result = await guarded(context, ({ caller }) =>
      answeredCall(parts, { caller, server, era, context, name: params.name, given: params.arguments ?? {} }),
    );
    if (session !== null && context.mcpReq.signal.aborted) await endStream(server, context.mcpReq.id, result);
    return result;
  });
  server.setRequestHandler("resources/list", ({ params }, context) =>
    guarded(context, async ({ caller, orThrow }) => ({
      ...orThrow(await listResources(invoke, caller, params?.cursor)),
    })),
  );
  server.setRequestHandler("resources/templates/list", ({ params }) => {
    ofOnePage(params?.cursor);
    return { resourceTemplates: RESOURCE_TEMPLATES };
  });
  server.setRequestHandler("resources/read", ({ params: { uri } }, context) =>
    guarded(context, async ({ caller, orThrow }) => {
      if (uri === JOB_VIEW_URI) return { contents: [jobViewResource(parts.allowed().appUrl)] };
      const read = await readResource(invoke, caller, uri);
      if (!read.ok && read.fault.kind === "not_found") throw new ResourceNotFoundError(uri);
      return { contents: [orThrow(read)] };
    }),
  );
  if (era === "legacy") {
    server.setRequestHandler("resources/subscribe", ({ params: { uri } }, context) =>
      guarded(context, async ({ caller, orThrow }) => {
        const { principal } = caller;
        const watched = await watchable(parts, caller, uri);
        if (!watched.ok && watched.fault.kind === "not_found") throw new ResourceNotFoundError(uri);
        orThrow(await requireSession(session).subscribe(principal, uri, orThrow(watched).version));
        return {};
      }),
    );
    server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }, context) =>
      guarded(context, async ({ caller, orThrow }) => {
        orThrow(await requireSession(session).unsubscribe(caller.principal, uri));
        return {};
      }),
    );
  }
  server.setRequestHandler("prompts/list", ({ params }, context) =>
    guarded(context, async ({ caller, orThrow }) => ({
      ...orThrow(await listPrompts(invoke, caller, params?.cursor)),
    })),
  );
  server.setRequestHandler("prompts/get", ({ params: { name, arguments: given } }, context) =>
    guarded(context, async ({ caller, orThrow }) => ({
      ...orThrow(await getPrompt(invoke, caller, { name, task: given?.["task"] })),
    })),
  );
  return server;
}

/**
 * Ends the stream of a call that its client has cancelled. The SDK answers no such call, so its stream would stay
 * open, and the session in memory, while the client is connected. Clients ignore the answer, but without a result
 * they would resume the stream.
 */
async function endStream(server: Server, id: RequestId, result: object): Promise<void> {
  const answer = { jsonrpc: "2.0" as const, id, result: { ...result } };
  await server.transport?.send(answer).catch(() => {}); // the session was dropped, which ends its streams
}

/** Lists of one page have no cursors. */
function ofOnePage(cursor: string | undefined): void {
  if (cursor !== undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid cursor for this list");
}

function requireSession(session: ServedSession | null): ServedSession {
  if (session !== null) return session;
  throw new ProtocolError(ProtocolErrorCode.InvalidRequest, "Subscriptions need a session; `initialize` gives one");
}

interface AskingClient {
  readonly caller: Caller;
  /** The value, or a protocol error for the refusal. */
  readonly orThrow: <V>(outcome: Outcome<V>) => V;
}

function orError<V>(outcome: Outcome<V>, refusal: (fault: Fault) => Refusal): V {
  if (outcome.ok) return outcome.value;
  const { status, body } = refusal(outcome.fault);
  const code = status === 400 || status === 404 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  throw new ProtocolError(code, (body as { readonly message: string }).message, body);
}
