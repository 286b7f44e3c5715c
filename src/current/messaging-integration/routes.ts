/**
 * Webhooks: the destination, its secret, the ledger of deliveries, and what is sent once more. A signing
 * secret is sealed here, before it goes any further, so that no command, record or event ever holds it.
 */
import { assert } from "../../../actors/assert.ts";
import { invalid, mapped, notFound, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { unlessOwner } from "../../../actors/organization/principal.ts";
import { ask } from "../../../actors/troupe.ts";
import { TEST_EVENT, webhookRef } from "../../../actors/webhook/events.ts";
import type { DestinationInput, SealedSecret, WebhookCommand } from "../../../actors/webhook/protocol.ts";
import { signingContext } from "../../../actors/webhook/schema.ts";
import { accepted, type Committed, done, type MutatingCall } from "../../http/commit.ts";
import { Emission } from "../../http/emission.ts";
import { queryOf } from "../../http/exchange.ts";
import { RequestBody } from "../../http/json-body.ts";
import { lookUp } from "../../http/look-up.ts";
import type { Handlers } from "../../http/operation.ts";
import { operationRoutes } from "../../http/operation-routes.ts";
import type { Call, Surface } from "../../http/surface.ts";
import { Body } from "../../http/validation.ts";
import { pageRequest, pageView } from "../paging.ts";
import type { CurrentParts } from "../parts.ts";
import { webhookOperations } from "./operations.ts";
import {
  attemptFilter,
  deliveryView,
  integrationView,
  knownTypes,
  PutIntegrationBody,
  RedeliverRangeBody,
  RotateBody,
  VerifyBody,
  withVerbs,
} from "./schema.ts";

const DELIVERY_ID = /^dlv_[A-Za-z0-9_-]{21}$/;
const DEFAULT_NAME = "Webhook";

const putBody = new Body(PutIntegrationBody);
const rotateBody = new Body(RotateBody);
const rangeBody = new Body(RedeliverRangeBody);
const verifyBody = new Body(VerifyBody);

export const webhookRoutes = (current: Surface, parts: CurrentParts) =>
  operationRoutes(current, webhookOperations, handlers(parts));

type Change = Promise<Outcome<Committed>>;

const handlers = (parts: CurrentParts): Handlers<typeof webhookOperations.operations> => ({
  async getMessagingIntegration({ principal }) {
    const found = await parts.system.dispatch(webhookRef(principal.organizationId), { kind: "read_destination" });
    if (!found.ok) return found;
    return found.value === null ? notFound("messaging_integration") : ok(integrationView(found.value, principal));
  },

  putMessagingIntegration: (call) => put(parts, call),

  async listDeliveries({ request, principal: by }) {
    const query = queryOf(request.url);
    const filter = attemptFilter(query);
    if (!filter.ok) return filter;
    const page = pageRequest(query, "deliveries");
    if (!page.ok) return page;
    const settled = await parts.system.settled(by.organizationId);
    if (!settled.ok) return settled;
    const attempts = parts.webhooks.pageAttempts(by.organizationId, filter.value, page.value);
    const found = await lookUp(parts.log, attempts);
    return mapped(found, (list) => pageView("deliveries", list, (attempt) => deliveryView(attempt, by)));
  },

  async redeliverEvent(call) {
    const refused = unlessOwner(call.principal);
    if (refused !== null) return refused;
    const attemptId = call.params["id"] ?? "";
    if (!DELIVERY_ID.test(attemptId)) return notFound("delivery");
    return sent(call, { kind: "redeliver", attemptId });
  },

  redeliverEvents: (call) => redeliverRange(call),
  rotateSigningSecret: (call) => rotate(parts, call),

  async testMessagingIntegration(call) {
    const event = new Emission({ type: TEST_EVENT, now: () => parts.clock.now() }, call).event({}, []);
    return sent(call, { kind: "send_test", event: { ...event, source: "test" } });
  },

  verifySignature: (call) => verify(parts, call),
});

/** What sends one event. */
type Sending = Extract<WebhookCommand, { readonly kind: "redeliver" | "send_test" }>;

/** Commits it, and shows its first attempt. */
async function sent(call: MutatingCall, command: Sending): Change {
  const { principal } = call;
  const committed = await call.commit([ask(webhookRef(principal.organizationId), command)], (attempt) =>
    accepted({ delivery: deliveryView(attempt, principal) }),
  );
  return withVerbs(committed, principal);
}

async function put(parts: CurrentParts, call: MutatingCall): Change {
  const { principal } = call;
  const refused = unlessOwner(principal);
  if (refused !== null) return refused;
  const body = await call.body.as(putBody);
  if (!body.ok) return body;
  const { name, url, enabled, event_types: eventTypes = [], retry_profile: retryProfile } = body.value;
  const known = knownTypes(eventTypes);
  if (!known.ok) return known;
  const message = await parts.webhookTools.refusalOf(url);
  if (message !== null) return refuse({ kind: "invalid_url", message });
  const input: DestinationInput = {
    name: name ?? DEFAULT_NAME,
    url,
    enabled: enabled ?? true,
    eventTypes: [...new Set(eventTypes)],
    retryProfile: retryProfile ?? "standard",
  };
  const { secret, fresh } = freshSecret(parts, principal.organizationId);
  const command = { kind: "configure_destination", input, fresh } as const;
  return call.commit([ask(webhookRef(principal.organizationId), command)], ({ isNew, ...state }) => {
    const view = integrationView(state, principal);
    return done(isNew ? { ...view, secret } : view);
  });
}

async function rotate(parts: CurrentParts, call: MutatingCall): Change {
  const { principal } = call;
  const refused = unlessOwner(principal);
  if (refused !== null) return refused;
  const body = await call.body.orEmpty(rotateBody);
  if (!body.ok) return body;
  const { secret, fresh } = freshSecret(parts, principal.organizationId);
  const graceMs = (body.value.grace_seconds ?? 0) * 1_000;
  const command = { kind: "rotate_secret", fresh, graceMs } as const;
  return call.commit([ask(webhookRef(principal.organizationId), command)], (state) =>
    done({ ...integrationView(state, principal), secret }),
  );
}

function freshSecret({ webhookTools, sealing }: CurrentParts, organizationId: string) {
  const secret = webhookTools.newSecret();
  const sealed = sealing.seal("webhook", secret, signingContext(organizationId));
  const fresh: SealedSecret = { sealed, last4: secret.slice(-4) };
  return { secret, fresh };
}

async function redeliverRange(call: MutatingCall): Change {
  const refused = unlessOwner(call.principal);
  if (refused !== null) return refused;
  const body = await call.body.as(rangeBody);
  if (!body.ok) return body;
  const { since_sequence: since, until_sequence: until, event_types: eventTypes = [] } = body.value;
  if (since > until) return invalid("/until_sequence", "until_sequence must not be below since_sequence");
  const known = knownTypes(eventTypes);
  if (!known.ok) return known;
  const range = { after: since - 1, until, eventTypes };
  const command = { kind: "redeliver_range", range } as const;
  const committed = await call.commit([ask(webhookRef(call.principal.organizationId), command)], (bounded) =>
    accepted({ redelivery: { since_sequence: since, until_sequence: bounded.until, event_types: eventTypes } }),
  );
  return withVerbs(committed, call.principal);
}

async function verify(parts: CurrentParts, call: Call) {
  const body = await new RequestBody(call.request).as(verifyBody);
  if (!body.ok) return body;
  const { headers, body: text, secret } = body.value;
  const secrets = secret === undefined ? await ownSecrets(parts, call.principal.organizationId) : ok([secret]);
  if (!secrets.ok) return secrets;
  const { kind, message } = parts.webhookTools.verify({ headers, body: text }, secrets.value, parts.clock.now());
  return ok({ valid: kind === "valid", reason: kind, message });
}

/** The organization's signing secrets that count now. */
async function ownSecrets(
  { system, sealing, clock }: CurrentParts,
  organizationId: string,
): Promise<Outcome<string[]>> {
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
