/**
 * The port through which the composition bounds what an organization stores (quotas). It is asked once for each
 * group that somebody has asked for, right before the group leaves for the store, so no way of making a record can
 * go round it. Messages and alarms go on with what was begun, and are not asked for.
 */
import type { Fault } from "../fault.ts";
import type { RecordFields } from "./actor.ts";

/** A record as a group leaves it. */
export interface RecordChange {
  readonly table: string;
  readonly record: RecordFields;
}

export type Verdict =
  /** Not known yet: ask again when this has resolved. It does not reject. */
  | { readonly kind: "wait"; readonly until: Promise<void> }
  | { readonly kind: "refused"; readonly fault: Fault }
  /** `ended` is called once, with whether the group may be stored. */
  | { readonly kind: "admitted"; ended(isStored: boolean): void };

/** What a group adds besides. */
export interface Stored {
  /** Events of streams. */
  readonly events: number;
  /** About what it stores, all together. */
  readonly bytes: number;
}

export interface WriteGuard {
  /** Null: nothing of it is bounded. */
  admit(organizationId: string, changes: readonly RecordChange[], stored: Stored): Verdict | null;
  /** Other replicas may have stored something for the organizations of these shards: what is known of them does not count. */
  forget(shards: ReadonlySet<number>): void;
}
