/**
 * Webhooks: the destination, its secret, the ledger of deliveries, and redelivery. A signing secret is sealed here,
 * first of all, so that no command, record or event ever holds it.
 */
import { assert } from "../../../actors/assert.ts";
import { invalid, mapped, notFound, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import type { Static } from "../../../actors/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { webhookRef } from "../../../actors/webhook/events.ts";
import type { DestinationInput, SealedSecret, WebhookCommand } from "../../../actors/webhook/protocol.ts";
import { signingContext } from "../../../actors/webhook/schema.ts";
import type { Caller } from "../../http/request/caller.ts";
import { accepted, type Change, type Commit, created, done } from "../../http/commit/commit.ts";
import { lookUp } from "../../log/look-up.ts";
import type { Handlers, Input } from "../../http/contract/operation.ts";
import { pageOf, pageView } from "../paging.ts";
import { doneIf } from "../updating.ts";
import type { Services } from "../../operations/services.ts";
import type { webhookOperations } from "./operations.ts";
import {
  deliveryView,
  integrationView,
  knownTypes,
  type PutIntegrationBody,
  type RedeliverRangeBody,
  type RotateBody,
  withVerbs,
} from "./schema.ts";

const DEFAULT_NAME = "Webhook";

type WebhookOperations = typeof webhookOperations.operations;
type Committing = Promise<Outcome<Commit>>;

export const webhookHandlers: Handlers<WebhookOperations, Services> = {
  async getMessagingIntegration({ system }, { principal }) {
    const found = await system.dispatch(webhookRef(principal.organizationId), { kind: "read_destination" });
    if (!found.ok) return found;
    return found.value === null ? notFound("messaging_integration") : ok(integrationView(found.value, principal));
  },

  putMessagingIntegration: (services, change, { body }) => put(services, change, body),

  async listDeliveries({ system, webhooks, log }, { principal: by }, { query }) {
    const settled = await system.settled(by.organizationId);
    if (!settled.ok) return settled;
    const { event_type: eventType, event_id: eventId, status, since } = query;
    const filter = { eventType, eventId, status, since };
    const found = await lookUp(log, webhooks.pageAttempts(by.organizationId, filter, pageOf(query)));
    return mapped(found, (list) => pageView("deliveries", list, (attempt) => deliveryView(attempt, by)));
  },

  redeliverEvent: (_, change, { params }) => sent(change, { kind: "redeliver", attemptId: params.id }),
  redeliverEvents: (_, change, { body }) => redeliverRange(change, body),
  rotateSigningSecret: (services, change, { body }) => rotate(services, change, body),

  testMessagingIntegration: (_, change) =>
    sent(change, { kind: "send_test", event: { ...change.event(), source: "test" } }),

  verifySignature: verify,
};

/** The commands that send one event. */
type Sending = Extract<WebhookCommand, { readonly kind: "redeliver" | "send_test" }>;

/** Commits the event, and shows its first attempt. */
async function sent(change: Change, command: Sending): Committing {
  const { principal } = change;
  const committed = await change.commit([ask(webhookRef(principal.organizationId), command)], (attempt) =>
    accepted({ delivery: deliveryView(attempt, principal) }),
  );
  return withVerbs(committed, principal);
}

async function put(services: Services, change: Change, body: Static<typeof PutIntegrationBody>): Committing {
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

async function verify(services: Services, caller: Caller, { body }: Input<WebhookOperations["verifySignature"]>) {
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
