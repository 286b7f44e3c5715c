/** The event streams of chats and jobs (SSE-1 to SSE-8), for callers who may read the record. */
import { type Chat, chatRef } from "../../../actors/chat/schema.ts";
import type { Outcome } from "../../../actors/fault.ts";
import { isTerminal } from "../../../actors/job/machine.ts";
import { type Job, jobRef } from "../../../actors/job/schema.ts";
import { hasScope, type Principal } from "../../../actors/organization/principal.ts";
import type { Handlers, Input } from "../../http/contract/operation.ts";
import type { Caller } from "../../http/request/caller.ts";
import { chatView } from "../chats/view.ts";
import { jobView } from "../jobs/view.ts";
import type { Services } from "../../operations/services.ts";
import { chatStanding, jobStanding } from "../standing.ts";
import { visibleChat, visibleJob } from "../work-visibility.ts";
import { appLink } from "./app-link.ts";
import { type StreamRequest, streamRequest } from "./cursor.ts";
import { type Connection, openStream } from "./opening.ts";
import type { streamOperations } from "./operations.ts";
import type { StreamEnd } from "./record-stream.ts";

/** Events that may end a chat turn. */
const TURN_ENDS: ReadonlySet<string> = new Set(["chat.updated", "message.completed", "error"]);
/** Events that end a job. */
const JOB_ENDS: ReadonlySet<string> = new Set(["job.completed", "job.failed", "job.cancelled"]);

type StreamOperations = typeof streamOperations.operations;
type Answer = Promise<Outcome<Response>>;

export const streamHandlers: Handlers<StreamOperations, Services> = {
  streamChatEvents,

  streamJobEvents: (services, caller, input) =>
    streamOfJob(services, { caller, bearer: caller.principal }, streamRequest(input), {
      jobId: input.params.id,
      by: caller.principal,
    }),
};

async function streamChatEvents(
  services: Services,
  caller: Caller,
  input: Input<StreamOperations["streamChatEvents"]>,
): Answer {
  const { principal } = caller;
  const asked = streamRequest(input);
  const ref = chatRef(principal.organizationId, input.params.id);
  const read = () => services.system.dispatch(ref, { kind: "read_chat" });
  const chat = await visibleChat(services, principal, input.params.id);
  if (!chat.ok) return chat;
  const ending: StreamEnd = asked.waitsForEnd ? turnEnd(chat.value, read) : { kind: "never" };
  const view = chatView(chat.value, principal, await chatStanding(services, principal, chat.value));
  const kind = hasScope(principal.scopes, "jobs:read") ? ("chat" as const) : ("chat_without_calls" as const);
  const streamed = { ref, record: chat.value, view, ending, kind };
  return openStream(services, { caller, bearer: principal }, asked, streamed);
}

/** The end of the current chat turn; without a turn the stream ends with the existing events. */
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

/** The stream of a job, for a caller who may open it. */
export async function streamOfJob(
  services: Services,
  connection: Connection,
  asked: StreamRequest,
  { jobId, by }: { readonly jobId: string; readonly by: Principal },
): Answer {
  const ref = jobRef(by.organizationId, jobId);
  const read = () => services.system.dispatch(ref, { kind: "read_job" });
  const job = await visibleJob(services, by, jobId);
  if (!job.ok) return job;
  const view = jobView(job.value, by, {
    appStream: appLink(services, jobId, by),
    standing: await jobStanding(services, by, job.value),
  });
  return openStream(services, connection, asked, { ref, record: job.value, view, ending: jobEnd(job.value, read) });
}

/** The end of the job, including events committed together with its terminal event. */
function jobEnd({ status, lastSeq }: Job, read: () => Promise<Outcome<Job>>): StreamEnd {
  if (isTerminal(status)) return { kind: "at_seq", seq: lastSeq };
  const endOf = async (): Promise<number | null> => {
    const job = await read();
    if (!job.ok) throw new Error(`the job cannot be read now: ${job.fault.kind}`);
    return isTerminal(job.value.status) ? job.value.lastSeq : null;
  };
  return { kind: "asked", after: JOB_ENDS, endOf };
}
