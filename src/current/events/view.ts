/** An event in webhook deliveries and in the feed: the same body in both (HOOK-2). */
import { FreeObject, Nullable, OneOf, Timestamp, Type } from "../../../actors/schema.ts";
import { EVENT_SOURCES, EVENT_TYPES, EventActor } from "../../../actors/webhook/events.ts";
import type { WebhookEvent } from "../../../actors/webhook/schema.ts";
import { API_VERSION } from "../../http/contract/deprecation.ts";
import { fieldsFrom, Id, noun, Text } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";
import { snakeCasedData } from "../event-view.ts";

/** The body of a webhook delivery. */
export const WebhookEventView = noun("Event", "An event of the organization", {
  id: Id("evt", "Id of the event, the same in retries and redeliveries"),
  type: OneOf(EVENT_TYPES),
  api_version: Type.String({ examples: [API_VERSION] }),
  created_at: Timestamp,
  timestamp: Type.Integer({ description: "`created_at` in seconds" }),
  organization_id: Id("org", "The organization"),
  sequence: Type.Integer({ minimum: 1, description: "Number of the event in the organization, without gaps" }),
  source: OneOf(EVENT_SOURCES),
  actor: EventActor,
  request_id: Nullable(Id("req", "Request that caused the event")),
  resource: noun("EventResource", "The record that the event is about", {
    type: Text("Kind of record", "agent"),
    id: Nullable(Type.String()),
    url: Nullable(Text("URL of the record", "https://troupe.example.com/api/agents/agt_V1StGXR8_Z5jdHi6B-myT")),
    version: Nullable(Type.Integer()),
  }),
  data: FreeObject,
  changes: Type.Array(Type.String(), { description: "Fields that the change has set" }),
  truncated: Type.Optional(
    Type.Literal(true, { description: "`data` was longer than 20 KiB, and has only ids and the status" }),
  ),
});

const eventFields = fieldsFrom(WebhookEventView);

/** `appUrl` is the address of the service, without a trailing slash. */
export function webhookEventView(event: WebhookEvent, appUrl: string): Shown<typeof WebhookEventView> {
  const { at, source, resource, data, isTruncated } = event;
  const { path, ...named } = resource;
  return {
    ...eventFields(event),
    api_version: API_VERSION,
    created_at: at,
    timestamp: Math.floor(Date.parse(at) / 1_000),
    resource: { ...named, url: path === null ? null : `${appUrl}${path}` },
    // The answer of a request already has the surface's names.
    data: source === "job_lifecycle" ? snakeCasedData(data) : data,
    ...(isTruncated ? { truncated: true } : {}),
  };
}
