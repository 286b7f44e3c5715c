/**
 * The events that the streams of chats and jobs send, as schemas. They are made from the tables that the turns
 * append by, so a new type there is in the contract too. Each variant is one event: its name, its id if it moves the
 * cursor, and its data (SSE-2, SSE-3, SSE-7, SSE-8).
 */
import { CHAT_EVENTS } from "../../../actors/chat/events.ts";
import { HIDDEN_FIELDS, JOB_EVENTS } from "../../../actors/job/events.ts";
import { Nullable, OneOf, Timestamp, type TSchema, Type } from "../../../actors/schema.ts";
import { Count, Id, Text } from "../../http/contract/noun.ts";
import { ChatView } from "../chats/view.ts";
import { snakeCase, VERBATIM } from "../event-view.ts";
import { JobView } from "../jobs/view.ts";
import { CLOSING_REASONS } from "./record-stream.ts";

type Properties = Readonly<Record<string, TSchema>>;

/** The common fields of durable events. */
const head = (type: string): Properties => ({
  seq: Count("Number in the stream, from 1, without gaps"),
  type: Type.Literal(type),
  at: Timestamp,
});

/** The data of an event as the stream writes it: keys in snake_case, next to the common fields. */
function dataSchema(type: string, schema: TSchema): TSchema {
  const variants = schema["anyOf"] as readonly TSchema[] | undefined;
  if (variants !== undefined) return Type.Union(variants.map((variant) => dataSchema(type, variant)));
  return Type.Object({ ...head(type), ...snakeCasedProperties(schema), ...head(type) });
}

const snakeCasedProperties = (schema: TSchema): Record<string, TSchema> =>
  Object.fromEntries(
    Object.entries((schema["properties"] ?? {}) as Properties).flatMap(([key, value]) => {
      if (HIDDEN_FIELDS.has(key)) return [];
      const inner = VERBATIM.has(key) ? value : snakeCased(value);
      const isOptional = !((schema["required"] ?? []) as readonly string[]).includes(key);
      return [[snakeCase(key), isOptional ? Type.Optional(inner) : inner]];
    }),
  );

/** Mirrors `snakeCased` of the events: it converts nested objects, and leaves the contents of lists alone. */
function snakeCased(schema: TSchema): TSchema {
  const variants = schema["anyOf"] as readonly TSchema[] | undefined;
  if (variants !== undefined) return Type.Union(variants.map(snakeCased));
  return schema["properties"] === undefined ? schema : Type.Object(snakeCasedProperties(schema));
}

/** An event that moves its reader's cursor. */
const event = (name: string, cursor: string, data: TSchema): TSchema =>
  Type.Object({ event: Type.Literal(name), id: Text("Cursor of this event", cursor), data }, { title: name });
/** An event that does not move the cursor. */
const note = (name: string, data: TSchema): TSchema =>
  Type.Object({ event: Type.Literal(name), data }, { title: name });

/** Live text; it is not stored, and its id is the last seq plus the position reached in the text. */
const delta = (name: string): TSchema =>
  event(
    name,
    "12.480",
    Type.Object({
      message_id: Id("msg", "The message that it belongs to"),
      position: Count("Where the text ends in the message's content, in UTF-16 units"),
      text: Text("What is added", "Hel"),
    }),
  );

const RESET_REASONS = ["malformed", "ahead_of_head", "not_retained"] as const;
const NOTES: readonly TSchema[] = [
  note(
    "reset",
    Type.Object({
      reason: OneOf(RESET_REASONS, { description: "Why the cursor cannot be used" }),
      from_seq: Type.Integer({ description: "The replay begins with this event" }),
    }),
  ),
  note(
    "stream.closing",
    Type.Object({
      reason: OneOf(CLOSING_REASONS),
      resume_after: Nullable(Text("The cursor to resume from", "12.480")),
    }),
  ),
  note("stream.end", Type.Object({})),
];

const stream = (name: string, description: string, variants: readonly TSchema[]): TSchema =>
  Type.Union([...variants], { $id: name, title: name, description });
const recorded = (table: Readonly<Record<string, TSchema>>): readonly TSchema[] =>
  Object.entries(table).map(([type, schema]) => event(type, "12", dataSchema(type, schema)));

export const ChatStreamEvent = stream("ChatStreamEvent", "An event of a chat's stream", [
  note("snapshot", ChatView),
  ...recorded(CHAT_EVENTS),
  delta("message.delta"),
  ...NOTES,
]);
export const JobStreamEvent = stream("JobStreamEvent", "An event of a job's stream", [
  note("snapshot", JobView),
  ...recorded(JOB_EVENTS),
  delta("transcript.delta"),
  ...NOTES,
]);
