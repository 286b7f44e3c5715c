/** Deliveries and events as the tables have them. Throws when the database cannot be reached. */
import type { ListHead, Page, PageRequest } from "../page.ts";
import type { EventType } from "./events.ts";
import type { EventHead, EventRange } from "./protocol.ts";
import type { SearchIntent } from "./queue.ts";
import type { Attempt, AttemptStatus, WebhookEvent } from "./schema.ts";

/** All that are given must match (HOOK-9). */
export interface AttemptFilter {
  /** Any of these. */
  readonly eventType?: readonly EventType[] | undefined;
  /** Any of these. */
  readonly status?: readonly AttemptStatus[] | undefined;
  readonly eventId?: string | undefined;
  /** ISO 8601; not before this. */
  readonly since?: string | undefined;
}

/** Attempts that wait. */
export interface FoundAttempts {
  /** Those that were looked for, due first, then by number. */
  readonly attemptIds: readonly string[];
  /** When the first of the others will be due; null where there are none. */
  readonly nextDueAt: string | null;
}

/** What the deliveries themselves need of the tables. */
export interface WebhookQueue {
  waiting(organizationId: string, search: SearchIntent): Promise<FoundAttempts>;
  /** Events of the range by number, at most `limit`. */
  eventsIn(organizationId: string, range: EventRange, limit: number): Promise<readonly EventHead[]>;
}

export interface WebhookDirectory extends WebhookQueue {
  /** The ledger, newest first. */
  pageAttempts(organizationId: string, filter: AttemptFilter, page: PageRequest): Promise<Page<Attempt>>;
  /** Events after this number, oldest first, at most `limit`. */
  eventsAfter(organizationId: string, after: number, limit: number): Promise<ListHead<WebhookEvent>>;
  /** The number of the oldest event that is kept; null where there is none. */
  oldestSequence(organizationId: string): Promise<number | null>;
}
