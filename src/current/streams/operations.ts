/**
 * The event streams of chats and jobs (SSE-1 to SSE-9): for callers who may read the record, and for embedded pages,
 * where a signed address replaces the token. Any origin may open that one, without credentials, and every invalid
 * address gets the same answer.
 */
import { type Chat, chatRef } from "../../../actors/chat/schema.ts";
import { type Outcome, refuse } from "../../../actors/fault.ts";
import { isTerminal } from "../../../actors/job/machine.ts";
import { type Job, jobRef } from "../../../actors/job/schema.ts";
import { hasScope, type Principal } from "../../../actors/organization/principal.ts";
import { Type } from "../../../actors/schema.ts";
import { bad, good, textField, withDefault } from "../../http/contract/field.ts";
import { Id, Text } from "../../http/contract/noun.ts";
import { media } from "../../http/contract/operation.ts";
import { LAST_EVENT_ID } from "../../http/contract/request-headers.ts";
import { operation } from "../../operations/operation.ts";
import type { Services } from "../../operations/services.ts";
import { chatView } from "../chats/view.ts";
import { appLink, jobView } from "../jobs/view.ts";
import { ChatId, JobId } from "../path-ids.ts";
import { chatStanding, jobStanding } from "../standing.ts";
import { visibleChat, visibleJob } from "../work-visibility.ts";
import { RECENT_EVENTS, type StreamRequest, streamRequest } from "./cursor.ts";
import { ChatStreamEvent, JobStreamEvent } from "./event-schema.ts";
import { type StreamConnection, openStream } from "./opening.ts";
import type { StreamEnd } from "./record-stream.ts";

/** Pages of any origin may read a signed stream; caches and other sites must not learn its address. */
export const APP_STREAM_HEADERS = {
  "access-control-allow-origin": "*",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store, no-transform",
};

const QUERY = {
  after: Text("The cursor to resume from; the header `Last-Event-ID` takes precedence", "12.480"),
  replay: withDefault(
    textField<string>(
      {
        type: "string",
        description: "Without a cursor: how many past durable events are sent first, a number or `all`",
      },
      (text) => (/^(?:all|\d{1,10})$/.test(text) ? good(text) : bad("replay must be all or a whole number")),
    ),
    String(RECENT_EVENTS),
  ),
};

const WAIT = {
  wait: Type.Literal("end", {
    description:
      "`end` closes a chat's stream when its chat turn ends; a job's stream always closes at the end of the job",
  }),
};

const HOW =
  "A `snapshot` of the record comes first, then recent events, then live events. The id of an event is the cursor to resume from, without gaps or duplicates. `reset` means that the cursor cannot be used. Comments are heartbeats. Resuming a finished stream at its end returns 204.";

export const streamOperations = {
  streamChatEvents: operation(
    {
      method: "GET",
      path: "/api/chats/{id}/events",
      scope: "chats:read",
      orScope: "events:read",
      summary: "Stream chat events",
      description: `${HOW} The stream stays open unless you send \`wait=end\`.`,
      params: { id: ChatId },
      query: { ...QUERY, ...WAIT },
      headers: LAST_EVENT_ID,
      answers: { 200: media({ "text/event-stream": ChatStreamEvent }), 204: null },
    },
    async (services, caller, input) => {
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
    },
  ),

  streamJobEvents: operation(
    {
      method: "GET",
      path: "/api/jobs/{id}/events",
      scope: "jobs:read",
      orScope: "events:read",
      summary: "Stream job events",
      description: `${HOW} After the job's last event comes \`stream.end\`, and the stream closes.`,
      params: { id: JobId },
      query: { ...QUERY, ...WAIT },
      headers: LAST_EVENT_ID,
      answers: { 200: media({ "text/event-stream": JobStreamEvent }), 204: null },
    },
    (services, caller, input) =>
      streamOfJob(services, { caller, bearer: caller.principal }, streamRequest(input), {
        jobId: input.params.id,
        by: caller.principal,
      }),
  ),
};

/** Every invalid signed address gets the same answer. */
const SignedJobId = Id("job", "The job's id");

export const appStreamOperations = {
  streamSignedJobEvents: operation(
    {
      method: "GET",
      path: "/mcp-app/jobs/{id}/events",
      scope: null,
      signed: { headers: APP_STREAM_HEADERS },
      summary: "Stream job events by a signed URL",
      description:
        "A job's `links.app_stream` is a signed URL that can open the stream for five minutes. It sends the same events as the job's stream.",
      params: { id: SignedJobId },
      query: {
        sub: Type.String({ description: "User and token that the URL was issued to" }),
        exp: Type.String({ description: "Expiry of the URL, in Unix seconds" }),
        sig: Type.String({ description: "Signature of path, expiry and subject" }),
        ...QUERY,
      },
      headers: LAST_EVENT_ID,
      answers: { 200: media({ "text/event-stream": JobStreamEvent }), 204: null },
      errors: ["invalid_signature"],
    },
    async (services, caller, input) => {
      const by = caller.principal;
      const connection = { caller, bearer: by, lifeMs: APP_STREAM_MS, headers: APP_STREAM_HEADERS };
      const opened = await streamOfJob(services, connection, streamRequest(input), { jobId: input.params.id, by });
      return !opened.ok && opened.fault.kind === "not_found" ? refuse({ kind: "invalid_signature" }) : opened;
    },
  ),
};

/** Events that may end a chat turn. */
const TURN_ENDS: ReadonlySet<string> = new Set(["chat.updated", "message.completed", "error"]);

/** Events that end a job. */
const JOB_ENDS: ReadonlySet<string> = new Set(["job.completed", "job.failed", "job.cancelled"]);

type Answer = Promise<Outcome<Response>>;

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
  connection: StreamConnection,
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

/** The longest life of a stream. */
const APP_STREAM_MS = 60 * 60_000;
