/** The feed of events, to pull (HOOK-10). */
import { Type } from "../../../actors/schema.ts";
import { noun } from "../../http/noun.ts";
import { operationGroup } from "../../http/operation.ts";
import { LIMIT_QUERY } from "../paging.ts";
import { WebhookEventView } from "./view.ts";

export const eventOperations = operationGroup("Events", "What has happened, by its number", {
  listEvents: {
    method: "GET",
    path: "/api/events",
    scope: "events:read",
    summary: "Read the events after a number",
    description:
      "For owners, as the webhook is. The same bodies as webhooks deliver, oldest first. Ask again with `after` set to `last_sequence`. " +
      "Events are kept for 30 days.",
    query: {
      after: Type.Integer({
        minimum: 0,
        description: "The number of the last event that is known; absent: from the oldest",
      }),
      limit: LIMIT_QUERY,
    },
    answers: {
      200: noun("EventFeed", "Events by their numbers", {
        events: Type.Array(WebhookEventView),
        last_sequence: Type.Integer({ description: "Of the last event here, or `after` where there is none" }),
        has_more: Type.Boolean(),
      }),
    },
    errors: ["owner_required", "invalid_request", "event_not_retained"],
  },
});
