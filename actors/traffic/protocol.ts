/** The commands and replies of an organization's traffic actor. */
import type { RateLimit } from "./policy.ts";
import type { KeyEnding, RunningKey } from "./schema.ts";

/** The rate limit state of an identity. */
export interface RateState {
  readonly isAdmitted: boolean;
  /** Requests of a window. */
  readonly budget: number;
  /** Requests left in it. */
  readonly remaining: number;
  /** Wall clock in ms at which the next window begins. */
  readonly resetAtMs: number;
}

/** One request under an idempotency key. */
export interface KeyClaim {
  /** The key within its scope, as a hash. */
  readonly keyId: string;
  /** A hash of the request's input: the same key with another one is a conflict. */
  readonly fingerprint: string;
  /** Identifies the request, so that it recognizes a running key as its own. */
  readonly holder: string;
  /** The key and fingerprint under former keys of the service, if any. */
  readonly others?: readonly { readonly keyId: string; readonly fingerprint: string }[];
}

/** A session of an MCP client. */
export interface SessionName {
  readonly userId: string;
  /** A hash of its id. */
  readonly key: string;
  /** Wall clock in ms. */
  readonly openedAt: number;
}

export type TrafficCommand =
  /**
   * Counts requests of an identity: one, unless the command says how many. They are admitted together or not at all.
   * A request past the budget is not refused; the reply says that it is not admitted.
   */
  | {
      readonly kind: "admit_request";
      readonly identity: string;
      readonly limit: RateLimit;
      readonly requests?: number;
    }
  /** Returns unused reservations of these identities. */
  | { readonly kind: "give_back"; readonly identities: readonly string[] }
  /**
   * The earlier result of the request; null if it may begin. Refuses conflicts, and requests that are still running.
   */
  | { readonly kind: "find_key"; readonly claim: KeyClaim }
  /** Stores the request's result, unless it has one already. */
  | { readonly kind: "keep_key"; readonly claim: KeyClaim; readonly ending: KeyEnding | RunningKey }
  /** Stores the answer of finished work; the first one stays. */
  | { readonly kind: "settle_key"; readonly keyId: string; readonly ending: KeyEnding }
  /** The holder of a running key gives up. */
  | { readonly kind: "release_key"; readonly claim: KeyClaim }
  /** The stored state of a session of an MCP client. */
  | { readonly kind: "find_session"; readonly session: SessionName }
  /** Its client has ended it permanently. */
  | { readonly kind: "end_session"; readonly session: SessionName }
  /** Refuses a session that is over, and subscriptions past the limit of the session or the person. */
  | { readonly kind: "subscribe"; readonly session: SessionName; readonly uri: string }
  | { readonly kind: "unsubscribe"; readonly session: SessionName; readonly uri: string };

export interface TrafficReplies {
  admit_request: RateState;
  give_back: null;
  find_key: KeyEnding | null;
  keep_key: { readonly ending: KeyEnding | RunningKey; readonly isNew: boolean };
  settle_key: KeyEnding;
  release_key: null;
  find_session: { readonly isOver: boolean; readonly subscriptions: readonly string[] };
  end_session: null;
  subscribe: null;
  unsubscribe: null;
}

export interface TrafficProtocol {
  readonly command: TrafficCommand;
  readonly replies: TrafficReplies;
}
