/**
 * `GET /api/events`: the events of an organization by their numbers, for those who would rather pull (HOOK-10).
 * They tell of everybody's work, that with private agents too (AGT-5), so they are the owners', as the webhook is.
 */
import { ok, refuse } from "../../../actors/fault.ts";
import { unlessOwner } from "../../../actors/organization/principal.ts";
import { webhookRef } from "../../../actors/webhook/events.ts";
import { queryOf } from "../../http/exchange.ts";
import { lookUp } from "../../http/look-up.ts";
import type { Handlers } from "../../http/operation.ts";
import { operationRoutes } from "../../http/operation-routes.ts";
import type { Surface } from "../../http/surface.ts";
import { PAGE_DEFAULT } from "../../../actors/page.ts";
import { integerOf, limitOf } from "../paging.ts";
import type { CurrentParts } from "../parts.ts";
import { eventOperations } from "./operations.ts";
import { webhookEventView } from "./view.ts";

const LAST = 2_147_483_647;

export const eventRoutes = (current: Surface, parts: CurrentParts) =>
  operationRoutes(current, eventOperations, handlers(parts));

const handlers = ({ system, webhooks, log, appUrl }: CurrentParts): Handlers<typeof eventOperations.operations> => ({
  async listEvents({ request, principal }) {
    const refused = unlessOwner(principal);
    if (refused !== null) return refused;
    const { organizationId } = principal;
    const query = queryOf(request.url);
    const limit = limitOf(query, PAGE_DEFAULT);
    if (!limit.ok) return limit;
    const after = integerOf(query, "after", { min: 0, max: LAST, fallback: 0 });
    if (!after.ok) return after;
    // What was answered before this request has its number by now, and this waits for its commit.
    const feed = await system.dispatch(webhookRef(organizationId), { kind: "read_feed" });
    if (!feed.ok) return feed;
    const found = await lookUp(log, webhooks.eventsAfter(organizationId, after.value, limit.value));
    if (!found.ok) return found;
    const isGiven = (query.get("after") ?? "") !== "";
    const oldest = found.value.records[0]?.sequence ?? feed.value.sequence + 1;
    if (isGiven && after.value < feed.value.sequence && oldest > after.value + 1)
      return refuse({ kind: "event_not_retained", oldest });
    const { records: events, hasMore } = found.value;
    return ok({
      events: events.map((event) => webhookEventView(event, appUrl())),
      last_sequence: events.at(-1)?.sequence ?? after.value,
      has_more: hasMore,
    });
  },
});
