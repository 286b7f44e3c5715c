/** The requests that the service sends to a webhook destination, for the contract (HOOK-2, HOOK-4, HOOK-7). */
import { EVENT_TYPES } from "../../actors/webhook/events.ts";
import { WebhookEventView } from "../current/events/view.ts";
import type { Components, JsonSchema } from "./json-schema.ts";

const WEBHOOK_HEADERS: Readonly<Record<string, string>> = {
  "Service-Event-Id": "Id of the event, the same in retries and redeliveries: deduplicate by it",
  "Service-Event-Type": "The event's type",
  "Service-Delivery-Attempt": "Number of the attempt, from 1",
  "Service-Timestamp": "Time of the attempt, in Unix seconds",
  "Service-Signature":
    "`t=<timestamp>,v1=<hex>`: HMAC-SHA256 of `<timestamp>.<body>`, keyed with the whole secret (`whsec_…`). For a grace period after a rotation, a second `v1` with the old secret follows",
  "Idempotency-Key": "Key of the delivery: the same in all its attempts, new for each redelivery",
  "webhook-id": "Standard Webhooks: id of the event",
  "webhook-timestamp": "Standard Webhooks: time of the attempt, in Unix seconds",
  "webhook-signature": "Standard Webhooks: `v1,<base64>`, keyed with the decoded part after `whsec_`",
};

/** One request describes the delivery of every event. */
export const webhookObject = (components: Components): JsonSchema => ({
  operationId: "receiveEvent",
  tags: ["Webhooks"],
  summary: "An event is delivered",
  description:
    "Answer 2xx within 15 s. Failures and other statuses are retried after 1, 2 and 4 s, and with the retry profile `durable` for three more days. 3xx and most 4xx are not retried, and 410 disables delivery.",
  security: [],
  "x-event-types": EVENT_TYPES,
  parameters: Object.entries(WEBHOOK_HEADERS).map(([name, description]) => ({
    name,
    in: "header",
    required: true,
    description,
    schema: { type: "string" },
  })),
  requestBody: { required: true, content: { "application/json": { schema: components.schema(WebhookEventView) } } },
  responses: { "2XX": { description: "Received" } },
});
