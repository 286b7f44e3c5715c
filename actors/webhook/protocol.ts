/** What an organization's webhook actor can be asked, and what it answers. */
import type { NewsEvent, TakeEvent } from "./events.ts";
import type { RetryProfile } from "./policy.ts";
import type { Resealed } from "../sealing.ts";
import type { Attempt, AttemptError, Destination, Feed, WebhookEvent } from "./schema.ts";

/** A signing secret as it is stored. */
export type SealedSecret = Destination["secret"];

/** What `PUT` sets. */
export interface DestinationInput {
  readonly name: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly eventTypes: readonly string[];
  readonly retryProfile: RetryProfile;
}

/** The configuration with what has become of its deliveries. */
export interface DestinationState {
  readonly destination: Destination;
  readonly lastSuccessAt: string | null;
  readonly lastFailureAt: string | null;
}

/** How an attempt has ended. */
export type AttemptResult =
  | { readonly kind: "delivered"; readonly httpStatus: number; readonly durationMs: number }
  | {
      readonly kind: "failed";
      readonly error: AttemptError;
      readonly httpStatus: number | null;
      readonly durationMs: number;
      /** Whether another attempt could end otherwise. */
      readonly isTransient: boolean;
      readonly retryAfterMs: number | null;
    }
  /** The process has ended before it knew; whether the receiver has it is open. */
  | { readonly kind: "interrupted" }
  /** There was nothing to send, or nowhere to send it to. */
  | { readonly kind: "skipped" };

/** The end of an attempt that one effect has made. */
export interface AttemptEnd {
  readonly attemptId: string;
  readonly effectId: string;
  readonly result: AttemptResult;
}

/** Names an attempt, and the event that it delivers. */
export type AttemptHead = Pick<Attempt, "id" | "eventId">;

/** What is needed to make an attempt. */
export interface Prepared {
  readonly attempt: Attempt;
  readonly event: WebhookEvent;
  readonly destination: Destination;
}

/** Which events a bulk redelivery sends again. */
export interface EventRange {
  /** Numbers greater than this. */
  readonly after: number;
  /** Up to this one. */
  readonly until: number;
  /** Exact types and families; empty: all. */
  readonly eventTypes: readonly string[];
}

/** An event as far as its redelivery needs it. */
export type EventHead = Pick<WebhookEvent, "id" | "type" | "source" | "sequence">;

export type WebhookCommand =
  | TakeEvent
  | { readonly kind: "read_destination" }
  /** `fresh` is the signing secret of a destination that has none. */
  | { readonly kind: "configure_destination"; readonly input: DestinationInput; readonly fresh: SealedSecret }
  | { readonly kind: "rotate_secret"; readonly fresh: SealedSecret; readonly graceMs: number }
  /** The same signing secrets under another key; one that was replaced since it was read as `former` stays so. Answers how many. */
  | { readonly kind: "reseal_signing"; readonly resealed: readonly Resealed[] }
  /** Numbers the event and sends it, whatever is subscribed to. */
  | { readonly kind: "send_test"; readonly event: NewsEvent }
  /** The event of this attempt once more, as a delivery of its own. */
  | { readonly kind: "redeliver"; readonly attemptId: string }
  | { readonly kind: "redeliver_range"; readonly range: EventRange }
  /** How far the feed goes. */
  | { readonly kind: "read_feed" }
  | { readonly kind: "prepare_attempts"; readonly attempts: readonly AttemptHead[] }
  | { readonly kind: "attempts_ended"; readonly ends: readonly AttemptEnd[] }
  /** What the table has that is due, and when the first of the others will be. */
  | {
      readonly kind: "attempts_found";
      readonly effectId: string;
      /** What was asked for: due by then, or null for all that wait. */
      readonly until: string | null;
      readonly attemptIds: readonly string[];
      readonly isAll: boolean;
      readonly nextDueAt: string | null;
    }
  /** The alarm of retries. */
  | { readonly kind: "attempts_due" }
  /** `rest` is null when there are no more. */
  | {
      readonly kind: "redeliver_page";
      readonly effectId: string;
      readonly events: readonly EventHead[];
      readonly rest: EventRange | null;
    };

export interface WebhookReplies {
  take_event: null;
  read_destination: DestinationState | null;
  configure_destination: DestinationState & { readonly isNew: boolean };
  rotate_secret: DestinationState;
  reseal_signing: number;
  send_test: Attempt;
  redeliver: Attempt;
  redeliver_range: EventRange;
  read_feed: Pick<Feed, "sequence">;
  /** In the order asked; null where there is nothing to send, or nowhere to send it to. */
  prepare_attempts: readonly (Prepared | null)[];
  attempts_ended: null;
  attempts_found: null;
  attempts_due: null;
  redeliver_page: null;
}

export interface WebhookProtocol {
  readonly command: WebhookCommand;
  readonly replies: WebhookReplies;
}
