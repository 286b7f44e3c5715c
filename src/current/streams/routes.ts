/** The event streams of chats and jobs (SSE-1 to SSE-8). They are opened by those who may read the record. */
import { type Chat, chatRef } from "../../../actors/chat/schema.ts";
import { notFound, type Outcome } from "../../../actors/fault.ts";
import { isTerminal } from "../../../actors/job/machine.ts";
import { type Job, jobRef } from "../../../actors/job/schema.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { operationRoutes } from "../../http/operation-routes.ts";
import type { Call, Surface } from "../../http/surface.ts";
import { chatView } from "../chats/view.ts";
import { jobView } from "../jobs/view.ts";
import type { CurrentParts } from "../parts.ts";
import { chatInSight, jobInSight } from "../work-sight.ts";
import { appLink } from "./app-link.ts";
import { type StreamRequest, streamRequest } from "./cursor.ts";
import { type Connection, openStream } from "./opening.ts";
import { streamOperations } from "./operations.ts";
import type { StreamEnd } from "./record-stream.ts";

const CHAT_ID = /^cht_[A-Za-z0-9_-]{21}$/;
const JOB_ID = /^job_[A-Za-z0-9_-]{21}$/;
/** With what a turn may have ended. */
const TURN_ENDS: ReadonlySet<string> = new Set(["chat.updated", "message.completed", "error"]);
/** What a job ends with. */
const JOB_ENDS: ReadonlySet<string> = new Set(["job.completed", "job.failed", "job.cancelled"]);

type Answer = Promise<Outcome<Response>>;

export const streamRoutes = (current: Surface, parts: CurrentParts) =>
  operationRoutes(current, streamOperations, {
    streamChatEvents: (call) => chatStream(parts, call),
    streamJobEvents: (call) => jobStream(parts, call),
  });

const connectionOf = ({ request, requestId, server, principal }: Call): Connection => ({
  request,
  requestId,
  server,
  bearer: principal,
});

async function chatStream(parts: CurrentParts, call: Call): Answer {
  const id = call.params["id"] ?? "";
  if (!CHAT_ID.test(id)) return notFound("chat");
  const asked = streamRequest(call.request);
  if (!asked.ok) return asked;
  const ref = chatRef(call.principal.organizationId, id);
  const read = () => parts.system.dispatch(ref, { kind: "read_chat" });
  const chat = await chatInSight(parts, call.principal, id);
  if (!chat.ok) return chat;
  const ending: StreamEnd = asked.value.waitsForEnd ? turnEnd(chat.value, read) : { kind: "never" };
  const streamed = { ref, record: chat.value, view: chatView(chat.value, call.principal), ending };
  return openStream(parts, connectionOf(call), asked.value, streamed);
}

/** The end of the turn that runs now; without one the stream is over with what there is. */
function turnEnd({ activeJobId, lastSeq }: Chat, read: () => Promise<Outcome<Chat>>): StreamEnd {
  if (activeJobId === null) return { kind: "at_seq", seq: lastSeq };
  const endOf = async (): Promise<number | null> => {
    const chat = await read();
    if (!chat.ok && chat.fault.kind === "not_found") return 0;
    if (!chat.ok) throw new Error(`the chat cannot be read now: ${chat.fault.kind}`);
    return chat.value.activeJobId === activeJobId ? null : chat.value.lastSeq;
  };
  return { kind: "asked", after: TURN_ENDS, endOf };
}

async function jobStream(parts: CurrentParts, call: Call): Answer {
  const jobId = call.params["id"] ?? "";
  if (!isJobId(jobId)) return notFound("job");
  const asked = streamRequest(call.request);
  if (!asked.ok) return asked;
  return streamOfJob(parts, connectionOf(call), asked.value, { jobId, by: call.principal });
}

/** The stream of a job, for somebody who may open it. */
export async function streamOfJob(
  parts: CurrentParts,
  connection: Connection,
  asked: StreamRequest,
  { jobId, by }: { readonly jobId: string; readonly by: Principal },
): Answer {
  const ref = jobRef(by.organizationId, jobId);
  const read = () => parts.system.dispatch(ref, { kind: "read_job" });
  const job = await jobInSight(parts, by, jobId);
  if (!job.ok) return job;
  const view = jobView(job.value, by, appLink(parts, jobId, by));
  return openStream(parts, connection, asked, { ref, record: job.value, view, ending: jobEnd(job.value, read) });
}

export const isJobId = (id: string): boolean => JOB_ID.test(id);

/** The end of the job. What is said with its terminal event belongs to it. */
function jobEnd({ status, lastSeq }: Job, read: () => Promise<Outcome<Job>>): StreamEnd {
  if (isTerminal(status)) return { kind: "at_seq", seq: lastSeq };
  const endOf = async (): Promise<number | null> => {
    const job = await read();
    if (!job.ok) throw new Error(`the job cannot be read now: ${job.fault.kind}`);
    return isTerminal(job.value.status) ? job.value.lastSeq : null;
  };
  return { kind: "asked", after: JOB_ENDS, endOf };
}
