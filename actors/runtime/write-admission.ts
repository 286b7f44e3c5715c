/** Whether a group may be stored: the storage must have room, and the guard of quotas must admit it. */
import type { Draft } from "./draft.ts";
import { needsRoom, STORAGE_FULL } from "./room.ts";
import type { DispatchOptions } from "./shards.ts";
import type { RecordChange, Verdict, WriteGuard } from "./write-guard.ts";

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
  const changes: RecordChange[] = [...draft.writes.records];
  for (const { overlay } of draft.actors)
    for (const [key, record] of overlay) changes.push({ table: key.slice(0, key.indexOf("/")), record });
  return guard.admit(first.actor.ref.organizationId, changes, { events: draft.writes.events.length, bytes });
}
