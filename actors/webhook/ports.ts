/** Port: how an attempt leaves the service. */
import type { AttemptResult, Prepared } from "./protocol.ts";

export interface WebhookSender {
  /**
   * Sends the event, signed, in one HTTP exchange. Does not reject; null where the signal has ended it
   * before it had an end of its own.
   */
  send(
    prepared: Prepared,
    signal: AbortSignal,
  ): Promise<Exclude<AttemptResult, { readonly kind: "interrupted" }> | null>;
}
