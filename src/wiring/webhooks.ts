/** Assembles the delivery of webhooks: the guarded client, the service's key, the surface's view of an event. */
import type { Chance, Clock } from "../../actors/runtime/ports.ts";
import type { EffectHandler } from "../../actors/runtime/outputs/effects.ts";
import type { Tracing } from "../../actors/runtime/tracing.ts";
import { ok } from "../../actors/fault.ts";
import { type Job, jobRef } from "../../actors/job/schema.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import type { Sealing } from "../../actors/sealing.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import { webhookEffects, type WebhookSender } from "../../actors/webhook/delivering.ts";
import type { WebhookQueue } from "../../actors/webhook/directory.ts";
import type { WebhookEvent } from "../../actors/webhook/schema.ts";
import type { Meters } from "../metrics/meters.ts";
import { meteredSender } from "./metered.ts";
import { tracedSender } from "./traced.ts";
import { webhookEventView } from "../current/events/view.ts";
import { jobFields } from "../current/jobs/view.ts";
import { a2aPushBody } from "../dialects/a2a/push.ts";
import type { TaskJob } from "../dialects/a2a/task.ts";
import type { WebhookTools } from "../operations/services.ts";
import type { Egress } from "../egress/egress.ts";
import type { EgressError } from "../egress/failure.ts";
import { createWebhookSender, type SenderParts } from "../egress/webhook-sender.ts";
import { newSigningSecret } from "../egress/webhook-signature.ts";
import { verifySignature } from "../egress/webhook-verification.ts";

export interface WebhookParts {
  readonly egress: Egress;
  readonly sealing: Sealing;
  readonly queue: WebhookQueue;
  readonly clock: Clock;
  readonly chance: Pick<Chance, "fraction">;
  readonly log: { warn(fields: object, message: string): void };
  readonly system: Pick<TroupeSystem, "dispatch" | "dispatchGroup" | "joinNext">;
  /** Where clients reach the service. */
  readonly appUrl: string;
  /** Counts attempts; absent if metrics are off. */
  readonly meters?: Meters | null;
  /** Traces attempts; absent if tracing is off. */
  readonly tracing?: Tracing | null;
}

/** The handlers of webhook effects. */
export const webhookHandlers = (parts: WebhookParts) => {
  const { queue, clock, chance, log, system } = parts;
  return webhookEffects({
    sender: senderOf(parts),
    queue,
    clock,
    chance,
    log,
    group: (members, options) => system.dispatchGroup(members, options),
    joinNext: (organizationId, run) => system.joinNext(organizationId, run),
  }) satisfies Readonly<Record<string, EffectHandler>>;
};

function senderOf({ egress, sealing, clock, system, appUrl, meters, tracing }: WebhookParts): WebhookSender {
  const bodyOf = (event: WebhookEvent): string => JSON.stringify(webhookEventView(event, appUrl));
  const traceHeaders = tracing === null || tracing === undefined ? undefined : () => tracing.headers();
  const pushBodyOf: SenderParts["pushBodyOf"] = async (organizationId, { jobId, userId }) => {
    const member =
      userId === undefined
        ? ok(null)
        : await system.dispatch(organizationRef(organizationId), { kind: "read_member", userId });
    if (!member.ok) return member;
    const job = await system.dispatch(jobRef(organizationId, jobId), { kind: "read_job" });
    return job.ok ? ok(a2aPushBody(taskJobOf(job.value), appUrl)) : job;
  };
  const plain = createWebhookSender({ egress, sealing, clock, bodyOf, pushBodyOf, traceHeaders });
  const sender = meters === null || meters === undefined ? plain : meteredSender(plain, meters);
  return tracing === null || tracing === undefined ? sender : tracedSender(sender, tracing);
}

/** The job as a task's view of it: what everybody who may know of it sees. */
const taskJobOf = (job: Job): TaskJob => ({ ...jobFields(job), version: job.version, updated_at: job.updatedAt });

/** Time limit for resolving a name when a destination is set. */
const LOOK_UP_MS = 3_000;

/** Permanent reasons to refuse an address; other failures may be transient. */
const ADDRESS_REFUSALS = {
  invalid_url: "The URL must be absolute, with a valid host and without a user name or password",
  https_required:
    "The URL must begin with https://; an operator can open plain http to a service of their own by its origin in EGRESS_ALLOW",
  blocked_address: "The URL leads to an address that is not public; an operator can open it with EGRESS_ALLOW",
} satisfies Partial<Record<EgressError, string>>;
const isRefusal = (error: EgressError): error is keyof typeof ADDRESS_REFUSALS =>
  Object.hasOwn(ADDRESS_REFUSALS, error);
const OTHER_SCHEME = /^(?!https?:)[a-z][a-z0-9+.-]*:/i;

/** Implements what the surface needs for webhooks (port: `WebhookTools`). */
export const webhookTools = (egress: Pick<Egress, "resolve">): WebhookTools => ({
  async refusalOf(url) {
    const found = await egress.resolve(url, { timeoutMs: LOOK_UP_MS });
    if (found.kind === "destination") return null;
    if (OTHER_SCHEME.test(url)) return ADDRESS_REFUSALS.https_required;
    // Plain http is only for hosts that the operator has opened; an unresolved host may not be one.
    const isPlain = url.startsWith("http:");
    return isRefusal(found.error) ? ADDRESS_REFUSALS[found.error] : isPlain ? ADDRESS_REFUSALS.https_required : null;
  },
  newSecret: newSigningSecret,
  verify: verifySignature,
});
