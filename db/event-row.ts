/**
 * The form of an event in its row: the mark of the running text is stored with the data, under a key that no event type
 * uses.
 */
import type { StoredEvent, TextMark } from "../actors/runtime/store.ts";
import type { JsonObject } from "../actors/schema.ts";

const LIVE_KEY = "~live";

/** The `data` column of an event. */
export const dataColumn = ({ data, live }: StoredEvent): object =>
  live === undefined ? data : { ...data, [LIVE_KEY]: live };

/** The event of a row. */
export function eventOfRow({
  seq,
  type,
  at,
  data,
}: {
  seq: number;
  type: string;
  at: string;
  data: unknown;
}): StoredEvent {
  const { [LIVE_KEY]: live, ...rest } = data as JsonObject;
  const event = { seq, type, at, data: rest };
  return live === undefined ? event : { ...event, live: live as unknown as TextMark };
}
