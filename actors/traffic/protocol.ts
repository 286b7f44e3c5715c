/** What an organization's traffic actor can be asked, and what it answers. */
import type { RateLimit } from "./policy.ts";
import type { KeyEnding, RunningKey } from "./schema.ts";

/** What an identity may still do. */
export interface RateState {
  readonly isAdmitted: boolean;
  /** Requests of a window. */
  readonly budget: number;
  /** Those that are left of it. */
  readonly remaining: number;
  /** Wall clock in ms at which the next window begins. */
  readonly resetAtMs: number;
}

/** One request under an idempotency key. */
export interface KeyClaim {
  /** The key within its scope, as a hash. */
  readonly keyId: string;
  /** Of the request's input: the same key with another one is a conflict. */
  readonly fingerprint: string;
  /** The request itself, so that it knows a running key as its own. */
  readonly holder: string;
  /** The same under former keys of the service, where there are some. */
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
  /** Counts one request of an identity. Past the budget the answer says so; it is no refusal. */
  | { readonly kind: "admit_request"; readonly identity: string; readonly limit: RateLimit }
  /** Gives back what these identities have reserved and not spent. */
  | { readonly kind: "give_back"; readonly identities: readonly string[] }
  /** What the request came to before; null where it may begin. Refuses conflicts, and what still runs. */
  | { readonly kind: "find_key"; readonly claim: KeyClaim }
  /** Keeps what the request has come to, unless it has come to something before. */
  | { readonly kind: "keep_key"; readonly claim: KeyClaim; readonly ending: KeyEnding | RunningKey }
  /** The answer of work that has ended; the first one stays. */
  | { readonly kind: "settle_key"; readonly keyId: string; readonly ending: KeyEnding }
  /** The holder of a running key gives up. */
  | { readonly kind: "release_key"; readonly claim: KeyClaim }
  /** What is kept of a session of an MCP client. */
  | { readonly kind: "find_session"; readonly session: SessionName }
  /** Its client has ended it, for ever. */
  | { readonly kind: "end_session"; readonly session: SessionName }
  /** Refuses a session that is over, and more than a session or a person may have. */
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
