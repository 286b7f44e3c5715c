/**
 * Durable events as the current surface shows them: `{seq, type, at, data}`, with the keys of the data in snake_case
 * (GEN-1).
 */
import { isExactNumber } from "../../actors/exact-json.ts";
import { HIDDEN_FIELDS } from "../../actors/job/events.ts";
import type { StoredEvent } from "../../actors/runtime/store.ts";
import { type Json, type JsonObject, Timestamp, Type } from "../../actors/schema.ts";
import { visibleJson } from "../../actors/visible-text.ts";
import { Count, noun, OpenObject, Text } from "../http/contract/noun.ts";
import type { Shown } from "../http/contract/operation.ts";

const EventView = noun("RecordedEvent", "A durable event of a stream", {
  seq: Count("Number of the event in the stream"),
  type: Text("Type of the event", "job.started"),
  at: Timestamp,
  data: OpenObject("The event's data; the stream's own events define the fields of each type"),
});
export const EventPageView = noun("EventPage", "Durable events, oldest first", {
  events: Type.Array(EventView),
  next_cursor: Type.Optional(
    Type.String({ description: "Value of `after` for the next page; absent on the last page" }),
  ),
});

export const eventView = ({ seq, type, at, data }: StoredEvent): Shown<typeof EventView> => ({
  seq,
  type,
  at,
  data: snakeCasedData(data),
});

/** The values of these keys come from the caller or a tool, and stay unchanged. */
export const VERBATIM: ReadonlySet<string> = new Set(["input", "arguments", "metadata"]);

/** The data with its keys in snake_case, without the fields that no client sees. */
export function snakeCasedData(data: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(data).flatMap(([key, value]) =>
      HIDDEN_FIELDS.has(key)
        ? []
        : [[snakeCase(key), VERBATIM.has(key) ? verbatim(key, value) : snakeCasedValue(value)]],
    ),
  );
}

/** A model's arguments may contain anything that it has read on a page; metadata belongs to the caller. */
const verbatim = (key: string, value: Json | undefined): Json | undefined =>
  key === "metadata" || typeof value !== "object" ? value : visibleJson(value);

function snakeCasedValue(value: Json | undefined): Json | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value)
    ? snakeCasedData(value as JsonObject)
    : value;
}

export const snakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
