/** Port: sends an attempt. */
import type { AttemptResult, Prepared } from "./protocol.ts";

export interface WebhookSender {
  /** Sends the event, signed, in one HTTP exchange. Does not reject; null if the signal aborted it before it ended. */
  send(
    prepared: Prepared,
    signal: AbortSignal,
  ): Promise<Exclude<AttemptResult, { readonly kind: "interrupted" }> | null>;
}
