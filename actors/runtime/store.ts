/**
 * The runtime's port to the database. One suite (`test/contract/`) runs on every implementation.
 *
 * Contract of `flush`: all writes of the batch whose shard still has the given epoch commit together, or none does.
 * `answered` names the shards that were live; writes of other shards were left out. `aborted` is certain: nothing was
 * stored. `unknown` is everything else (a lost connection, a timeout): the writes may have been stored, and may still
 * be until the epochs have been raised. When the promise resolves with `answered`, the writes are durable and every
 * later `read` and `events` sees them.
 */
import type { JsonObject } from "../schema.ts";
import { type RecordFields, table } from "./actor.ts";

export interface RecordRef {
  readonly table: string;
  readonly organizationId: string;
  readonly id: string;
}

export interface RecordWrite {
  readonly table: string;
  readonly record: RecordFields;
  /** What is stored of it before this write; absent: nothing, or it is not known. A store may write the difference. */
  readonly before?: RecordFields;
}

/** The length of a running message's text, in UTF-16 units (SSE-3). */
export interface TextMark {
  readonly messageId: string;
  readonly attempt: number;
  /** How much of the text every reader had when it began or continued. */
  readonly base: number;
  readonly position: number;
}

/** A durable event of a stream. `stream` is the id of the stream's actor. */
export interface StoredEvent {
  readonly seq: number;
  readonly type: string;
  readonly at: string;
  readonly data: JsonObject;
  /**
   * The text that was being written just before the event; absent if none was. The text itself is not stored here. With
   * this mark a reader gets text and events in their original order from the tables, too.
   */
  readonly live?: TextMark;
}
export interface EventWrite extends StoredEvent {
  readonly organizationId: string;
  readonly stream: string;
}

/** A request for events of a stream's table. */
export interface PageOfEvents {
  /** Only events after this one. */
  readonly after: number;
  /** The most events. */
  readonly limit: number;
  /**
   * The page ends with the event whose data (as JSON in UTF-8) brings it to this many bytes; omitted: only `limit`
   * counts.
   */
  readonly bytes?: number;
}
export interface EventPage {
  readonly events: readonly StoredEvent[];
  /** False: the stream had no more events. True: it may have. */
  readonly hasMore: boolean;
}

interface AddressedRow {
  readonly organizationId: string;
  readonly actorKind: string;
  readonly actorId: string;
}
/** A message between actors, from the sender's commit to the receiver's. */
export interface MessageRow extends AddressedRow {
  readonly id: string;
  readonly command: { readonly kind: string };
}
/** I/O that a commit intends; the row exists until a later commit settles it. */
export interface EffectRow extends AddressedRow {
  readonly id: string;
  readonly kind: string;
  readonly intent: JsonObject;
}
export interface AlarmRow extends AddressedRow {
  readonly name: string;
  readonly dueAtMs: number;
  readonly command: { readonly kind: string };
}
export interface AlarmKey {
  readonly organizationId: string;
  readonly actorId: string;
  readonly name: string;
}

/** An alarm as a record of its actor. A cleared one has no time, and its row is gone. */
export interface AlarmRecord extends RecordFields {
  readonly dueAtMs: number | null;
  readonly command: { readonly kind: string } | null;
}
/** Its rows have different columns: `ActorStore.read` reads it by `alarmId`, and `Writes.alarms` stores it. */
export const alarmTable = table<AlarmRecord>("alarm");
export const alarmId = ({ actorId, name }: Omit<AlarmKey, "organizationId">): string => `${actorId}/${name}`;

/** A row of the table as its actor's record. */
export function alarmRecord(row: AlarmRow): AlarmRecord {
  const { organizationId, dueAtMs, command } = row;
  return { id: alarmId(row), organizationId, version: 0, createdAt: "", updatedAt: "", dueAtMs, command };
}

/** The writes of one turn group. */
export interface Writes {
  readonly records: RecordWrite[];
  readonly events: EventWrite[];
  readonly messages: MessageRow[];
  readonly consumed: string[];
  readonly effects: EffectRow[];
  readonly settled: string[];
  readonly alarms: AlarmRow[];
  readonly cleared: AlarmKey[];
}

export const noWrites = (): Writes => ({
  records: [],
  events: [],
  messages: [],
  consumed: [],
  effects: [],
  settled: [],
  alarms: [],
  cleared: [],
});

/** The writes of one group, and the epoch of its shard when the turns ran. */
export interface ShardWrites {
  readonly shard: number;
  readonly epoch: number;
  readonly writes: Writes;
}

export type FlushOutcome =
  | { readonly kind: "answered"; readonly live: ReadonlySet<number> }
  | { readonly kind: "aborted"; readonly code: string; readonly cause: unknown }
  | { readonly kind: "unknown"; readonly cause: unknown };

/** The result of a turn group's commit. */
export type CommitResult =
  /** Its writes are durable: all of its outputs may leave. */
  | { readonly kind: "committed" }
  /** Certainly not stored, and only this group was at fault. */
  | { readonly kind: "broken"; readonly code: string; readonly cause: unknown }
  /** Certainly not stored: its actors were evicted because it read changes of a broken group. It may run again. */
  | { readonly kind: "evicted" }
  /** Certainly not stored, and no group was at fault: the server could not do it now. */
  | { readonly kind: "unavailable" }
  /** Certainly not stored: this replica does not own the shard at this epoch. */
  | { readonly kind: "fenced" }
  /** Not known yet. */
  | { readonly kind: "unknown" };

/** A message with its place in the order of its shard's inserts. */
export interface PlacedMessage extends MessageRow {
  readonly position: number;
}

/** A shard with messages or effects. */
export interface UndoneShard {
  readonly shard: number;
  /** The position of its last message; 0 without messages. */
  readonly lastMessage: number;
}

/** Messages of a shard after one position, up to and with another one. */
export interface MessageRange {
  readonly after: number;
  readonly upTo: number;
}

export interface ActorStore {
  /** The records in the order of `refs`, alarms among them; null if there is none. Throws when the database cannot be reached. */
  read(refs: readonly RecordRef[]): Promise<readonly (RecordFields | null)[]>;
  flush(batch: readonly ShardWrites[]): Promise<FlushOutcome>;
  /** Committed events of a stream, ascending. */
  events(organizationId: string, stream: string, page: PageOfEvents): Promise<EventPage>;
  /** The organizations of these shards that were erased, or are being erased. */
  erased(shards: readonly number[]): Promise<readonly string[]>;
  /** Those of these shards that have messages or effects. */
  undoneShards(shards: readonly number[]): Promise<readonly UndoneShard[]>;
  /** Messages of a shard by their positions. A position is drawn at the insert, so it may appear after a later one. */
  undoneMessages(shard: number, range: MessageRange, limit: number): Promise<readonly PlacedMessage[]>;
  /** Effects of a shard after this id, ordered by id. */
  undoneEffects(shard: number, after: string, limit: number): Promise<readonly EffectRow[]>;
  /** Alarms of these shards that are due before `untilMs`, soonest first, at most `limit`; with `after` those behind it. */
  alarms(
    shards: readonly number[],
    untilMs: number,
    limit: number,
    after?: AlarmRow | null,
  ): Promise<readonly AlarmRow[]>;
}
