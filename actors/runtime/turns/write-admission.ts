/** Whether a group may be stored: the storage must have room (RT-17), and the guard of quotas must admit it. */
import type { Draft } from "./draft.ts";
import type { DispatchOptions } from "./members.ts";
import type { Fault } from "../../fault.ts";
import type { RecordWrite } from "../store.ts";

/** The disk is checked every second, and room is not freed much faster. */
export const STORAGE_FULL: Fault = { kind: "storage_full", retryAfterMs: 10_000 };

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
  /** The approximate total size of what it stores. */
  readonly bytes: number;
}

/**
 * The port through which the composition bounds how much an organization stores (quotas). It is called once for each
 * requested group, right before the group leaves for the store, so no way of creating a record can bypass it. It is not
 * called for messages and alarms, which continue admitted work.
 */
export interface WriteGuard {
  /** Null: no quota applies. */
  admit(organizationId: string, changes: readonly RecordWrite[], stored: Stored): Verdict | null;
  /** Other replicas may have stored something for the organizations of these shards, so drop what is known of them. */
  forget(shards: ReadonlySet<number>): void;
}

export interface WriteHost {
  /** False while the storage is nearly full: then only commits that shrink it or serve reads are stored. */
  hasRoom(): boolean;
  /** Bounds how much an organization stores; null: no bound. */
  readonly guard: WriteGuard | null;
}

/** Null: admitted, and no quota counts it. `bytes` is about its stored size. */
export function admitWrites(host: WriteHost, draft: Draft, options: DispatchOptions, bytes: number): Verdict | null {
  if (!host.hasRoom() && needsRoom(draft)) return { kind: "refused", fault: STORAGE_FULL };
  const { guard } = host;
  const [first] = draft.actors;
  // Messages and alarms continue work that was admitted.
  const goesOn = options.consumes !== undefined || options.clears !== undefined;
  if (guard === null || first === undefined || goesOn || draft.isEmpty) return null;
  const changes = [...draft.writes.records, ...draft.actors.flatMap(({ records }) => records)];
  return guard.admit(first.actor.ref.organizationId, changes, { events: draft.writes.events.length, bytes });
}

/** Whether a group stores records or events of an actor that does not write while the storage is full. */
const needsRoom = (draft: Draft): boolean =>
  draft.actors.some(
    ({ actor, records, head }) => actor.definition.writesWhenFull !== true && (records.length > 0 || head !== null),
  );
