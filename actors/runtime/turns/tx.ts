/** The operations of a turn (`Tx`), on the draft of its group. */
import { assert } from "../../assert.ts";
import { type IdPrefix, newId, type RandomText } from "../../ids.ts";
import { isoTime, type JsonObject } from "../../schema.ts";
import type { ActorRef, NewEvent, NewRecord, Peeked, RecordFields, Table, Tx } from "../actor.ts";
import { type ActorDraft, addressOf, type Draft, recordKey } from "./draft.ts";
import { carrying } from "../tracing.ts";
import type { VolatileTable } from "./volatile-state.ts";

export class GroupTx implements Tx {
  readonly self: ActorRef;
  readonly now: number;
  readonly random: RandomText;
  private readonly group: Draft;
  private readonly draft: ActorDraft;

  constructor(group: Draft, draft: ActorDraft) {
    this.group = group;
    this.draft = draft;
    this.self = draft.actor.ref;
    this.now = group.now;
    this.random = group.random;
  }

  get carrier(): string | null {
    return this.group.carrier;
  }

  id(prefix: IdPrefix): string {
    return newId(prefix, this.random);
  }

  read<T extends RecordFields>(table: Table<T>, id: string): T | null {
    return this.group.read(this.draft, table.name, id) as T | null;
  }

  peek<T extends RecordFields>(table: Table<T>, id: string): Peeked<T> {
    return this.group.peek(this.draft, table.name, id) as Peeked<T>;
  }

  versionAfter(table: Table<RecordFields>, id: string): number {
    this.group.reads = null;
    return (this.draft.actor.get(recordKey(table.name, id))?.version ?? 0) + 1;
  }

  create<T extends RecordFields>(table: Table<T>, record: NewRecord<T>): T {
    const stamped = this.group.stamp<T>(this.self.organizationId, record);
    this.draft.put(recordKey(table.name, stamped.id), stamped);
    return stamped;
  }

  update<T extends RecordFields>(table: Table<T>, record: T): T {
    return this.group.update(this.draft, table, record);
  }

  birth<T extends RecordFields>(
    ref: ActorRef,
    table: Table<T>,
    record: NewRecord<T>,
    events: readonly NewEvent[] = [],
  ): T {
    assert(ref.organizationId === this.self.organizationId, "an actor is born in its creator's organization");
    const stamped = this.group.stamp<T>(this.self.organizationId, record);
    const at = isoTime(this.now);
    const rows = events.map((e, i) => ({ seq: i + 1, type: e.type, at, data: e.data }));
    this.group.bear({ ref, table: table.name, record: stamped, events: rows });
    this.group.writes.records.push({ table: table.name, record: stamped });
    for (const row of rows) {
      this.group.writes.events.push({ ...row, organizationId: ref.organizationId, stream: ref.id });
    }
    return stamped;
  }

  recall<T>(table: VolatileTable<T>, key: string): T | null {
    this.group.reads = null;
    const { remembered, actor } = this.draft;
    const own = remembered?.findLast((t) => t.table === table && t.key === key);
    return own === undefined ? actor.volatile.get(table, key) : (own.value as T);
  }

  recallKeys(table: VolatileTable<unknown>): Iterable<string> {
    this.group.reads = null;
    return this.draft.actor.volatile.all(table).keys();
  }

  remember<T>(table: VolatileTable<T>, key: string, value: T): void {
    (this.draft.remembered ??= []).push({ table, key, value });
  }

  append(type: string, data: JsonObject): number {
    return this.group.append(this.draft, type, data);
  }

  head(): number {
    return this.group.head(this.draft);
  }

  beginText(messageId: string, attempt: number, text: string, known = 0): void {
    this.draft.say({ kind: "begin", messageId, attempt, text, known });
  }

  addText(messageId: string, text: string): void {
    this.draft.say({ kind: "add", messageId, text });
  }

  endText(messageId: string): void {
    this.draft.say({ kind: "end", messageId });
  }

  send(to: ActorRef, command: { readonly kind: string }): void {
    this.group.send(to, command);
  }

  effect(of: ActorRef, kind: string, intent: JsonObject): string {
    const id = this.id("eff");
    this.group.writes.effects.push({ id, ...addressOf(of), kind, intent: carrying(intent, this.carrier) });
    return id;
  }

  settle(effectId: string): void {
    this.group.writes.settled.push(effectId);
  }

  interrupt(effectId: string): void {
    this.group.interrupt(effectId);
  }

  setAlarm(name: string, dueAtMs: number, command: { readonly kind: string }): void {
    this.group.setAlarm(this.draft, name, { dueAtMs, command });
  }

  clearAlarm(name: string): void {
    this.group.clearAlarm(this.draft, name);
  }

  holdsUntil(atMs: number): void {
    this.group.holdsUntilMs = atMs;
  }

  mayWait(): void {
    this.group.isPatient = true;
  }
}
