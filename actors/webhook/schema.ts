/**
 * The nouns of webhooks: the destination, the events, the attempts to deliver them (ledger and queue in one), and the
 * feed, which knows what comes next.
 */
import { table } from "../runtime/actor.ts";
import type { SealingContext } from "../sealing.ts";
import {
  type JsonObject,
  NullableText,
  NullableTime,
  OneOf,
  RecordBase,
  type Static,
  Timestamp,
  Type,
} from "../schema.ts";
import { EVENT_SOURCES, EVENT_TYPES, EventActor, EventResource } from "./events.ts";
import { RETRY_PROFILES } from "../delivery-retries.ts";

const OptionalInteger = Type.Union([Type.Integer(), Type.Null()]);

/** Why the service switched off delivery: the receiver answered 410, or everything failed for days. */
export const DISABLED_REASONS = ["gone", "failing"] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** What a check of a delivery's signature finds (HOOK-10). */
export const SIGNATURE_FINDINGS = [
  "valid",
  "missing_signature",
  "malformed_signature",
  "timestamp_out_of_tolerance",
  "wrong_secret_encoding",
  "body_changed",
  "signature_mismatch",
] as const;
export interface VerifiedSignature {
  readonly kind: (typeof SIGNATURE_FINDINGS)[number];
  readonly message: string;
}

/** The destination of an organization's events (HOOK-1). Secrets are sealed; they open only for this organization. */
export const WebhookDestination = Type.Object({
  ...RecordBase,
  name: Type.String(),
  url: Type.String(),
  enabled: Type.Boolean(),
  /** Empty: all. */
  eventTypes: Type.Array(Type.String()),
  retryProfile: OneOf(RETRY_PROFILES),
  disabledReason: Type.Union([OneOf(DISABLED_REASONS), Type.Null()]),
  secret: Type.Object({ sealed: Type.String(), last4: Type.String() }),
  /** The secret before the last rotation, valid until this time (HOOK-8). */
  formerSecret: Type.Union([Type.Object({ sealed: Type.String(), until: Timestamp }), Type.Null()]),
});
export type WebhookDestination = Static<typeof WebhookDestination>;

/** An event with its number: from 1, without gaps within the organization (HOOK-2). */
export const WebhookEvent = Type.Object({
  ...RecordBase,
  sequence: Type.Integer({ minimum: 1 }),
  type: OneOf(EVENT_TYPES),
  source: OneOf(EVENT_SOURCES),
  at: Timestamp,
  actor: EventActor,
  requestId: NullableText,
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
export const TRIGGERS = ["automatic", "redelivery", "test", "push"] as const;

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
  /** Earlier attempts of this delivery that failed because of the receiver. */
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
  /** Whom it tells the state of a job; absent: it goes to the organization's destination. */
  push: Type.Optional(Type.Object({ jobId: Type.String(), id: Type.String() })),
  /** The earliest time for this attempt. */
  dueAt: Timestamp,
  /** The earliest time for the next attempt; null if none follows. */
  nextAttemptAt: NullableTime,
});
export type Attempt = Static<typeof Attempt>;

/** An address that gets the states of a job. */
const JobPush = Type.Object({
  id: Type.String(),
  url: Type.String(),
  /** The name of the scheme in `Authorization`, which clients see; null: the address needs none. */
  scheme: NullableText,
  /** What the receiver checks, sealed: JSON of `PushSecrets`; null: nothing, or it is done. */
  sealed: NullableText,
  /** The event with the newest state; null: none so far. */
  eventId: NullableText,
  /** Whether it was told the last state, or nobody could be told. */
  isDone: Type.Boolean(),
  /** Who has named it: nothing is sent once they are no member. Absent in records of before. */
  userId: Type.Optional(Type.String()),
});
export type JobPush = Static<typeof JobPush>;

/** The addresses of one job; the record has the job's id. */
const JobPushes = Type.Object({ ...RecordBase, isOver: Type.Boolean(), pushes: Type.Array(JobPush) });
export type JobPushes = Static<typeof JobPushes>;

/** What a sealed text has. */
export interface PushSecrets {
  readonly token?: string;
  readonly credentials?: string;
}

/** How many deliveries were given up, and the first and the last number of their events. */
const Undelivered = Type.Object({
  deliveries: Type.Integer({ minimum: 1 }),
  sinceSequence: Type.Integer({ minimum: 1 }),
  untilSequence: Type.Integer({ minimum: 1 }),
});
export type Undelivered = Static<typeof Undelivered>;

/** Attempts that share places in flight, and the search for the next ones. */
const laneFields = {
  inFlight: Type.Array(
    Type.Object({
      attemptId: Type.String(),
      effectId: Type.String(),
      /** The redacted host of an address of a job. */
      host: Type.Optional(Type.String()),
    }),
  ),
  /** Due attempts that come next, in order. */
  ready: Type.Array(Type.String()),
  /** Redacted hosts that have their share of the places, and more due attempts in the table. */
  behind: Type.Optional(Type.Array(Type.String())),
  /** Redacted hosts that did not answer the last attempt, the newest last. */
  silent: Type.Optional(Type.Array(Type.String())),
  /** Whether the table may have more due attempts. */
  hasMore: Type.Boolean(),
  /** The effect that searches for them. */
  search: NullableText,
  /** Whether more became due during the search. */
  isSearchStale: Type.Boolean(),
  /** The time of the next search for due retries. */
  wakeAt: NullableTime,
};
const DeliveryLane = Type.Object(laneFields);
export type DeliveryLane = Static<typeof DeliveryLane>;

/** The state of an organization's deliveries; one record. Its own lane is that of the organization's destination. */
export const Feed = Type.Object({
  ...RecordBase,
  /** The number of the last event. */
  sequence: Type.Integer({ minimum: 0 }),
  ...laneFields,
  /** The lane of the addresses of jobs (`pushes.ts`). Absent in records of before, whose own lane had both. */
  pushes: Type.Optional(DeliveryLane),
  /** Whether the table may have attempts that are to be skipped, because delivery is off. */
  hasSkips: Type.Optional(Type.Boolean()),
  /** Bulk redeliveries in progress, by their effects. */
  redeliveries: Type.Array(Type.String()),
  lastSuccessAt: NullableTime,
  lastFailureAt: NullableTime,
  /** Since when every attempt has failed. */
  failingSince: NullableTime,
  /** Events whose deliveries were given up and whose range has not been redelivered since. */
  undelivered: Type.Optional(Type.Union([Undelivered, Type.Null()])),
});
export type Feed = Static<typeof Feed>;

export const destinationTable = table<WebhookDestination>("webhook_destination");
/** Beside the organization's own destination. */
export const jobPushTable = table<JobPushes>("webhook_destination");

export const webhookEventTable = table<WebhookEvent>("webhook_event");
export const attemptTable = table<Attempt>("webhook_attempt");
export const feedTable = table<Feed>("webhook_feed");

/** The context of signing secrets: they open only for their organization. */
export const signingContext = (organizationId: string): SealingContext => [organizationId, "signing_secret"];

/**
 * The destination as the ledger shows it: recognizable to the person who set it, useless to others (HOOK-9).
 * `https://hooks.example.com/x` → `h***s.e***e.com`. For an IP address the first and the last part are shown, so that
 * an owner can tell two destinations apart: `https://10.20.30.7` → `10.***.7`, `https://[fd00::1:7]` → `[fd00:***:7]`.
 */
export function redactedHost(url: string): string {
  const { hostname } = new URL(url);
  if (hostname.startsWith("[")) {
    const parts = hostname.slice(1, -1).split(":");
    return `[${parts.at(0) ?? ""}:***:${parts.at(-1) ?? ""}]`;
  }
  const labels = hostname.split(".");
  const top = labels.pop() ?? "";
  if (/^\d+$/.test(top)) return `${labels[0] ?? ""}.***.${top}`;
  return [...labels.map(redactLabel), labels.length === 0 ? redactLabel(top) : top].join(".");
}

/** `https://hooks.example.com/x` → `https://h***s.e***e.com`. */
export const redactedUrl = (url: string): string => `${new URL(url).protocol}//${redactedHost(url)}`;

const redactLabel = (label: string): string => `${label.at(0) ?? ""}***${label.at(-1) ?? ""}`;
