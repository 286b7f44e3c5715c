/**
 * The webhook actor: one for each organization (HOOK-1 to HOOK-10). It numbers the organization's events, plans their
 * deliveries, and decides what follows each attempt. It is an actor of its own, so that nothing here delays or fails
 * the cause of an event.
 */
import type { ActorDefinition, RecordKey } from "../runtime/actor.ts";
import { BURST_BOUNDS } from "../runtime/turns/mailbox.ts";
import { attemptHandlers } from "./attempts.ts";
import { deliveryHandlers } from "./deliveries.ts";
import { destinationHandlers } from "./destination.ts";
import { pushHandlers } from "./pushes.ts";
import { KEPT_DELIVERY_RECORDS } from "./policy.ts";
import type { WebhookCommand, WebhookProtocol } from "./protocol.ts";
import { attemptTable, destinationTable, feedTable, webhookEventTable } from "./schema.ts";

export const webhookActor: ActorDefinition<WebhookProtocol> = {
  kind: "webhook",
  mailbox: BURST_BOUNDS,
  workingSet: KEPT_DELIVERY_RECORDS,
  needs: ({ id }, command) => [
    { table: feedTable.name, id },
    { table: destinationTable.name, id },
    ...commandAttempts(command).map((attempt): RecordKey => ({ table: attemptTable.name, id: attempt })),
    ...commandEvents(command).map((event): RecordKey => ({ table: webhookEventTable.name, id: event })),
  ],
  handlers: { ...destinationHandlers, ...deliveryHandlers, ...attemptHandlers, ...pushHandlers },
};

/** The attempts that a command names. */
function commandAttempts(command: WebhookCommand): readonly string[] {
  switch (command.kind) {
    case "prepare_attempts":
      return command.attempts.map(({ id }) => id);
    case "attempts_ended":
      return command.ends.map(({ attemptId }) => attemptId);
    case "redeliver":
      return [command.attemptId];
    case "attempts_found":
      return command.attemptIds;
    default:
      return [];
  }
}

const commandEvents = (command: WebhookCommand): readonly string[] =>
  command.kind === "prepare_attempts" ? command.attempts.map(({ eventId }) => eventId) : [];
