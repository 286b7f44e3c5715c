/** Threads of AG-UI's clients: a run, the newest run once more, and the stop (DIA-15 to DIA-17). */
import { type Chat, chatRef } from "../../../actors/chat/schema.ts";
import { notFound, ok, type Outcome } from "../../../actors/fault.ts";
import type { Job } from "../../../actors/job/schema.ts";
import { Type } from "../../../actors/schema.ts";
import { type Change, type Commit, done } from "../../http/commit/commit.ts";
import { pathId } from "../../http/contract/field.ts";
import { Id, OpenObject, Text } from "../../http/contract/noun.ts";
import { media } from "../../http/contract/operation.ts";
import type { Caller } from "../../http/request/caller.ts";
import { sseData } from "../../http/stream/sse.ts";
import { beginFirstRun, beginRun, type BegunRun, namedChatId } from "../runs/begin-run.ts";
import { cancellingSteps } from "../../work/sending.ts";
import { followRun, latestRun } from "../runs/followed-run.ts";
import { protocolOperation, type ProtocolServices } from "../runs/protocol.ts";
import { answerRun, type RunAnswer } from "../runs/run-answers.ts";
import { AgUiFrames } from "./event-frames.ts";
import { agUiInstructions, type AgUiSaid, agUiTools, readAgUiInput } from "./given-input.ts";
import { AG_UI_BYTES, AgUiInput } from "./schema.ts";

/** Separates the ids of this protocol from those of others. It must never change. */
const AG_UI = "ag-ui";
const AgUiAgentId = pathId("agent", /^[A-Za-z0-9_-]{1,64}$/, Id("agt", "The agent's id"));
const AgUiThreadId = pathId("chat", /^[^]{1,256}$/, Text("The chat, in the client's words", "thread-1"));
const AgUiEventStream = media({ "text/event-stream": OpenObject("An event of AG-UI") });

/** A message for an agent, with the answers that came with it. */
interface AgUiBeginning {
  readonly agentId: string;
  readonly said: AgUiSaid;
  readonly answers: readonly RunAnswer[];
}

export const agUiOperations = {
  runAgUiAgent: protocolOperation(
    {
      method: "POST",
      path: "/ag-ui/agents/{id}",
      scope: "chats:write",
      summary: "Run the agent in a thread",
      params: { id: AgUiAgentId },
      body: AgUiInput,
      bodyBytes: AG_UI_BYTES,
      answers: { 200: AgUiEventStream },
      errors: ["invalid_state", "budget_exceeded", "provider_error"],
    },
    {
      admit: ({ streams }, { principal }) => streams.room(principal.organizationId),
      async run(services, change, { params: { id: agentId }, body }) {
        const request = readAgUiInput(body);
        if (!request.ok) return request;
        const { said, isSent, answers } = request.value;
        const job = isSent ? ok(null) : await newestAgUiRun(services, change, { agentId, name: body.threadId });
        if (!job.ok) return job;
        // After a failed run the client sends the same messages: its last one of the user begins another run.
        if (said !== null && (isSent || job.value?.status === "failed"))
          return beginAgUiRun(services, change, { agentId, said, answers }, body);
        if (job.value === null) return notFound("chat");
        const { id: jobId, chatId } = job.value;
        return answerRun(services, change, { job: job.value, answers }, { jobId, chatId });
      },
      join: (services, caller, work, { body }) => streamAgUiRun(services, caller, work as unknown as BegunRun, body),
    },
  ),

  connectAgUiThread: protocolOperation(
    {
      method: "POST",
      path: "/ag-ui/agents/{id}/connect",
      scope: "chats:read",
      summary: "Follow the newest run of a thread",
      params: { id: AgUiAgentId },
      body: AgUiInput,
      bodyBytes: AG_UI_BYTES,
      answers: { 200: AgUiEventStream },
      isRead: true,
    },
    async (services, caller, { params, body }) => {
      const room = services.streams.room(caller.principal.organizationId);
      if (!room.ok) return room;
      const job = await newestAgUiRun(services, caller, { agentId: params.id, name: body.threadId });
      if (!job.ok) return job;
      if (job.value === null) return ok(emptyThread(body));
      const { id: jobId, chatId } = job.value;
      return streamAgUiRun(services, caller, { jobId, chatId }, body);
    },
  ),

  stopAgUiThread: protocolOperation(
    {
      method: "POST",
      path: "/ag-ui/agents/{id}/threads/{thread_id}/stop",
      scope: "jobs:write",
      summary: "Stop the run of a thread",
      params: { id: AgUiAgentId, thread_id: AgUiThreadId },
      answers: { 200: Type.Object({ job_id: Type.String(), status: Type.String() }) },
      errors: ["invalid_state"],
    },
    async (services, change, { params }) => {
      const job = await newestAgUiRun(services, change, { agentId: params.id, name: params.thread_id });
      if (!job.ok) return job;
      if (job.value === null) return notFound("chat");
      return change.commit(cancellingSteps(job.value), ({ id: job_id, status }) => done({ job_id, status }));
    },
  ),
};

async function beginAgUiRun(
  services: ProtocolServices,
  change: Change,
  { agentId, said: { messageId: key, content, field }, answers }: AgUiBeginning,
  input: AgUiInput,
): Promise<Outcome<Commit>> {
  const chat = { kind: "named", name: input.threadId } as const;
  const told = { tools: agUiTools(input), instructions: agUiInstructions(input) };
  const said = { content, field, key, answers, repeatsFailed: true } as const;
  const run = { protocol: AG_UI, agentId, chat, ...said, ...told } as const;
  const isFirst = input.messages.length === 1;
  return (isFirst ? await beginFirstRun(services, change, run) : null) ?? beginRun(services, change, run);
}

function streamAgUiRun(
  services: ProtocolServices,
  caller: Caller,
  { jobId, chatId }: BegunRun,
  { threadId, runId, messages }: AgUiInput,
): Promise<Outcome<Response>> {
  return followRun(services, caller, { jobId }, new AgUiFrames({ jobId, chatId, threadId, runId }, messages));
}

/** The answer to a client that connects to a thread without a run. */
function emptyThread({ threadId, runId }: AgUiInput): Response {
  const events = ["RUN_STARTED", "RUN_FINISHED"].map((type) => sseData({ type, threadId, runId }));
  return new Response(events.join(""), { headers: { "content-type": "text/event-stream; charset=utf-8" } });
}

/** The newest run of a client's thread; null if there is none. */
async function newestAgUiRun(
  services: ProtocolServices,
  { principal }: Pick<Caller, "principal">,
  thread: { readonly agentId: string; readonly name: string },
): Promise<Outcome<Job | null>> {
  const id = namedChatId(principal, { protocol: AG_UI, ...thread });
  const chat: Outcome<Chat> = await services.system.dispatch(chatRef(principal.organizationId, id), {
    kind: "read_chat",
  });
  if (!chat.ok) return chat.fault.kind === "not_found" ? ok(null) : chat;
  return latestRun(services, principal, chat.value);
}
