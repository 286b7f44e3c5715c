/**
 * The draft of one turn group: an overlay over the actors that it touches, and all outputs of its turns. Nothing of it
 * reaches the actors, the database or anybody else until the whole group has run without a refusal; then `apply` puts
 * it in all at once.
 *
 * - DR-1: a refused group leaves no trace, whichever of its turns refused.
 * - DR-2: the head of a stream only rises, and each event gets the next number.
 */
import { assert } from "../../assert.ts";
import { newId, type RandomText } from "../../ids.ts";
import { isoTime, type JsonObject } from "../../schema.ts";
import type { ActorRef, NewRecord, Peeked, RecordFields, RecordKey, StreamRecord, Table } from "../actor.ts";
import type { GroupTrace } from "./group-trace.ts";
import type { LiveActor, PendingGroup, ReadRecord } from "./live-actor.ts";
import type { VolatileWrite } from "./volatile-state.ts";
import { carrying } from "../tracing.ts";
import { markAfter, type Publication } from "../streams/live-text.ts";
import {
  alarmId,
  type AlarmRecord,
  alarmTable,
  type AlarmRow,
  noWrites,
  type RecordWrite,
  type StoredEvent,
  type Writes,
} from "../store.ts";

/** Thrown by `tx.read`; the runtime loads the record and runs the group again. Never leaves the runtime. */
export class MissingRecord extends Error {
  readonly actor: LiveActor;
  readonly key: RecordKey;
  constructor(actor: LiveActor, key: RecordKey) {
    super(`${key.table}/${key.id} is not loaded`);
    this.actor = actor;
    this.key = key;
  }
}

/** A group's changes to one actor. Most groups only read, so the parts for writers are created on demand. */
export class ActorDraft {
  readonly actor: LiveActor;
  /** The stream's head as this group sees it, once it has appended. */
  head: number | null = null;
  /** The last uncommitted group whose records its turns have read. */
  seen: PendingGroup | null = null;
  /** The values that its turns have remembered, in order: the last one of a key counts; null: none. */
  remembered: VolatileWrite[] | null = null;
  /** Whether the actor's own record counts as missing while it is not loaded. */
  isNew = false;
  private written: Map<string, RecordFields> | null = null;
  private said: Publication[] | null = null;

  constructor(actor: LiveActor) {
    this.actor = actor;
  }

  /** Its records as this group has changed them, alarms among them, by `recordKey`. */
  get overlay(): ReadonlyMap<string, RecordFields> {
    return this.written ?? NO_RECORDS;
  }

  /** The records that it writes, with what they were before the group. */
  get records(): readonly RecordWrite[] {
    if (this.written === null) return NO_CHANGES;
    const records: RecordWrite[] = [];
    for (const [key, record] of this.written) {
      if (key.startsWith(ALARMS)) continue;
      const before = this.actor.get(key) ?? null;
      const table = key.slice(0, key.indexOf("/"));
      records.push(before === null ? { table, record } : { table, record, before });
    }
    return records;
  }

  /** The alarms that it sets. */
  get alarms(): readonly AlarmRow[] {
    if (this.written === null) return NO_CHANGES;
    const { ref } = this.actor;
    const alarms: AlarmRow[] = [];
    for (const [key, record] of this.written) {
      if (!key.startsWith(ALARMS)) continue;
      const { id, dueAtMs, command } = record as AlarmRecord;
      const name = id.slice(ref.id.length + 1);
      if (dueAtMs !== null && command !== null) alarms.push({ ...addressOf(ref), name, dueAtMs, command });
    }
    return alarms;
  }

  get publications(): readonly Publication[] {
    return this.said ?? NO_CHANGES;
  }

  put(key: string, record: RecordFields): void {
    (this.written ??= new Map()).set(key, record);
  }

  say(publication: Publication): void {
    (this.said ??= []).push(publication);
  }
}

function absent({ actor, isNew }: ActorDraft, key: RecordKey): null {
  if (isNew && key.id === actor.ref.id) return null;
  throw new MissingRecord(actor, key);
}

const ALARMS = `${alarmTable.name}/`;
const NO_RECORDS: ReadonlyMap<string, RecordFields> = new Map();
const NO_CHANGES: readonly never[] = [];

/** An actor that this group's commit creates. */
export interface Birth {
  readonly ref: ActorRef;
  readonly table: string;
  readonly record: RecordFields;
  readonly events: readonly StoredEvent[];
}

/** An actor's address as rows have it. */
export const addressOf = (ref: ActorRef) => ({
  organizationId: ref.organizationId,
  actorKind: ref.kind,
  actorId: ref.id,
});

export const recordKey = (table: string, id: string): string => `${table}/${id}`;

export class Draft {
  readonly now: number;
  readonly random: RandomText;
  readonly actors: ActorDraft[] = [];
  /** Whether a turn has declared that no caller waits for its commit. */
  isPatient = false;
  /** Until when its reply holds, as its turn has declared; null: not declared. */
  holdsUntilMs: number | null = null;
  /** The records that its turns have read, if its reply is to be kept; null if it is not, or cannot be. */
  reads: ReadRecord[] | null = null;
  // Most groups only read, so the parts for writers are created on demand.
  private born: Birth[] | null = null;
  private interrupted: string[] | null = null;
  private written: Writes | null = null;
  private isoNow: string | null = null;
  private readonly trace: Pick<GroupTrace, "carrier"> | null;

  /** `trace`: the group's trace, if any. `keptAs`: the name of the question whose reply is to be kept. */
  constructor(
    now: number,
    random: RandomText,
    trace: Pick<GroupTrace, "carrier"> | null = null,
    keptAs: string | null = null,
  ) {
    this.now = now;
    this.random = random;
    this.trace = trace;
    if (keptAs !== null) this.reads = [];
  }

  /** The carrier for work that this group begins; null without a trace. */
  get carrier(): string | null {
    return this.trace === null ? null : this.trace.carrier;
  }

  get writes(): Writes {
    return (this.written ??= noWrites());
  }

  /** The actors that its commit creates. */
  get births(): readonly Birth[] {
    return this.born ?? NO_CHANGES;
  }

  /** Effects to abort after its commit. */
  get interrupts(): readonly string[] {
    return this.interrupted ?? NO_CHANGES;
  }

  bear(birth: Birth): void {
    (this.born ??= []).push(birth);
  }

  interrupt(effectId: string): void {
    (this.interrupted ??= []).push(effectId);
  }

  /** Whether its turns store nothing. */
  get isEmpty(): boolean {
    if (this.written !== null) return false;
    for (const { overlay } of this.actors) if (overlay.size > 0) return false;
    return true;
  }

  private get time(): string {
    return (this.isoNow ??= isoTime(this.now));
  }

  /** The group's changes to one actor. An actor may have several turns in it. */
  of(actor: LiveActor): ActorDraft {
    for (const draft of this.actors) if (draft.actor === actor) return draft;
    const draft = new ActorDraft(actor);
    this.actors.push(draft);
    return draft;
  }

  read(draft: ActorDraft, table: string, id: string): RecordFields | null {
    const key = recordKey(table, id);
    const own = draft.overlay.get(key);
    if (own !== undefined) return own;
    const slot = draft.actor.find(key);
    if (slot === undefined) return absent(draft, { table, id });
    const { record, pending } = slot;
    this.reads?.push({ slot, record });
    if (pending !== null && (draft.seen === null || pending.order > draft.seen.order)) draft.seen = pending;
    return record;
  }

  peek(draft: ActorDraft, table: string, id: string): Peeked<RecordFields> {
    const { actor, overlay } = draft;
    this.reads = null;
    const key = recordKey(table, id);
    const own = overlay.get(key);
    if (own !== undefined) return { record: own, isStored: false };
    const slot = actor.find(key);
    if (slot === undefined) return { record: absent(draft, { table, id }), isStored: false };
    return { record: slot.record, isStored: slot.pending === null };
  }

  stamp<T extends RecordFields>(organizationId: string, record: NewRecord<T>): T {
    const stamped = { ...record, organizationId, version: 1, createdAt: this.time, updatedAt: this.time };
    // NewRecord<T> is T less the four fields that are added here; TypeScript cannot see that for a generic T.
    return stamped as unknown as T;
  }

  update<T extends RecordFields>(draft: ActorDraft, table: Table<T>, record: T): T {
    const key = recordKey(table.name, record.id);
    const before = draft.actor.get(key) ?? null;
    const version = before === null ? record.version : before.version + 1;
    const { head } = draft;
    const { stream } = draft.actor.definition;
    const isStream = head !== null && stream?.name === table.name && record.id === draft.actor.ref.id;
    // The reply shows the head after this turn's events, as the stored record will.
    const updated = { ...record, ...(isStream ? { lastSeq: head } : {}), version, updatedAt: this.time };
    draft.put(key, updated);
    return updated;
  }

  head(draft: ActorDraft): number {
    if (draft.head !== null) return draft.head;
    const { ref, definition } = draft.actor;
    assert(definition.stream !== undefined, `${ref.kind} has a stream`);
    const record = this.read(draft, definition.stream.name, ref.id) as StreamRecord | null;
    assert(record !== null, `${definition.stream.name} ${ref.id} exists before its events`);
    return record.lastSeq;
  }

  append(draft: ActorDraft, type: string, data: JsonObject): number {
    const seq = this.head(draft) + 1;
    draft.head = seq;
    const live = markAfter(draft.actor.live, draft.publications);
    const event: StoredEvent = { seq, type, at: this.time, data, ...(live === null ? {} : { live }) };
    const { organizationId, id: stream } = draft.actor.ref;
    this.writes.events.push({ ...event, organizationId, stream });
    draft.say({ kind: "event", event });
    return event.seq;
  }

  /** A message to another actor, with this group's commit. */
  send(to: ActorRef, command: { readonly kind: string }): void {
    const carried = carrying(command, this.carrier);
    this.writes.messages.push({ id: newId("amg", this.random), ...addressOf(to), command: carried });
  }

  setAlarm(draft: ActorDraft, name: string, alarm: Pick<AlarmRecord, "dueAtMs" | "command">): void {
    const { organizationId, id: actorId } = draft.actor.ref;
    const id = alarmId({ actorId, name });
    this.update(draft, alarmTable, this.stamp<AlarmRecord>(organizationId, { id, ...alarm }));
  }

  clearAlarm(draft: ActorDraft, name: string): void {
    const { organizationId, id: actorId } = draft.actor.ref;
    this.setAlarm(draft, name, { dueAtMs: null, command: null });
    this.writes.cleared.push({ organizationId, actorId, name });
  }

  /** The command of an alarm that has come due, which this group answers; null if the actor has replaced or cleared it. */
  takeAlarm(draft: ActorDraft, { actorId, name, dueAtMs }: AlarmRow): AlarmRecord["command"] {
    const alarm = this.read(draft, alarmTable.name, alarmId({ actorId, name })) as AlarmRecord | null;
    if (alarm?.dueAtMs !== dueAtMs) return null;
    this.clearAlarm(draft, name);
    return alarm.command;
  }

  /** The group's turns have run: their volatile values and publications now apply to the next turns. */
  keepVolatile(): void {
    for (const { actor, remembered, publications } of this.actors) {
      actor.live = markAfter(actor.live, publications);
      if (remembered !== null) for (const write of remembered) actor.volatile.set(write);
    }
  }

  /** The group must run again, so actors that remember its first run are evicted. */
  forget(): void {
    for (const { actor, remembered, publications } of this.actors)
      if (remembered !== null || publications.length > 0) actor.isEvicted = true;
  }

  /** Ends the group: puts the heads of the streams and the last state of each record into the writes. */
  seal(): Writes {
    for (const draft of this.actors) {
      const stream = draft.actor.definition.stream;
      if (draft.head !== null && stream !== undefined) {
        const record = this.read(draft, stream.name, draft.actor.ref.id) as StreamRecord;
        assert(draft.head >= record.lastSeq, "the head of a stream only rises (DR-2)");
        this.update(draft, stream, { ...record, lastSeq: draft.head });
      }
      this.writes.records.push(...draft.records);
      this.writes.alarms.push(...draft.alarms);
    }
    return this.writes;
  }
}
