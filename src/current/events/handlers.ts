/**
 * `GET /api/events`: an organization's events by number, for receivers that prefer to pull (HOOK-10). They reveal
 * everybody's work, even with private agents (AGT-5), so only owners may read them, as with the webhook.
 */
import { ok, refuse } from "../../../actors/fault.ts";
import { webhookRef } from "../../../actors/webhook/events.ts";
import type { Handlers } from "../../http/contract/operation.ts";
import { lookUp } from "../../log/look-up.ts";
import { placeText } from "../paging.ts";
import type { Services } from "../../operations/services.ts";
import type { eventOperations } from "./operations.ts";
import { webhookEventView } from "./view.ts";

export const eventHandlers: Handlers<typeof eventOperations.operations, Services> = {
  async listEvents({ system, webhooks, log, appUrl }, { principal: { organizationId } }, { query }) {
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
};
