/** Operations on webhooks (HOOK-1, HOOK-8, HOOK-9, HOOK-10). */
import { operationGroup } from "../../http/contract/operation.ts";
import { pageQuery } from "../paging.ts";
import { DeliveryId } from "../path-ids.ts";
import {
  DELIVERY_QUERY,
  DeliveryList,
  IntegrationView,
  OneDelivery,
  PutIntegrationBody,
  RedeliverRangeBody,
  RangeAccepted,
  RotateBody,
  RotatedIntegrationView,
  SecretIntegrationView,
  VerificationView,
  VerifyBody,
} from "./schema.ts";

export const webhookOperations = operationGroup("Webhooks", "The destination of events, and the delivery ledger", {
  getMessagingIntegration: {
    method: "GET",
    path: "/api/messaging-integration",
    scope: "webhooks:read",
    summary: "Read the delivery configuration",
    answers: { 200: IntegrationView },
    errors: ["not_found"],
  },
  putMessagingIntegration: {
    method: "PUT",
    path: "/api/messaging-integration",
    scope: "webhooks:write",
    isForOwners: true,
    summary: "Set the destination of events",
    description:
      "For owners. The first call creates the signing secret, which is in the answer and never shown again. " +
      "Pending deliveries go to the new address. Setting it again enables delivery unless `enabled` is false.",
    body: PutIntegrationBody,
    hasOneTimeSecret: true,
    answers: { 200: SecretIntegrationView, 201: SecretIntegrationView },
    errors: ["invalid_event_type", "invalid_url"],
    emits: "webhook.configured",
  },
  listDeliveries: {
    method: "GET",
    path: "/api/messaging-integration/deliveries",
    scope: "webhooks:read",
    isForOwners: true,
    summary: "List delivery attempts",
    description:
      "For owners. The delivery ledger, newest first: one row for each attempt. Filters are combined with AND.",
    query: { ...DELIVERY_QUERY, ...pageQuery("deliveries") },
    answers: { 200: DeliveryList },
    errors: ["invalid_request", "invalid_event_type", "invalid_cursor"],
  },
  redeliverEvent: {
    method: "POST",
    path: "/api/messaging-integration/deliveries/{id}/redeliver",
    scope: "webhooks:write",
    isForOwners: true,
    summary: "Redeliver an event",
    description:
      "For owners. Sent to the current destination, signed with the current secret, regardless of the subscription.",
    params: { id: DeliveryId },
    answers: { 202: OneDelivery },
    errors: ["not_found", "invalid_state", "event_not_retained"],
    emits: "webhook.redelivery_requested",
  },
  redeliverEvents: {
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
  rotateSigningSecret: {
    method: "POST",
    path: "/api/messaging-integration/signing-secret/rotate",
    scope: "webhooks:write",
    isForOwners: true,
    summary: "Replace the signing secret",
    description:
      "For owners. The new secret is valid at once and is never shown again. " +
      "For `grace_seconds` deliveries carry a second signature by the old one.",
    body: RotateBody,
    isBodyOptional: true,
    hasOneTimeSecret: true,
    answers: { 200: RotatedIntegrationView },
    errors: ["not_found"],
    emits: "webhook.secret_rotated",
  },
  testMessagingIntegration: {
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
  verifySignature: {
    method: "POST",
    path: "/api/messaging-integration/verify",
    scope: "webhooks:read",
    summary: "Check a signature, and explain why it does not verify",
    body: VerifyBody,
    isRead: true,
    answers: { 200: VerificationView },
    errors: ["not_found"],
  },
});
