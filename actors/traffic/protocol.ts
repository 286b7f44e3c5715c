/** What an organization's traffic actor can be asked, and what it answers. */
import type { RateLimit } from "./policy.ts";

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

export type TrafficCommand =
  /** Counts one request of an identity. Past the budget the answer says so; it is no refusal. */
  | { readonly kind: "admit_request"; readonly identity: string; readonly limit: RateLimit }
  /** Gives back what these identities have reserved and not spent. */
  | { readonly kind: "give_back"; readonly identities: readonly string[] };

export interface TrafficReplies {
  admit_request: RateState;
  give_back: null;
}

export interface TrafficProtocol {
  readonly command: TrafficCommand;
  readonly replies: TrafficReplies;
}
