/**
 * Webhooks: the destination, its secret, the ledger of deliveries, and redelivery. A signing secret is sealed here,
 * first of all, so that no command, record or event ever holds it.
 */
import { assert } from "../../../actors/assert.ts";
import { invalid, notFound, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import type { Static } from "../../../actors/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { webhookRef } from "../../../actors/webhook/events.ts";
import type { DestinationInput, SealedSecret, WebhookCommand } from "../../../actors/webhook/protocol.ts";
import { signingContext } from "../../../actors/webhook/schema.ts";
import { type Change, type Committing, accepted, created, done } from "../../http/commit/commit.ts";
import type { Input } from "../../http/contract/operation.ts";
import type { Caller } from "../../http/request/caller.ts";
import { operation } from "../../operations/operation.ts";
import type { Services } from "../../operations/services.ts";
import { pageOf, pageQuery, shownPage } from "../paging.ts";
import { DeliveryId } from "../path-ids.ts";
import { doneIf } from "../updating.ts";
import {
  DELIVERY_QUERY,
  DeliveryList,
  deliveryView,
  IntegrationView,
  integrationView,
  knownTypes,
  OneDelivery,
  PutIntegrationBody,
  RedeliverRangeBody,
  RangeAccepted,
  RotateBody,
  RotatedIntegrationView,
  SecretIntegrationView,
  VerificationView,
  VerifyBody,
  withVerbs,
} from "./schema.ts";

export const webhookOperations = {
  getMessagingIntegration: operation(
    {
      method: "GET",
      path: "/api/messaging-integration",
      scope: "webhooks:read",
      summary: "Read the delivery configuration",
      answers: { 200: IntegrationView },
      errors: ["not_found"],
    },
    async ({ system }, { principal }) => {
      const found = await system.dispatch(webhookRef(principal.organizationId), { kind: "read_destination" });
      if (!found.ok) return found;
      return found.value === null ? notFound("messaging_integration") : ok(integrationView(found.value, principal));
    },
  ),

  putMessagingIntegration: operation(
    {
      method: "PUT",
      path: "/api/messaging-integration",
      scope: "webhooks:write",
      isForOwners: true,
      summary: "Set the destination of events",
      description:
        "For owners. The first call creates the signing secret; the response has it, and it is never shown again. " +
        "Pending deliveries go to the new address. Setting it again enables delivery unless `enabled` is false.",
      body: PutIntegrationBody,
      hasOneTimeSecret: true,
      answers: { 200: SecretIntegrationView, 201: SecretIntegrationView },
      errors: ["invalid_event_type", "invalid_url"],
      emits: "webhook.configured",
    },
    (services, change, { body }) => putDestination(services, change, body),
  ),

  listDeliveries: operation(
    {
      method: "GET",
      path: "/api/messaging-integration/deliveries",
      scope: "webhooks:read",
      isForOwners: true,
      summary: "List delivery attempts",
      description:
        "For owners. The delivery ledger, newest first: one row for each attempt. Filters are combined with AND.",
      query: { ...DELIVERY_QUERY, ...pageQuery("deliveries") },
      answers: { 200: DeliveryList },
      errors: ["invalid_event_type"],
    },
    async ({ webhooks, readCommitted }, { principal: by }, { query }) => {
      const { event_type: eventType, event_id: eventId, status, since } = query;
      const filter = { eventType, eventId, status, since };
      const read = () => webhooks.pageAttempts(by.organizationId, filter, pageOf(query));
      return shownPage("deliveries", readCommitted(by.organizationId, read), (attempt) => deliveryView(attempt, by));
    },
  ),

  redeliverEvent: operation(
    {
      method: "POST",
      path: "/api/messaging-integration/deliveries/{id}/redeliver",
      scope: "webhooks:write",
      isForOwners: true,
      summary: "Redeliver an event",
      description:
        "For owners. Sent to the current destination, signed with the current secret, regardless of the subscription.",
      params: { id: DeliveryId },
      answers: { 202: OneDelivery },
      errors: ["invalid_state", "event_not_retained"],
      emits: "webhook.redelivery_requested",
    },
    (_, change, { params }) => sendToDestination(change, { kind: "redeliver", attemptId: params.id }),
  ),

  redeliverEvents: operation(
    {
      method: "POST",
      path: "/api/messaging-integration/redeliver",
      scope: "webhooks:write",
      isForOwners: true,
      summary: "Redeliver a range of events",
      description: "For owners. Events of the range that are no longer retained are left out.",
      body: RedeliverRangeBody,
      answers: { 202: RangeAccepted },
      errors: ["not_found", "invalid_state", "invalid_event_type"],
      emits: "webhook.redelivery_requested",
    },
    (_, change, { body }) => redeliverRange(change, body),
  ),

  rotateSigningSecret: operation(
    {
      method: "POST",
      path: "/api/messaging-integration/signing-secret/rotate",
      scope: "webhooks:write",
      isForOwners: true,
      summary: "Replace the signing secret",
      description:
        "For owners. The new secret is valid at once and is never shown again. " +
        "For `grace_seconds`, deliveries also carry a signature with the old secret.",
      body: RotateBody,
      isBodyOptional: true,
      hasOneTimeSecret: true,
      answers: { 200: RotatedIntegrationView },
      errors: ["not_found"],
      emits: "webhook.secret_rotated",
    },
    (services, change, { body }) => rotate(services, change, body),
  ),

  testMessagingIntegration: operation(
    {
      method: "POST",
      path: "/api/messaging-integration/test",
      scope: "webhooks:write",
      isForOwners: true,
      summary: "Send a signed test",
      description: "For owners. An event of type `webhook.test` and source `test`, regardless of the subscription.",
      answers: { 202: OneDelivery },
      errors: ["not_found", "invalid_state"],
      emits: "webhook.test",
    },
    (_, change) => sendToDestination(change, { kind: "send_test", event: { ...change.event(), source: "test" } }),
  ),

  verifySignature: operation(
    {
      method: "POST",
      path: "/api/messaging-integration/verify",
      scope: "webhooks:read",
      summary: "Check a signature, and explain why it does not verify",
      body: VerifyBody,
      isRead: true,
      answers: { 200: VerificationView },
      errors: ["not_found"],
    },
    verify,
  ),
};

const DEFAULT_NAME = "Webhook";

/** The commands that send one event. */
type Sending = Extract<WebhookCommand, { readonly kind: "redeliver" | "send_test" }>;

/** Commits the event, and shows its first attempt. */
async function sendToDestination(change: Change, command: Sending): Committing {
  const { principal } = change;
  const committed = await change.commit([ask(webhookRef(principal.organizationId), command)], (attempt) =>
    accepted({ delivery: deliveryView(attempt, principal) }),
  );
  return withVerbs(committed, principal);
}

async function putDestination(services: Services, change: Change, body: Static<typeof PutIntegrationBody>): Committing {
  const { principal } = change;
  const { name, url, enabled, event_types: eventTypes = [], retry_profile: retryProfile } = body;
  const known = knownTypes(eventTypes);
  if (!known.ok) return known;
  const message = await services.webhookTools.refusalOf(url);
  if (message !== null) return refuse({ kind: "invalid_url", message });
  const input: DestinationInput = {
    name: name ?? DEFAULT_NAME,
    url,
    enabled: enabled ?? true,
    eventTypes: [...new Set(eventTypes)],
    retryProfile: retryProfile ?? "standard",
  };
  const { secret, fresh } = freshSecret(services, principal.organizationId);
  const command = { kind: "configure_destination", input, fresh } as const;
  return change.commit([ask(webhookRef(principal.organizationId), command)], ({ isNew, isUnchanged, ...state }) => {
    const view = integrationView(state, principal);
    return isNew ? created({ ...view, secret }) : doneIf(!isUnchanged, view);
  });
}

async function rotate(services: Services, change: Change, body: Static<typeof RotateBody>): Committing {
  const { principal } = change;
  const { secret, fresh } = freshSecret(services, principal.organizationId);
  const graceMs = (body.grace_seconds ?? 0) * 1_000;
  const command = { kind: "rotate_secret", fresh, graceMs } as const;
  return change.commit([ask(webhookRef(principal.organizationId), command)], (state) =>
    done({ ...integrationView(state, principal), secret }),
  );
}

function freshSecret({ webhookTools, sealing }: Services, organizationId: string) {
  const secret = webhookTools.newSecret();
  const sealed = sealing.seal("webhook", secret, signingContext(organizationId));
  const fresh: SealedSecret = { sealed, last4: secret.slice(-4) };
  return { secret, fresh };
}

async function redeliverRange(change: Change, body: Static<typeof RedeliverRangeBody>): Committing {
  const { since_sequence: since, until_sequence: until, event_types: eventTypes = [] } = body;
  if (since > until) return invalid("/until_sequence", "until_sequence must not be below since_sequence");
  const known = knownTypes(eventTypes);
  if (!known.ok) return known;
  const range = { after: since - 1, until, eventTypes };
  const command = { kind: "redeliver_range", range } as const;
  const committed = await change.commit([ask(webhookRef(change.principal.organizationId), command)], (bounded) =>
    accepted({ redelivery: { since_sequence: since, until_sequence: bounded.until, event_types: eventTypes } }),
  );
  return withVerbs(committed, change.principal);
}

async function verify(services: Services, caller: Caller, { body }: Input<{ body: typeof VerifyBody }>) {
  const { headers, body: text, secret } = body;
  const secrets = secret === undefined ? await ownSecrets(services, caller.principal.organizationId) : ok([secret]);
  if (!secrets.ok) return secrets;
  const { kind, message } = services.webhookTools.verify({ headers, body: text }, secrets.value, services.clock.now());
  return ok({ valid: kind === "valid", reason: kind, message });
}

/** The organization's signing secrets that are valid now. */
async function ownSecrets({ system, sealing, clock }: Services, organizationId: string): Promise<Outcome<string[]>> {
  const found = await system.dispatch(webhookRef(organizationId), { kind: "read_destination" });
  if (!found.ok) return found;
  if (found.value === null) return notFound("messaging_integration");
  const { secret, formerSecret } = found.value.destination;
  const former = formerSecret !== null && Date.parse(formerSecret.until) > clock.now() ? [formerSecret.sealed] : [];
  return ok(
    [secret.sealed, ...former].map((sealed) => {
      const opened = sealing.open("webhook", sealed, signingContext(organizationId));
      assert(opened !== null, "a signing secret opens under the key of the service");
      return opened;
    }),
  );
}
