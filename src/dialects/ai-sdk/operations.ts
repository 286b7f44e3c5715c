/** Chats of AI SDK's clients: a message or answers, the stream once more, and the stop (DIA-6 to DIA-9). */
import { type Outcome, notFound, ok } from "../../../actors/fault.ts";
import { isTerminal } from "../../../actors/job/machine.ts";
import type { Job } from "../../../actors/job/schema.ts";
import { OneOf, Type } from "../../../actors/schema.ts";
import { done } from "../../http/commit/commit.ts";
import { OpenObject } from "../../http/contract/noun.ts";
import { media } from "../../http/contract/operation.ts";
import type { Caller } from "../../http/request/caller.ts";
import { cancellingSteps } from "../../work/sending.ts";
import { followRun, latestRun } from "../runs/followed-run.ts";
import { protocolOperation, type ProtocolServices } from "../runs/protocol.ts";
import { findUiChats, type UiChatName } from "./chat-branch.ts";
import type { KnownMessage } from "./continuation.ts";
import { readUiRequest } from "./given-messages.ts";
import { UI_CHAT_BYTES, UiAgentId, UiChatBody, UiChatId } from "./schema.ts";
import { beginUiRun } from "./sending.ts";
import { UI_STREAM_HEADERS, UiStream } from "./ui-stream.ts";

const UiMessageStream = media({ "text/event-stream": OpenObject("A chunk of the UI message stream") });

export const uiChatOperations = {
  sendUiMessages: protocolOperation(
    {
      method: "POST",
      path: "/ai-sdk/agents/{id}/chat",
      scope: "chats:write",
      summary: "Send a message of a chat client",
      params: { id: UiAgentId },
      body: UiChatBody,
      bodyBytes: UI_CHAT_BYTES,
      answers: { 200: UiMessageStream },
      errors: ["invalid_state", "budget_exceeded", "provider_error"],
    },
    {
      admit: ({ streams }, { principal }) => streams.room(principal.organizationId),
      async run(services, change, { params, body }) {
        const request = readUiRequest(body);
        if (!request.ok) return request;
        return beginUiRun(services, change, { agentId: params.id, name: body.id }, request.value);
      },
      join: (services, caller, work) => streamUiRun(services, caller, work as unknown as UiRun),
    },
  ),

  resumeUiStream: protocolOperation(
    {
      method: "GET",
      path: "/ai-sdk/agents/{id}/chat/{chat_id}/stream",
      scope: "chats:read",
      summary: "Resume the stream of a chat client",
      params: { id: UiAgentId, chat_id: UiChatId },
      query: {
        ended: OneOf(["replay"] as const, { description: "Sends the newest answer again even if it is complete" }),
      },
      answers: { 200: UiMessageStream, 204: null },
    },
    async (services, caller, { params, query }) => {
      const job = await newestUiRun(services, caller, { agentId: params.id, name: params.chat_id });
      if (!job.ok) return job;
      if (job.value === null || (isTerminal(job.value.status) && query.ended === undefined)) return ok(nothingRuns());
      const room = services.streams.room(caller.principal.organizationId);
      if (!room.ok) return room;
      const { id: jobId, chatId } = job.value;
      return streamUiRun(services, caller, { jobId, chatId });
    },
  ),

  stopUiRun: protocolOperation(
    {
      method: "POST",
      path: "/ai-sdk/agents/{id}/chat/{chat_id}/stop",
      scope: "jobs:write",
      summary: "Stop the run of a chat client",
      params: { id: UiAgentId, chat_id: UiChatId },
      answers: { 200: Type.Object({ job_id: Type.String(), status: Type.String() }) },
      errors: ["invalid_state"],
    },
    async (services, change, { params }) => {
      const job = await newestUiRun(services, change, { agentId: params.id, name: params.chat_id });
      if (!job.ok) return job;
      if (job.value === null) return notFound("chat");
      return change.commit(cancellingSteps(job.value), ({ id: job_id, status }) => done({ job_id, status }));
    },
  ),
};

/** An `EventSource` and AI SDK's transport take 204 for: nothing to resume. */
const nothingRuns = (): Response => new Response(null, { status: 204, headers: { "cache-control": "no-store" } });

interface UiRun {
  readonly jobId: string;
  readonly chatId: string;
  /** What the client's message has already; absent: nothing. */
  readonly known?: KnownMessage;
}

async function streamUiRun(
  services: ProtocolServices,
  caller: Caller,
  { jobId, chatId, known }: UiRun,
): Promise<Outcome<Response>> {
  const frames = new UiStream({ jobId, chatId }, known ?? null);
  return followRun(services, caller, { jobId }, frames, { headers: UI_STREAM_HEADERS });
}

/** The newest run of a client's chat; null if there is none. */
async function newestUiRun(
  services: ProtocolServices,
  { principal }: Pick<Caller, "principal">,
  name: UiChatName,
): Promise<Outcome<Job | null>> {
  const chats = await findUiChats(services, principal, name);
  if (!chats.ok || chats.value === null) return chats.ok ? ok(null) : chats;
  return latestRun(services, principal, chats.value.current);
}
