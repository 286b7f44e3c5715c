/** The deliveries of webhooks, put together: the guarded client, the service's key, the surface's view of an event. */
import type { Clock } from "../actors/runtime/clock.ts";
import type { EffectHandler } from "../actors/runtime/effects.ts";
import type { Sealing } from "../actors/sealing.ts";
import type { TroupeSystem } from "../actors/troupe.ts";
import { webhookEffects } from "../actors/webhook/delivering.ts";
import type { WebhookQueue } from "../actors/webhook/directory.ts";
import { webhookEventView } from "./current/events/view.ts";
import type { Egress } from "./egress/egress.ts";
import { createWebhookSender } from "./egress/webhook-sender.ts";

export interface WebhookParts {
  readonly egress: Egress;
  readonly sealing: Sealing;
  readonly queue: WebhookQueue;
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void };
  /** Late-bound: the system is made with these handlers. */
  readonly system: () => TroupeSystem;
  /** Where clients reach the service. */
  readonly appUrl: string;
}

/** The handlers of webhook effects. */
export const webhookHandlers = ({ egress, sealing, queue, clock, log, system, appUrl }: WebhookParts) =>
  webhookEffects({
    sender: createWebhookSender({
      egress,
      sealing,
      clock,
      bodyOf: (event) => JSON.stringify(webhookEventView(event, appUrl)),
    }),
    queue,
    clock,
    log,
    group: (members, options) => system().dispatchGroup(members, options),
  }) satisfies Readonly<Record<string, EffectHandler>>;
