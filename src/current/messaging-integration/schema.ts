/** The bodies and views of webhooks (HOOK-1, HOOK-8, HOOK-9, HOOK-10). */
import { ok, type Outcome, refuse } from "../../../actors/fault.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { Nullable, OneOf, Timestamp, Type } from "../../../actors/schema.ts";
import { EVENT_SOURCES, EVENT_TYPES, type EventType, isKnownFilter } from "../../../actors/webhook/events.ts";
import { RETRY_PROFILES } from "../../../actors/delivery-retries.ts";
import { GRACE_LIMIT_SECONDS } from "../../../actors/webhook/policy.ts";
import type { DestinationState } from "../../../actors/webhook/protocol.ts";
import {
  type Attempt,
  ATTEMPT_ERRORS,
  ATTEMPT_STATUSES,
  DISABLED_REASONS,
  redactedUrl,
  SIGNATURE_FINDINGS,
  TRIGGERS,
} from "../../../actors/webhook/schema.ts";
import { bad, good, idFilter, someOf, textField, timeField } from "../../http/contract/field.ts";
import { fieldsFrom, Id, listOf, noun, Text } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";
import { permittedActions, RECORD, recordView } from "../record.ts";

export const INTEGRATION_PATH = "/api/messaging-integration";

/** Characters. */
const INTEGRATION_NAME_CHARACTERS = 120;
const URL = 2_048;
const FILTER = 64;
/** Entries of a filter: more than there are event types. */
const FILTER_ENTRIES = 64;
const SHOWN_NAME = "^(?=.*\\S)[^\\x00-\\x1f\\x7f-\\x9f]*$";
const Filter = Type.Array(Type.String({ maxLength: FILTER }), {
  maxItems: FILTER_ENTRIES,
  description:
    "Exact types or `family.*`; an empty list means all. `!<source>` excludes events of that source, such as `!api_mutation`",
  examples: [["job.*", "agent.updated"]],
});

/** `PUT /api/messaging-integration`: absent fields get their defaults. */
export const PutIntegrationBody = Type.Object({
  provider: Type.Optional(OneOf(["webhook"] as const)),
  name: Type.Optional(
    Type.String({
      pattern: SHOWN_NAME,
      form: "text without control characters",
      maxLength: INTEGRATION_NAME_CHARACTERS,
    }),
  ),
  url: Type.String({ maxLength: URL, examples: ["https://hooks.example.com/troupe"] }),
  enabled: Type.Optional(Type.Boolean()),
  event_types: Type.Optional(Filter),
  retry_profile: Type.Optional(OneOf(RETRY_PROFILES)),
});

/** `POST …/signing-secret/rotate` */
export const RotateBody = Type.Object({
  grace_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: GRACE_LIMIT_SECONDS })),
});

/** `POST …/redeliver` */
export const RedeliverRangeBody = Type.Object({
  since_sequence: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
  until_sequence: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
  event_types: Type.Optional(Filter),
});

/** `POST …/verify` */
export const VerifyBody = Type.Object({
  headers: Type.Unsafe<Readonly<Record<string, string>>>(
    Type.Record(Type.String(), Type.String(), { description: "The headers of the delivery, as they arrived" }),
  ),
  body: Type.String({ description: "The body of the delivery, byte for byte" }),
  secret: Type.Optional(
    Type.String({ maxLength: 128, description: "Secret to verify with; by default the organization's" }),
  ),
});

const UndeliveredView = noun("UndeliveredEvents", "Deliveries that were given up, and the range of their events", {
  deliveries: Type.Integer({ minimum: 1 }),
  since_sequence: Type.Integer({ minimum: 1 }),
  until_sequence: Type.Integer({ minimum: 1 }),
});

export const IntegrationView = noun("MessagingIntegration", "Destination of an organization's events", {
  provider: OneOf(["webhook"] as const),
  name: Type.String(),
  url: Type.String({
    description: "URL of the destination; members who are not owners see only its scheme and the redacted host",
  }),
  enabled: Type.Boolean(),
  event_types: Type.Array(Type.String()),
  retry_profile: OneOf(RETRY_PROFILES),
  secret_set: Type.Boolean(),
  secret_last4: Type.String(),
  former_secret_until: Nullable(Timestamp),
  disabled_reason: Nullable(OneOf(DISABLED_REASONS)),
  last_success_at: Nullable(Timestamp),
  last_failure_at: Nullable(Timestamp),
  undelivered: Nullable(UndeliveredView),
  ...RECORD,
});
const SECRET_EXAMPLE = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
/** Includes the signing secret if it was created, which is shown once. */
export const SecretIntegrationView = noun("MessagingIntegrationWithSecret", "A destination and its new secret", {
  ...IntegrationView.properties,
  secret: Type.Optional(Text("The signing secret, if this request has created it; never shown again", SECRET_EXAMPLE)),
});
export const RotatedIntegrationView = noun("RotatedMessagingIntegration", "A destination whose secret was replaced", {
  ...IntegrationView.properties,
  secret: Text("The new signing secret; never shown again", SECRET_EXAMPLE),
});

export const DeliveryView = noun("Delivery", "One attempt to deliver an event", {
  id: Id("dlv", "The attempt's id"),
  event_id: Id("evt", "Id of the event; receivers deduplicate by it"),
  event_type: OneOf(EVENT_TYPES),
  source: OneOf(EVENT_SOURCES),
  sequence: Type.Integer({ description: "The event's number" }),
  attempt: Type.Integer({ minimum: 1 }),
  status: OneOf(ATTEMPT_STATUSES),
  http_status: Nullable(Type.Integer()),
  error: Nullable(OneOf(ATTEMPT_ERRORS)),
  duration_ms: Nullable(Type.Integer()),
  destination_host: Text("Host of the destination, redacted", "h***s.e***e.com"),
  delivery_key: Text("The same for all attempts of one delivery", "dlk_V1StGXR8_Z5jdHi6B-myT"),
  trigger: OneOf(TRIGGERS),
  pushed_job_id: Nullable(
    Id(
      "job",
      "For a push notification of A2A: the job whose state it reports; null: the delivery goes to the organization's destination",
    ),
  ),
  next_attempt_at: Nullable(Timestamp),
  ...RECORD,
});
export const DeliveryList = listOf("DeliveryList", "deliveries", DeliveryView);
export const OneDelivery = noun("DeliveryAccepted", "The delivery that will be attempted", { delivery: DeliveryView });

export const RedeliveryView = noun("Redelivery", "The range of events that is sent again", {
  since_sequence: Type.Integer(),
  until_sequence: Type.Integer(),
  event_types: Type.Array(Type.String(), { description: "Event types that are sent again; an empty list means all" }),
});
export const RangeAccepted = noun("RedeliveryAccepted", "The events that will be sent again", {
  redelivery: RedeliveryView,
});

export const VerificationView = noun("SignatureVerification", "Whether a signature verifies, and if not, exactly why", {
  valid: Type.Boolean(),
  reason: OneOf(SIGNATURE_FINDINGS),
  message: Type.String(),
});

/** An exact event type, not a family; an unknown one has its own error code (HOOK-5). */
const EventTypeField = textField<EventType>(OneOf(EVENT_TYPES), (text, name) =>
  isEventType(text)
    ? good(text)
    : bad(`${name}: unknown event type \`${text}\``, {
        kind: "invalid_event_type",
        unknown: [text],
        paths: [`/${name}`],
      }),
);
const isEventType = (text: string): text is EventType => EVENT_TYPES.some((type) => type === text);

/** The filters of the ledger (HOOK-9). */
export const DELIVERY_QUERY = {
  event_type: Type.Unsafe<readonly EventType[]>(
    Type.Array(EventTypeField, { description: "Attempts to deliver events of these types" }),
  ),
  status: someOf(ATTEMPT_STATUSES, { description: "Attempts with one of these statuses" }),
  event_id: idFilter(Id("evt", "Attempts to deliver this event")),
  since: timeField({ description: "Attempts scheduled at this time or later, in ISO 8601" }),
};

const destinationFields = fieldsFrom(IntegrationView);
const undeliveredFields = fieldsFrom(UndeliveredView);

export function integrationView(
  { destination, lastSuccessAt, lastFailureAt, undelivered }: DestinationState,
  by: Principal,
): Shown<typeof IntegrationView> {
  return {
    ...destinationFields(destination),
    provider: "webhook",
    // Many webhook URLs work without other credentials, so their paths are secrets.
    url: by.role === "owner" ? destination.url : redactedUrl(destination.url),
    secret_set: true,
    secret_last4: destination.secret.last4,
    former_secret_until: destination.formerSecret?.until ?? null,
    last_success_at: lastSuccessAt,
    last_failure_at: lastFailureAt,
    undelivered: undelivered === null ? null : undeliveredFields(undelivered),
    ...recordView(
      destination,
      {
        self: INTEGRATION_PATH,
        deliveries: `${INTEGRATION_PATH}/deliveries`,
        test: `${INTEGRATION_PATH}/test`,
        events: "/api/events",
      },
      verbsOn(destination, by),
    ),
  };
}

/** The verbs that this caller may use on the integration now. */
function verbsOn({ enabled }: { readonly enabled: boolean }, by: Principal): readonly string[] {
  const verbs = ["configure", "rotate_secret", ...(enabled ? ["test"] : [])];
  return by.role === "owner" ? permittedActions(by, "webhooks:write", verbs) : [];
}

/**
 * The outcome; a refusal because of the integration's state also lists the verbs that this caller has instead
 * (GEN-5).
 */
export function withVerbs<T>(outcome: Outcome<T>, by: Principal): Outcome<T> {
  if (outcome.ok || outcome.fault.kind !== "invalid_state") return outcome;
  const enabled = outcome.fault.status !== "disabled";
  return refuse({ ...outcome.fault, allowedActions: verbsOn({ enabled }, by) });
}

const deliveryFields = fieldsFrom(DeliveryView);

export function deliveryView(attempt: Attempt, by: Principal): Shown<typeof DeliveryView> {
  const isPush = attempt.push !== undefined;
  return {
    ...deliveryFields(attempt),
    pushed_job_id: attempt.push?.jobId ?? null,
    // A pending attempt is itself the next one.
    next_attempt_at: attempt.status === "pending" ? attempt.dueAt : attempt.nextAttemptAt,
    ...recordView(
      attempt,
      isPush ? {} : { redeliver: `${INTEGRATION_PATH}/deliveries/${attempt.id}/redeliver` },
      permittedActions(by, "webhooks:write", by.role === "owner" && !isPush ? ["redeliver"] : []),
    ),
  };
}

/** Refuses unknown `event_types` (HOOK-5). */
export function knownTypes(filter: readonly string[]): Outcome<null> {
  const unknown = [...filter.entries()].filter(([, entry]) => !isKnownFilter(entry));
  if (unknown.length === 0) return ok(null);
  const paths = unknown.map(([i]) => `/event_types/${i}`);
  return refuse({ kind: "invalid_event_type", unknown: unknown.map(([, entry]) => entry), paths });
}
