/** What an organization's traffic actor can be asked, and what it answers. */

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
  { readonly kind: "admit_request"; readonly identity: string; readonly budget: number };

export interface TrafficReplies {
  admit_request: RateState;
}

export interface TrafficProtocol {
  readonly command: TrafficCommand;
  readonly replies: TrafficReplies;
}
