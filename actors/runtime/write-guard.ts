/**
 * The port through which the composition bounds how much an organization stores (quotas). It is called once for each
 * requested group, right before the group leaves for the store, so no way of creating a record can bypass it. It is not
 * called for messages and alarms, which continue admitted work.
 */
import type { Fault } from "../fault.ts";
import type { RecordFields } from "./actor.ts";

/** A record as a group changes it. */
export interface RecordChange {
  readonly table: string;
  readonly record: RecordFields;
}

export type Verdict =
  /** Not known yet: ask again when this has resolved. It does not reject. */
  | { readonly kind: "wait"; readonly until: Promise<void> }
  | { readonly kind: "refused"; readonly fault: Fault }
  /** Call `ended` once, with whether the group was stored. */
  | { readonly kind: "admitted"; ended(isStored: boolean): void };

/** What else a group adds. */
export interface Stored {
  /** Events of streams. */
  readonly events: number;
  /** About the total size of what it stores. */
  readonly bytes: number;
}

export interface WriteGuard {
  /** Null: no quota applies. */
  admit(organizationId: string, changes: readonly RecordChange[], stored: Stored): Verdict | null;
  /** Other replicas may have stored something for the organizations of these shards, so drop what is known of them. */
  forget(shards: ReadonlySet<number>): void;
}
