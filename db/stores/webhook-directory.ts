/** Deliveries and events in the tables. */
import { excludedSources, namedTypes } from "../../actors/webhook/events.ts";
import { and, asc, eq, gt, gte, lte, min, notInArray, or, sql } from "drizzle-orm";
import type { ListHead, Page, PageRequest } from "../../actors/page.ts";
import type { AttemptFilter, FoundAttempts, WebhookDirectory } from "../../actors/webhook/directory.ts";
import type { EventHead, EventRange } from "../../actors/webhook/protocol.ts";
import type { SearchIntent } from "../../actors/webhook/queue.ts";
import { type Attempt, ATTEMPT_STATUSES, type WebhookEvent } from "../../actors/webhook/schema.ts";
import { webhookAttempt, webhookEvent } from "../tables/records.ts";
import { givenFilters, type Walks } from "./index-walk.ts";
import { OverTables } from "./over-tables.ts";
import { readListHead } from "./paging.ts";

const ATTEMPTS: Walks = {
  table: webhookAttempt,
  indexes: [[webhookAttempt.eventId], [webhookAttempt.eventType, webhookAttempt.status], [webhookAttempt.status]],
  words: [[webhookAttempt.status, ATTEMPT_STATUSES]],
};

export class PostgresWebhookDirectory extends OverTables implements WebhookDirectory {
  async waiting(organizationId: string, { lane, until, limit, without = [] }: SearchIntent): Promise<FoundAttempts> {
    const { dueAt, sequence, id, status } = webhookAttempt;
    // Written as in the index: the planner must see the literal.
    const isWaiting = and(
      eq(webhookAttempt.organizationId, organizationId),
      sql`${status} = 'pending'`,
      sql`${webhookAttempt.body} -> 'push' is ${lane === "pushes" ? sql`not null` : sql`null`}`,
    );
    const isOfOthers =
      without.length === 0 ? undefined : notInArray(sql`${webhookAttempt.body} ->> 'destinationHost'`, [...without]);
    const isDue = and(isWaiting, isOfOthers, until === null ? undefined : lte(dueAt, until));
    const order = [asc(dueAt), asc(sequence)];
    const attemptIds = await this.column<string>(["load", organizationId], id, isDue, { order, limit });
    const others =
      until === null
        ? []
        : await this.database.reading("load", organizationId, ({ query }) =>
            query
              .select({ dueAt: min(dueAt) })
              .from(webhookAttempt)
              .where(and(isWaiting, gt(dueAt, until))),
          );
    return { attemptIds, nextDueAt: others[0]?.dueAt ?? null };
  }

  async eventsIn(
    organizationId: string,
    { after, until, eventTypes }: EventRange,
    limit: number,
  ): Promise<readonly EventHead[]> {
    const excluded = excludedSources(eventTypes);
    const ofTypes = namedTypes(eventTypes).map((entry) =>
      entry.endsWith(".*")
        ? sql`starts_with(${webhookEvent.type}, ${entry.slice(0, -1)})`
        : eq(webhookEvent.type, entry),
    );
    const test = and(
      eq(webhookEvent.organizationId, organizationId),
      gt(webhookEvent.sequence, after),
      lte(webhookEvent.sequence, until),
      or(...ofTypes),
      ...excluded.map((source) => sql`${webhookEvent.body} ->> 'source' <> ${source}`),
    );
    const found = { order: [asc(webhookEvent.sequence)], limit };
    const events = await this.column<WebhookEvent>(["load", organizationId], webhookEvent.body, test, found);
    return events.map(({ id, type, source, sequence }) => ({ id, type, source, sequence }));
  }

  pageAttempts(organizationId: string, filter: AttemptFilter, page: PageRequest): Promise<Page<Attempt>> {
    const { eventType, status, eventId, since } = filter;
    const filters = givenFilters(
      [webhookAttempt.eventId, eventId],
      [webhookAttempt.eventType, eventType],
      [webhookAttempt.status, status],
    );
    const range = since === undefined ? undefined : gte(webhookAttempt.createdAt, since);
    return this.page<Attempt>(ATTEMPTS, organizationId, page, { filters, range });
  }

  eventsAfter(organizationId: string, after: number, limit: number): Promise<ListHead<WebhookEvent>> {
    const { body, sequence } = webhookEvent;
    const conditions = [eq(webhookEvent.organizationId, organizationId), gt(sequence, after)];
    return readListHead(
      { database: this.database, organizationId },
      { table: webhookEvent, body, conditions, number: "sequence", direction: "asc", limit },
    );
  }

  async oldestSequence(organizationId: string): Promise<number | null> {
    const rows = await this.database.reading("list", organizationId, ({ query }) =>
      query
        .select({ sequence: min(webhookEvent.sequence) })
        .from(webhookEvent)
        .where(eq(webhookEvent.organizationId, organizationId)),
    );
    return rows[0]?.sequence ?? null;
  }
}
