/** The commands and replies of an organization's webhook actor. */
import type { NewsEvent, TakeEvent } from "./events.ts";
import type { RetryProfile } from "../delivery-retries.ts";
import type { Resealed } from "../sealing.ts";
import type { Attempt, AttemptError, WebhookDestination, Feed, JobPush, Undelivered, WebhookEvent } from "./schema.ts";

/** A signing secret as it is stored. */
export type SealedSecret = WebhookDestination["secret"];

/** The fields that `PUT` sets. */
export interface DestinationInput {
  readonly name: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly eventTypes: readonly string[];
  readonly retryProfile: RetryProfile;
}

/** The configuration, and the state of its deliveries. */
export interface DestinationState {
  /** Null: nothing was given up. */
  readonly undelivered: Undelivered | null;
  readonly destination: WebhookDestination;
  readonly lastSuccessAt: string | null;
  readonly lastFailureAt: string | null;
}

/** The result of an attempt. */
export type AttemptResult =
  | { readonly kind: "delivered"; readonly httpStatus: number; readonly durationMs: number }
  | {
      readonly kind: "failed";
      readonly error: AttemptError;
      readonly httpStatus: number | null;
      readonly durationMs: number;
      /** Whether another attempt could succeed. */
      readonly isTransient: boolean;
      readonly retryAfterMs: number | null;
    }
  /** The process ended before the result was known; the receiver may have the event. */
  | { readonly kind: "interrupted" }
  /** There was nothing to send, or no destination. */
  | { readonly kind: "skipped" };

/** The end of an attempt that one effect has made. */
export interface AttemptEnd {
  readonly attemptId: string;
  readonly effectId: string;
  /** The URL that it was sent to, or null: the destination may be another one by now. */
  readonly sentTo: string | null;
  readonly result: AttemptResult;
}

/** Whose places an attempt takes: those of the organization's destination, or those of the addresses of jobs. */
export type LaneName = "webhooks" | "pushes";

/** Names an attempt, and the event that it delivers. */
export type AttemptHead = Pick<Attempt, "id" | "eventId">;

/** The data for making an attempt. */
export interface Prepared {
  readonly attempt: Attempt;
  readonly event: WebhookEvent;
  readonly destination: WebhookDestination;
}

/** The same for an attempt to tell an address the state of a job. */
export interface PreparedPush extends Pick<Prepared, "attempt" | "event"> {
  readonly push: JobPush & { readonly jobId: string };
}

/** The events that a bulk redelivery sends again. */
export interface EventRange {
  /** The number before the first one. */
  readonly after: number;
  /** The last number, included. */
  readonly until: number;
  /** Exact types and families; empty: all. */
  readonly eventTypes: readonly string[];
}

/** The fields of an event that its redelivery needs. */
export type EventHead = Pick<WebhookEvent, "id" | "type" | "source" | "sequence">;

export type WebhookCommand =
  | TakeEvent
  | { readonly kind: "read_destination" }
  /** `fresh` is the signing secret for a destination that has none. */
  | { readonly kind: "configure_destination"; readonly input: DestinationInput; readonly fresh: SealedSecret }
  | { readonly kind: "rotate_secret"; readonly fresh: SealedSecret; readonly graceMs: number }
  /**
   * The same signing secrets under another key. Skips secrets that were replaced since they were read as `former`;
   * returns the number of resealed ones.
   */
  | { readonly kind: "reseal_signing"; readonly resealed: readonly Resealed[] }
  /**
   * Adds an address that gets each state of the job, or replaces the one with this id. `event` reports the addition; if
   * the job has ended, the address gets the end at once.
   */
  | {
      readonly kind: "set_push";
      readonly jobId: string;
      readonly isOver: boolean;
      readonly push: Pick<JobPush, "id" | "url" | "scheme" | "sealed">;
      readonly event: NewsEvent;
    }
  /** Removes it; attempts to tell it that wait are skipped. `event` reports the removal. */
  | { readonly kind: "remove_push"; readonly jobId: string; readonly pushId: string; readonly event: NewsEvent }
  | { readonly kind: "read_pushes"; readonly jobId: string }
  /** The same sealed texts under another key, as `reseal_signing`. */
  | { readonly kind: "reseal_pushes"; readonly jobId: string; readonly resealed: readonly Resealed[] }
  /** Numbers the event and sends it, whatever the subscriptions are. */
  | { readonly kind: "send_test"; readonly event: NewsEvent }
  /** Sends the event of this attempt again, as a delivery of its own. */
  | { readonly kind: "redeliver"; readonly attemptId: string }
  | { readonly kind: "redeliver_range"; readonly range: EventRange }
  /** The newest number of the feed. */
  | { readonly kind: "read_feed" }
  | { readonly kind: "prepare_attempts"; readonly attempts: readonly AttemptHead[] }
  | { readonly kind: "attempts_ended"; readonly ends: readonly AttemptEnd[] }
  /** The due attempts in the table, and when the first of the others is due. */
  | {
      readonly kind: "attempts_found";
      readonly effectId: string;
      /** The search's limit: due by then, or null for all waiting attempts. */
      readonly until: string | null;
      readonly attemptIds: readonly string[];
      readonly isAll: boolean;
      readonly nextDueAt: string | null;
    }
  /** The alarm of retries of a lane; absent in alarms of before: `webhooks`. */
  | { readonly kind: "attempts_due"; readonly lane?: LaneName }
  /** `rest` is null if there are no more. */
  | {
      readonly kind: "redeliver_page";
      readonly effectId: string;
      readonly events: readonly EventHead[];
      readonly rest: EventRange | null;
    };

export interface WebhookReplies {
  take_event: null;
  read_destination: DestinationState | null;
  configure_destination: DestinationState & { readonly isNew: boolean; readonly isUnchanged: boolean };
  rotate_secret: DestinationState;
  reseal_signing: number;
  set_push: JobPush;
  remove_push: null;
  read_pushes: readonly JobPush[];
  reseal_pushes: number;
  send_test: Attempt;
  redeliver: Attempt;
  redeliver_range: EventRange;
  read_feed: Pick<Feed, "sequence">;
  /** In the order of the request; null if there is nothing to send, or no destination. */
  prepare_attempts: readonly (Prepared | PreparedPush | null)[];
  attempts_ended: null;
  attempts_found: null;
  attempts_due: null;
  redeliver_page: null;
}

export interface WebhookProtocol {
  readonly command: WebhookCommand;
  readonly replies: WebhookReplies;
}
