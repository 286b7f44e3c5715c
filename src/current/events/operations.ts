/** The feed of events, for pulling (HOOK-10). */
import { Type } from "../../../actors/schema.ts";
import { noun, Text } from "../../http/contract/noun.ts";
import { operationGroup } from "../../http/contract/operation.ts";
import { LIMIT, placeCursor } from "../paging.ts";
import { WebhookEventView } from "./view.ts";

/** The largest event number. */
const LAST_SEQUENCE = 2_147_483_647;
/** The number of the last event of the previous page. It takes precedence over `after`. */
export const FeedCursor = placeCursor("events", LAST_SEQUENCE);

export const eventOperations = operationGroup("Events", "The event feed, by number", {
  listEvents: {
    method: "GET",
    path: "/api/events",
    scope: "events:read",
    isForOwners: true,
    summary: "Read the events after a number",
    description:
      "For owners. The same bodies that webhooks deliver, oldest first. `next_cursor` leads to the next page. " +
      "After the last page, continue later with `after` set to `last_sequence`. Events are retained for 30 days.",
    query: {
      after: Type.Integer({
        minimum: 0,
        maximum: LAST_SEQUENCE,
        description: "The number of the last event that you have; omitted: from the oldest",
      }),
      limit: LIMIT,
      cursor: FeedCursor,
    },
    answers: {
      200: noun("EventFeed", "Events by their numbers", {
        events: Type.Array(WebhookEventView),
        last_sequence: Type.Integer({ description: "The number of the last event here, or `after` if there are none" }),
        has_more: Type.Boolean({ description: "Whether there is a `next_cursor`" }),
        next_cursor: Type.Optional(Text("Cursor of the next page; absent on the last page", "WyJldmVudHMiLDI1XQ")),
      }),
    },
    errors: ["invalid_request", "invalid_cursor", "event_not_retained"],
  },
});
