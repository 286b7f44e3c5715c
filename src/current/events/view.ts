/** An event as it is delivered and as the feed shows it: one body for both (HOOK-2). */
import type { WebhookEvent } from "../../../actors/webhook/schema.ts";
import { API_VERSION } from "../../http/api-version.ts";
import { snakeCased } from "../event-view.ts";

/** `appUrl` is where clients reach the service, without a slash at the end. */
export function webhookEventView(event: WebhookEvent, appUrl: string) {
  const { id, type, at, organizationId, sequence, source, actor, requestId, resource, data, isTruncated } = event;
  return {
    id,
    type,
    api_version: API_VERSION,
    created_at: at,
    timestamp: Math.floor(Date.parse(at) / 1_000),
    organization_id: organizationId,
    sequence,
    source,
    actor: { type: actor.type, id: actor.id },
    request_id: requestId,
    resource: {
      type: resource.type,
      id: resource.id,
      url: resource.path === null ? null : `${appUrl}${resource.path}`,
      version: resource.version,
    },
    // What a request was answered is in the surface's words already.
    data: source === "job_lifecycle" ? snakeCased(data) : data,
    changes: event.changes,
    ...(isTruncated ? { truncated: true } : {}),
  };
}
