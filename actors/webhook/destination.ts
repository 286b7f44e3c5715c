/** The destination of an organization's events, and the secret that signs them (HOOK-1, HOOK-8). */
import { hasAll } from "../changes.ts";
import { notFound, ok } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import type { DestinationState, WebhookProtocol } from "./protocol.ts";
import { destinationOf, feedOf, fillFeed, keepFeed, withSkips } from "./queue.ts";
import { numberEvent } from "./numbering.ts";
import { type WebhookDestination, destinationTable, type DisabledReason, type Feed, feedTable } from "./schema.ts";

export const destinationHandlers = {
  read_destination(tx) {
    const destination = destinationOf(tx);
    return ok(destination === null ? null : destinationState(tx, destination));
  },

  configure_destination(tx, { input, fresh }) {
    const former = destinationOf(tx);
    const fields = { ...input, eventTypes: [...input.eventTypes], disabledReason: null };
    if (former !== null && hasAll(former, fields))
      return ok({ ...destinationState(tx, former), isNew: false, isUnchanged: true });
    const destination =
      former === null
        ? tx.create(destinationTable, { id: tx.self.id, ...fields, secret: fresh, formerSecret: null })
        : tx.update(destinationTable, { ...former, ...fields });
    const feed = feedOf(tx);
    // Waiting attempts go to the new address, or are skipped; another address has no failures yet.
    const isOther = former?.url !== destination.url || !former.enabled;
    const waiting = destination.enabled ? feed : withSkips(feed);
    keepFeed(tx, fillFeed(tx, isOther ? { ...waiting, failingSince: null } : waiting));
    return ok({ ...destinationState(tx, destination), isNew: former === null, isUnchanged: false });
  },

  rotate_secret(tx, { fresh, graceMs }) {
    const destination = destinationOf(tx);
    if (destination === null) return notFound("messaging_integration");
    const { sealed } = destination.secret;
    const formerSecret = graceMs === 0 ? null : { sealed, until: isoTime(tx.now + graceMs) };
    return ok(destinationState(tx, tx.update(destinationTable, { ...destination, secret: fresh, formerSecret })));
  },

  reseal_signing(tx, { resealed }) {
    const destination = destinationOf(tx);
    if (destination === null) return ok(0);
    const fresh = new Map(resealed.map(({ former, sealed }) => [former, sealed]));
    const { secret, formerSecret } = destination;
    const sealed = fresh.get(secret.sealed);
    const formerSealed = formerSecret === null ? undefined : fresh.get(formerSecret.sealed);
    if (sealed === undefined && formerSealed === undefined) return ok(0);
    tx.update(destinationTable, {
      ...destination,
      secret: { ...secret, sealed: sealed ?? secret.sealed },
      formerSecret: formerSecret === null ? null : { ...formerSecret, sealed: formerSealed ?? formerSecret.sealed },
    });
    return ok([sealed, formerSealed].filter((each) => each !== undefined).length);
  },
} satisfies Partial<Handlers<WebhookProtocol>>;

function destinationState(tx: Tx, destination: WebhookDestination): DestinationState {
  const { lastSuccessAt = null, lastFailureAt = null, undelivered = null } = tx.read(feedTable, tx.self.id) ?? {};
  return { destination, lastSuccessAt, lastFailureAt, undelivered };
}

/** The service stops sending there and announces it in the feed; waiting attempts are skipped. */
export function disableDestination(tx: Tx, destination: WebhookDestination, feed: Feed, reason: DisabledReason): Feed {
  const { version } = tx.update(destinationTable, { ...destination, enabled: false, disabledReason: reason });
  const news = {
    type: "webhook.disabled",
    source: "api_mutation",
    at: isoTime(tx.now),
    actor: { type: "system", id: "webhooks" },
    requestId: null,
    resource: { type: "messaging_integration", id: null, path: "/api/messaging-integration", version },
    data: { enabled: false, disabled_reason: reason },
    isTruncated: false,
    changes: ["enabled", "disabled_reason"],
  } as const;
  return withSkips(numberEvent(tx, feed, { ...news, changes: [...news.changes] }).feed);
}
