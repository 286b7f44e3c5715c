/** What there is to do with webhooks (HOOK-1, HOOK-8, HOOK-9, HOOK-10). */
import { Type } from "../../../actors/schema.ts";
import { Id } from "../../http/noun.ts";
import { operationGroup } from "../../http/operation.ts";
import { PAGE_QUERY } from "../paging.ts";
import {
  DELIVERY_QUERY,
  DeliveryList,
  IntegrationView,
  OneDelivery,
  PutIntegrationBody,
  RedeliverRangeBody,
  RedeliveryView,
  RotateBody,
  SecretIntegrationView,
  VerificationView,
  VerifyBody,
} from "./schema.ts";

export const webhookOperations = operationGroup("Webhooks", "Where events are sent to, and what became of it", {
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
    summary: "Set the destination of events",
    description:
      "For owners. The first time makes the signing secret, which is in the answer and never shown again. " +
      "What still waits goes to the new address. Setting it again enables delivery unless `enabled` is false.",
    body: PutIntegrationBody,
    hasOneTimeSecret: true,
    answers: { 200: SecretIntegrationView },
    errors: ["owner_required", "invalid_event_type", "invalid_url"],
    emits: "webhook.configured",
  },
  listDeliveries: {
    method: "GET",
    path: "/api/messaging-integration/deliveries",
    scope: "webhooks:read",
    summary: "List attempts to deliver",
    description: "The ledger, newest first: each attempt is a row. All filters that are given must match.",
    query: { ...DELIVERY_QUERY, ...PAGE_QUERY },
    answers: { 200: DeliveryList },
    errors: ["invalid_request", "invalid_event_type", "invalid_cursor"],
  },
  redeliverEvent: {
    method: "POST",
    path: "/api/messaging-integration/deliveries/{id}/redeliver",
    scope: "webhooks:write",
    summary: "Send an event once more",
    description: "For owners. To the present destination, signed with the present secret, whatever is subscribed to.",
    params: { id: Id("dlv", "Any attempt to deliver the event") },
    answers: { 202: OneDelivery },
    errors: ["owner_required", "not_found", "invalid_state", "event_not_retained"],
    emits: "webhook.redelivery_requested",
  },
  redeliverEvents: {
    method: "POST",
    path: "/api/messaging-integration/redeliver",
    scope: "webhooks:write",
    summary: "Send a range of events once more",
    description: "For owners. Events of the range that are kept no more are left out.",
    body: RedeliverRangeBody,
    answers: { 202: Type.Object({ redelivery: RedeliveryView }) },
    errors: ["owner_required", "not_found", "invalid_state", "invalid_event_type"],
    emits: "webhook.redelivery_requested",
  },
  rotateSigningSecret: {
    method: "POST",
    path: "/api/messaging-integration/signing-secret/rotate",
    scope: "webhooks:write",
    summary: "Replace the signing secret",
    description:
      "For owners. The new secret counts at once and is never shown again. " +
      "For `grace_seconds` deliveries carry a second signature by the old one.",
    body: RotateBody,
    isBodyOptional: true,
    hasOneTimeSecret: true,
    answers: { 200: SecretIntegrationView },
    errors: ["owner_required", "not_found"],
    emits: "webhook.secret_rotated",
  },
  testMessagingIntegration: {
    method: "POST",
    path: "/api/messaging-integration/test",
    scope: "webhooks:write",
    summary: "Send a signed test",
    description: "An event of type `webhook.test` and source `test`, whatever is subscribed to.",
    answers: { 202: OneDelivery },
    errors: ["not_found", "invalid_state"],
    emits: "webhook.test",
  },
  verifySignature: {
    method: "POST",
    path: "/api/messaging-integration/verify",
    scope: "webhooks:read",
    summary: "Say why a signature does not verify",
    body: VerifyBody,
    isRead: true,
    answers: { 200: VerificationView },
    errors: ["not_found"],
  },
});
