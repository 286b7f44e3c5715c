/**
 * The events that the streams of chats and jobs send, as schemas. They are generated from the tables that the turns
 * append by, so a new type there is in the contract too. Each variant is one event: its name, its id if it moves the
 * cursor, and its data (SSE-2, SSE-3, SSE-7, SSE-8).
 */
import { CHAT_EVENTS } from "../../../actors/chat/events.ts";
import { HIDDEN_FIELDS, JOB_EVENTS } from "../../../actors/job/events.ts";
import { Nullable, OneOf, Timestamp, type TSchema, Type } from "../../../actors/schema.ts";
import { Count, Id, noun, Text } from "../../http/contract/noun.ts";
import { ChatView } from "../chats/view.ts";
import { snakeCase, VERBATIM } from "../event-view.ts";
import { JobView } from "../jobs/view.ts";
import { CLOSING_REASONS } from "./record-stream.ts";
import type { FieldSchemas } from "../../http/contract/operation.ts";

/** The common fields of durable events. */
const head = (type: string): FieldSchemas => ({
  seq: Count("Number in the stream, from 1, without gaps"),
  type: Type.Literal(type),
  at: Timestamp,
});

/** The data of an event as the stream writes it: keys in snake_case, next to the common fields. */
function dataSchema(type: string, schema: TSchema): TSchema {
  const variants = schema["anyOf"] as readonly TSchema[] | undefined;
  if (variants !== undefined) return Type.Union(variants.map((variant) => dataSchema(type, variant)));
  return Type.Object({ ...head(type), ...snakeCasedProperties(schema), ...head(type) }, schemaName(schema));
}

/** The name of a schema in the contract, if it has one, and its description. */
const schemaName = ({ $id, description = "" }: TSchema) => ($id === undefined ? {} : { $id, description });

const snakeCasedProperties = (schema: TSchema): Record<string, TSchema> =>
  Object.fromEntries(
    Object.entries((schema["properties"] ?? {}) as FieldSchemas).flatMap(([key, value]) => {
      if (HIDDEN_FIELDS.has(key)) return [];
      const inner = VERBATIM.has(key) ? value : snakeCasedSchema(value);
      const isOptional = !((schema["required"] ?? []) as readonly string[]).includes(key);
      return [[snakeCase(key), isOptional ? Type.Optional(inner) : inner]];
    }),
  );

/** Mirrors `snakeCasedSchema` of the events: it converts nested objects, and leaves the contents of lists alone. */
function snakeCasedSchema(schema: TSchema): TSchema {
  const variants = schema["anyOf"] as readonly TSchema[] | undefined;
  if (variants !== undefined) return Type.Union(variants.map(snakeCasedSchema));
  return schema["properties"] === undefined ? schema : Type.Object(snakeCasedProperties(schema), schemaName(schema));
}

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** `message.created` of the stream `Chat` is `ChatMessageCreatedEvent`; no word is repeated. */
function eventName(stream: string, type: string): string {
  const words = type.split(/[._]/).map(capitalize);
  return [...(words[0] === stream ? [] : [stream]), ...words, ...(words.at(-1) === "Event" ? [] : ["Event"])].join("");
}

interface EventShape {
  readonly stream: "Chat" | "Job" | "Stream";
  readonly type: string;
  readonly about: string;
  readonly data: TSchema;
}

/** An event that moves its reader's cursor. */
const eventNoun = ({ stream, type, about, data }: EventShape, cursor: string): TSchema =>
  noun(eventName(stream, type), about, { event: Type.Literal(type), id: Text("Cursor of this event", cursor), data });
/** An event that does not move the cursor. */
const note = ({ stream, type, about, data }: EventShape): TSchema =>
  noun(eventName(stream, type), about, { event: Type.Literal(type), data });

const TextDeltaView = noun("TextDelta", "Text that was added to a message", {
  message_id: Id("msg", "The message that it belongs to"),
  position: Count("Where the text ends in the message's content, in UTF-16 units"),
  text: Text("The added text", "Hel"),
});
/** Live text; it is not stored, and its id is the last seq plus the position reached in the text. */
const deltaNoun = (stream: EventShape["stream"], type: string): TSchema =>
  eventNoun({ stream, type, about: "Live text; it is not stored", data: TextDeltaView }, "12.480");

const RESET_REASONS = ["malformed", "ahead_of_head", "not_retained"] as const;
const NOTES: readonly TSchema[] = [
  note({
    stream: "Stream",
    type: "reset",
    about: "The cursor cannot be used: drop what you have, and apply the events that follow",
    data: Type.Object({
      reason: OneOf(RESET_REASONS, { description: "Why the cursor cannot be used" }),
      from_seq: Type.Integer({ description: "The replay begins with this event" }),
    }),
  }),
  note({
    stream: "Stream",
    type: "stream.closing",
    about: "The service closes the connection; connect again with the cursor",
    data: Type.Object({
      reason: OneOf(CLOSING_REASONS, { description: "Why the service closes the connection" }),
      resume_after: Nullable(Text("The cursor to resume from", "12.480")),
    }),
  }),
  note({
    stream: "Stream",
    type: "stream.end",
    about: "The stream has ended; no event will follow",
    data: Type.Object({}),
  }),
];

function streamEvents(stream: "Chat" | "Job", snapshot: TSchema, table: Readonly<Record<string, TSchema>>): TSchema {
  const kind = stream.toLowerCase();
  const recorded = Object.entries(table).map(([type, schema]) =>
    eventNoun({ stream, type, about: String(schema.description), data: dataSchema(type, schema) }, "12"),
  );
  const first = note({
    stream,
    type: "snapshot",
    about: `The ${kind} as it is when the stream begins`,
    data: snapshot,
  });
  const name = `${stream}StreamEvent`;
  const text = deltaNoun(stream, stream === "Chat" ? "message.delta" : "transcript.delta");
  return Type.Union([first, ...recorded, text, ...NOTES], {
    $id: name,
    title: name,
    description: `An event of a ${kind}'s stream`,
  });
}

export const ChatStreamEvent = streamEvents("Chat", ChatView, CHAT_EVENTS);
export const JobStreamEvent = streamEvents("Job", JobView, JOB_EVENTS);
