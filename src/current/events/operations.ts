/**
 * `GET /api/events`: an organization's events by number, for receivers that prefer to pull (HOOK-10). They reveal
 * everybody's work, even with private agents (AGT-5), so only owners may read them, as with the webhook.
 */
import { ok, refuse } from "../../../actors/fault.ts";
import { Type } from "../../../actors/schema.ts";
import { webhookRef } from "../../../actors/webhook/events.ts";
import { noun, Text } from "../../http/contract/noun.ts";
import { lookUp } from "../../log/look-up.ts";
import { operation } from "../../operations/operation.ts";
import { LIMIT, placeCursor, placeText } from "../paging.ts";
import { WebhookEventView, webhookEventView } from "./view.ts";

/** The largest event number. */
const LAST_SEQUENCE = 2_147_483_647;

/** The number of the last event of the previous page. It takes precedence over `after`. */
export const FeedCursor = placeCursor("events", LAST_SEQUENCE);

export const eventOperations = {
  listEvents: operation(
    {
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
        200: noun("EventFeed", "A page of events, oldest first", {
          events: Type.Array(WebhookEventView),
          last_sequence: Type.Integer({
            description: "Number of the last event on this page, or `after` if the page is empty",
          }),
          has_more: Type.Boolean({ description: "Whether there is a `next_cursor`" }),
          next_cursor: Type.Optional(Text("Cursor of the next page; absent on the last page", "WyJldmVudHMiLDI1XQ")),
        }),
      },
      errors: ["event_not_retained"],
    },
    async ({ system, webhooks, log, appUrl }, { principal: { organizationId } }, { query }) => {
      const from = query.cursor ?? query.after;
      const { limit } = query;
      const after = from ?? 0;
      // Events of requests answered before this one have their numbers by now; this read waits for their commit.
      const feed = await system.dispatch(webhookRef(organizationId), { kind: "read_feed" });
      if (!feed.ok) return feed;
      const found = await lookUp(log, webhooks.eventsAfter(organizationId, after, limit));
      if (!found.ok) return found;
      const oldest = found.value.records[0]?.sequence ?? feed.value.sequence + 1;
      if (from !== undefined && after < feed.value.sequence && oldest > after + 1)
        return refuse({ kind: "event_not_retained", oldest });
      const { records: events, hasMore } = found.value;
      const last = events.at(-1)?.sequence ?? after;
      return ok({
        events: events.map((event) => webhookEventView(event, appUrl())),
        last_sequence: last,
        has_more: hasMore,
        ...(hasMore ? { next_cursor: placeText("events", last) } : {}),
      });
    },
  ),
};
