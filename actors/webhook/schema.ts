/**
 * The nouns of webhooks: where events are sent to, the events themselves, the attempts to deliver
 * them (which are the ledger and the queue at once), and the feed, which knows what comes next.
 */
import { table } from "../runtime/actor.ts";
import type { SealingContext } from "../sealing.ts";
import { type JsonObject, OneOf, RecordBase, type Static, Timestamp, Type } from "../schema.ts";
import { EVENT_SOURCES, EVENT_TYPES, EventActor, EventResource } from "./events.ts";
import { RETRY_PROFILES } from "./policy.ts";

const OptionalText = Type.Union([Type.String(), Type.Null()]);
const OptionalTime = Type.Union([Timestamp, Type.Null()]);
const OptionalInteger = Type.Union([Type.Integer(), Type.Null()]);

/** Why delivery was switched off by the service: the receiver has said 410, or everything failed for days. */
export const DISABLED_REASONS = ["gone", "failing"] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** Where an organization's events go (HOOK-1). Secrets are sealed; they open for this organization only. */
export const Destination = Type.Object({
  ...RecordBase,
  name: Type.String(),
  url: Type.String(),
  enabled: Type.Boolean(),
  /** Empty: all. */
  eventTypes: Type.Array(Type.String()),
  retryProfile: OneOf(RETRY_PROFILES),
  disabledReason: Type.Union([OneOf(DISABLED_REASONS), Type.Null()]),
  secret: Type.Object({ sealed: Type.String(), last4: Type.String() }),
  /** The secret before the last rotation, which counts until then (HOOK-8). */
  formerSecret: Type.Union([Type.Object({ sealed: Type.String(), until: Timestamp }), Type.Null()]),
});
export type Destination = Static<typeof Destination>;

/** An event with its number: from 1, without a gap within the organization (HOOK-2). */
export const WebhookEvent = Type.Object({
  ...RecordBase,
  sequence: Type.Integer({ minimum: 1 }),
  type: OneOf(EVENT_TYPES),
  source: OneOf(EVENT_SOURCES),
  at: Timestamp,
  actor: EventActor,
  requestId: OptionalText,
  resource: EventResource,
  data: Type.Unsafe<JsonObject>({ type: "object" }),
  isTruncated: Type.Boolean(),
  changes: Type.Array(Type.String()),
  /** The carrier of the trace in which it happened (`actors/runtime/tracing.ts`). */
  trace: Type.Optional(Type.String()),
});
export type WebhookEvent = Static<typeof WebhookEvent>;

export const ATTEMPT_STATUSES = ["pending", "success", "failed", "retrying", "skipped"] as const;
export type AttemptStatus = (typeof ATTEMPT_STATUSES)[number];
export const ATTEMPT_ERRORS = [
  "timeout",
  "dns_error",
  "tls_error",
  "connection_refused",
  "connection_reset",
  "blocked_address",
  "http_error",
] as const;
export type AttemptError = (typeof ATTEMPT_ERRORS)[number];
export const TRIGGERS = ["automatic", "redelivery", "test"] as const;

/**
 * One attempt to deliver an event: a row of the ledger (HOOK-9).
 *
 *   pending ─┬─▶ success
 *            ├─▶ failed            for good
 *            ├─▶ retrying          the next attempt is another row
 *            └─▶ skipped           delivery was switched off meanwhile
 */
export const Attempt = Type.Object({
  ...RecordBase,
  eventId: Type.String(),
  eventType: OneOf(EVENT_TYPES),
  source: OneOf(EVENT_SOURCES),
  sequence: Type.Integer(),
  /** From 1, within one delivery. */
  attempt: Type.Integer({ minimum: 1 }),
  /** Attempts of this delivery before it that the receiver has failed. */
  failures: Type.Integer({ minimum: 0 }),
  status: OneOf(ATTEMPT_STATUSES),
  httpStatus: OptionalInteger,
  error: Type.Union([OneOf(ATTEMPT_ERRORS), Type.Null()]),
  durationMs: OptionalInteger,
  /** Redacted. */
  destinationHost: Type.String(),
  /** The same for all attempts of one delivery (HOOK-7). */
  deliveryKey: Type.String(),
  trigger: OneOf(TRIGGERS),
  /** When it may be made. */
  dueAt: Timestamp,
  /** When the next one may be made; null where none follows. */
  nextAttemptAt: OptionalTime,
});
export type Attempt = Static<typeof Attempt>;

/** What an organization's deliveries have come to; one record. */
export const Feed = Type.Object({
  ...RecordBase,
  /** The number of the last event. */
  sequence: Type.Integer({ minimum: 0 }),
  inFlight: Type.Array(Type.Object({ attemptId: Type.String(), effectId: Type.String() })),
  /** Attempts that are due and come next, in their order. */
  ready: Type.Array(Type.String()),
  /** Whether the table may have more that are due. */
  hasMore: Type.Boolean(),
  /** The effect that looks for them. */
  search: OptionalText,
  /** Whether more have come while it looks. */
  isSearchStale: Type.Boolean(),
  /** The next look for retries that fall due. */
  wakeAt: OptionalTime,
  /** Bulk redeliveries under way, by their effects. */
  redeliveries: Type.Array(Type.String()),
  lastSuccessAt: OptionalTime,
  lastFailureAt: OptionalTime,
  /** Since when every attempt has failed. */
  failingSince: OptionalTime,
});
export type Feed = Static<typeof Feed>;

export const destinationTable = table<Destination>("webhook_destination");
export const webhookEventTable = table<WebhookEvent>("webhook_event");
export const attemptTable = table<Attempt>("webhook_attempt");
export const feedTable = table<Feed>("webhook_feed");

/** Where signing secrets are sealed: they open for their organization only. */
export const signingContext = (organizationId: string): SealingContext => [organizationId, "signing_secret"];
