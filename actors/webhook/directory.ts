/** Deliveries and events in the tables. Throws when the database cannot be reached. */
import type { ListHead, Page, PageRequest } from "../page.ts";
import type { EventType } from "./events.ts";
import type { EventHead, EventRange } from "./protocol.ts";
import type { SearchIntent } from "./queue.ts";
import type { Attempt, AttemptStatus, WebhookEvent } from "./schema.ts";

/** All given filters must match (HOOK-9). */
export interface AttemptFilter {
  /** Any of these. */
  readonly eventType?: readonly EventType[] | undefined;
  /** Any of these. */
  readonly status?: readonly AttemptStatus[] | undefined;
  readonly eventId?: string | undefined;
  /** ISO 8601; not before this. */
  readonly since?: string | undefined;
}

/** Waiting attempts. */
export interface FoundAttempts {
  /** The attempts that the search has found, earliest due first, then by number. */
  readonly attemptIds: readonly string[];
  /** When the first of the other attempts is due; null if there are none. */
  readonly nextDueAt: string | null;
}

/** The tables' port for the deliveries themselves. */
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
  /** The number of the oldest kept event; null if there is none. */
  oldestSequence(organizationId: string): Promise<number | null>;
}
