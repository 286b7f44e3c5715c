/** Deliveries and events as the tables have them (port: `WebhookDirectory`). */
import { and, asc, eq, gt, gte, lte, min, or, type SQL, sql } from "drizzle-orm";
import type { ListHead, Page, PageRequest } from "../../actors/page.ts";
import type { AttemptFilter, FoundAttempts, WebhookDirectory } from "../../actors/webhook/directory.ts";
import type { EventHead, EventRange } from "../../actors/webhook/protocol.ts";
import type { SearchIntent } from "../../actors/webhook/queue.ts";
import type { Attempt, WebhookEvent } from "../../actors/webhook/schema.ts";
import type { Database } from "../client.ts";
import { webhookAttempt, webhookEvent } from "../tables/records.ts";
import { headOf, pageOf } from "./paging.ts";

export class PostgresWebhookDirectory implements WebhookDirectory {
  private readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  async waiting(organizationId: string, { until, limit }: SearchIntent): Promise<FoundAttempts> {
    const { query } = this.database;
    const { dueAt, sequence, id, status } = webhookAttempt;
    // As the index is: the planner must see the literal.
    const isWaiting = and(eq(webhookAttempt.organizationId, organizationId), sql`${status} = 'pending'`);
    const [rows, others] = await this.database.answered(
      Promise.all([
        query
          .select({ id })
          .from(webhookAttempt)
          .where(and(isWaiting, until === null ? undefined : lte(dueAt, until)))
          .orderBy(asc(dueAt), asc(sequence))
          .limit(limit),
        until === null
          ? []
          : query
              .select({ dueAt: min(dueAt) })
              .from(webhookAttempt)
              .where(and(isWaiting, gt(dueAt, until))),
      ]),
    );
    return { attemptIds: rows.map((row) => row.id), nextDueAt: others[0]?.dueAt ?? null };
  }

  async eventsIn(
    organizationId: string,
    { after, until, eventTypes }: EventRange,
    limit: number,
  ): Promise<readonly EventHead[]> {
    const ofTypes = eventTypes.map((entry) =>
      entry.endsWith(".*")
        ? sql`starts_with(${webhookEvent.type}, ${entry.slice(0, -1)})`
        : eq(webhookEvent.type, entry),
    );
    const rows = await this.database.answered(
      this.database.query
        .select({ body: webhookEvent.body })
        .from(webhookEvent)
        .where(
          and(
            eq(webhookEvent.organizationId, organizationId),
            gt(webhookEvent.sequence, after),
            lte(webhookEvent.sequence, until),
            or(...ofTypes),
          ),
        )
        .orderBy(asc(webhookEvent.sequence))
        .limit(limit),
    );
    return rows.map(({ body }) => {
      const { id, type, source, sequence } = body as WebhookEvent;
      return { id, type, source, sequence };
    });
  }

  pageAttempts(organizationId: string, filter: AttemptFilter, page: PageRequest): Promise<Page<Attempt>> {
    const conditions: SQL[] = [eq(webhookAttempt.organizationId, organizationId)];
    if (filter.eventType !== undefined) conditions.push(eq(webhookAttempt.eventType, filter.eventType));
    if (filter.status !== undefined) conditions.push(eq(webhookAttempt.status, filter.status));
    if (filter.eventId !== undefined) conditions.push(eq(webhookAttempt.eventId, filter.eventId));
    if (filter.since !== undefined) conditions.push(gte(webhookAttempt.createdAt, filter.since));
    return pageOf<Attempt>(this.database, webhookAttempt, conditions, page);
  }

  eventsAfter(organizationId: string, after: number, limit: number): Promise<ListHead<WebhookEvent>> {
    const { body, sequence } = webhookEvent;
    const conditions = [eq(webhookEvent.organizationId, organizationId), gt(sequence, after)];
    return headOf(this.database, { table: webhookEvent, body, conditions, order: asc(sequence), limit });
  }

  async oldestSequence(organizationId: string): Promise<number | null> {
    const rows = await this.database.query
      .select({ sequence: min(webhookEvent.sequence) })
      .from(webhookEvent)
      .where(eq(webhookEvent.organizationId, organizationId));
    return rows[0]?.sequence ?? null;
  }
}
