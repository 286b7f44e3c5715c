/** The event streams, as operations (SSE-1 to SSE-9). */
import { Type } from "../../../actors/schema.ts";
import { bad, good, textField, withDefault } from "../../http/contract/field.ts";
import { Id, Text } from "../../http/contract/noun.ts";
import { media, operationGroup } from "../../http/contract/operation.ts";
import { LAST_EVENT_ID } from "../../http/contract/request-headers.ts";
import { ChatId, JobId } from "../path-ids.ts";
import { RECENT_EVENTS } from "./cursor.ts";
import { ChatStreamEvent, JobStreamEvent } from "./event-schema.ts";

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
  wait: Type.Literal("end", { description: "Closes the stream of a chat when its turn ends; a job's closes anyway" }),
};
const HOW =
  "A `snapshot` of the record comes first, then recent events, then live events. The id of an event is the cursor to resume from, without a gap or a repetition. `reset` means that the cursor cannot be used. Comments are heartbeats. A stream that has ended answers 204 to the cursor of its end.";

export const streamOperations = operationGroup("Streams", "Server-sent events that resume where they were cut", {
  streamChatEvents: {
    method: "GET",
    path: "/api/chats/{id}/events",
    scope: "chats:read",
    orScope: "events:read",
    summary: "Stream chat events",
    description: `${HOW} The stream stays open, unless \`wait=end\` is asked for.`,
    params: { id: ChatId },
    query: { ...QUERY, ...WAIT },
    headers: LAST_EVENT_ID,
    answers: { 200: media({ "text/event-stream": ChatStreamEvent }), 204: null },
    errors: ["not_found", "invalid_request"],
  },
  streamJobEvents: {
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
    errors: ["not_found", "invalid_request"],
  },
});

/** Every invalid signed address gets the same answer. */
const SignedJobId = Id("job", "The job's id");

export const appStreamOperations = operationGroup("Embedded pages", "Streams for pages that hold no token", {
  streamSignedJobEvents: {
    method: "GET",
    path: "/mcp-app/jobs/{id}/events",
    scope: null,
    signed: { headers: APP_STREAM_HEADERS },
    summary: "Stream job events by a signed address",
    description:
      "A job's `links.app_stream` is a signed address; it opens the stream for five minutes. The events are those of the job's stream.",
    params: { id: SignedJobId },
    query: {
      sub: Type.String({ description: "The user and token that the address was issued to" }),
      exp: Type.String({ description: "Expiry of the address, in Unix seconds" }),
      sig: Type.String({ description: "Signature of path, expiry and subject" }),
      ...QUERY,
    },
    headers: LAST_EVENT_ID,
    answers: { 200: media({ "text/event-stream": JobStreamEvent }), 204: null },
    errors: ["invalid_signature", "invalid_request"],
  },
});
