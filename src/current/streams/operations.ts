/** The event streams, as operations (SSE-1 to SSE-9). */
import { Type } from "../../../actors/schema.ts";
import { Id, Text } from "../../http/noun.ts";
import { media, operationGroup } from "../../http/operation.ts";
import { RECENT_EVENTS } from "./cursor.ts";
import { ChatStreamEvent, JobStreamEvent } from "./event-schema.ts";

/** Pages of any origin may read a signed stream, and nobody is to keep its address. */
export const APP_STREAM_HEADERS = {
  "access-control-allow-origin": "*",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store, no-transform",
};

const QUERY = {
  after: Text("The cursor to go on from; the header `Last-Event-ID` comes before it", "12.480"),
  replay: Type.String({
    default: String(RECENT_EVENTS),
    description: "Durable events to begin with where there is no cursor: a number, or `all`",
  }),
};
const WAIT = {
  wait: Type.Literal("end", { description: "Closes the stream of a chat when its turn ends; a job's closes anyway" }),
};
const HOW =
  "A `snapshot` of the record comes first, then recent events, then what happens. The id of an event is the cursor to come back with: nothing is missed and nothing told twice. A cursor that is of no use is told by `reset`. Comments are heartbeats.";

export const streamOperations = operationGroup("Streams", "Server-sent events that go on where they were left", {
  streamChatEvents: {
    method: "GET",
    path: "/api/chats/{id}/events",
    scope: "chats:read",
    orScope: "events:read",
    summary: "Stream chat events",
    description: `${HOW} The stream stays open, unless \`wait=end\` is asked for.`,
    params: { id: Id("cht", "The chat's id") },
    query: { ...QUERY, ...WAIT },
    answers: { 200: media({ "text/event-stream": ChatStreamEvent }) },
    errors: ["not_found", "invalid_request"],
  },
  streamJobEvents: {
    method: "GET",
    path: "/api/jobs/{id}/events",
    scope: "jobs:read",
    orScope: "events:read",
    summary: "Stream job events",
    description: `${HOW} After the job's last event comes \`stream.end\`, and the stream closes.`,
    params: { id: Id("job", "The job's id") },
    query: { ...QUERY, ...WAIT },
    answers: { 200: media({ "text/event-stream": JobStreamEvent }) },
    errors: ["not_found", "invalid_request"],
  },
});

export const appStreamOperations = operationGroup("Embedded pages", "Streams for pages that hold no token", {
  streamSignedJobEvents: {
    method: "GET",
    path: "/mcp-app/jobs/{id}/events",
    scope: null,
    signed: { headers: APP_STREAM_HEADERS },
    summary: "Stream job events by a signed address",
    description:
      "A job's `links.app_stream` is such an address; it opens the stream for five minutes. The events are those of the job's stream.",
    params: { id: Id("job", "The job's id") },
    query: {
      sub: Type.String({ description: "Who the address was given to" }),
      exp: Type.String({ description: "Until when it opens the stream, in Unix seconds" }),
      sig: Type.String({ description: "The signature of all of it" }),
      ...QUERY,
    },
    answers: { 200: media({ "text/event-stream": JobStreamEvent }) },
    errors: ["invalid_signature", "invalid_request"],
  },
});
