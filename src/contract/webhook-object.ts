/** The requests that the service sends to a webhook destination, for the contract (HOOK-2, HOOK-4, HOOK-7). */
import { EVENT_TYPES } from "../../actors/webhook/events.ts";
import { WebhookEventView } from "../current/events/view.ts";
import type { Components, JsonSchema } from "./json-schema.ts";

const HEADERS: Readonly<Record<string, string>> = {
  "Service-Event-Id": "The event's id: the same over retries and redeliveries. Dedupe on it",
  "Service-Event-Type": "The event's type",
  "Service-Delivery-Attempt": "From 1",
  "Service-Timestamp": "Of the attempt, in seconds",
  "Service-Signature":
    "`t=<timestamp>,v1=<hex>`: HMAC-SHA256 of `<timestamp>.<body>`, keyed with the whole `whsec_…`. For some time after a rotation a second `v1` follows, by the former secret",
  "Idempotency-Key": "The delivery: the same over its attempts, another one for each redelivery",
  "webhook-id": "As Standard Webhooks has it: the event's id",
  "webhook-timestamp": "As Standard Webhooks has it",
  "webhook-signature": "As Standard Webhooks has it: `v1,<base64>`, keyed with what follows `whsec_`, decoded",
};

/** One request describes the delivery of every event. */
export const webhookObject = (components: Components): JsonSchema => ({
  operationId: "receiveEvent",
  tags: ["Webhooks"],
  summary: "An event is delivered",
  description:
    "Answer 2xx within 15 s. Other answers and failures are retried after 1, 2 and 4 s, but 3xx and most 4xx are final, and 410 switches delivery off.",
  security: [],
  "x-event-types": EVENT_TYPES,
  parameters: Object.entries(HEADERS).map(([name, description]) => ({
    name,
    in: "header",
    required: true,
    description,
    schema: { type: "string" },
  })),
  requestBody: { required: true, content: { "application/json": { schema: components.schema(WebhookEventView) } } },
  responses: { "2XX": { description: "Taken" } },
});
