/**
 * A model of the database in memory: what the runtime's tables hold, who owns which shard at which
 * epoch, and which statements are under way. `MemoryActorStore` and `MemoryPlacement` are its two
 * doors; several of each may share one, as replicas share one PostgreSQL. What it must do is said by
 * the contract suites, which run on it and on PostgreSQL.
 */
import type { RecordFields } from "../../actors/runtime/actor.ts";
import type { Clock } from "../../actors/runtime/ports.ts";
import { SHARD_COUNT } from "../../actors/runtime/placement/placement.ts";
import type {
  AlarmRow,
  EffectRow,
  EventWrite,
  PlacedMessage,
  ShardWrites,
  Writes,
} from "../../actors/runtime/store.ts";

/** Tables of which a store may send the changed fields alone. The simulation of a mutant has no `db/` to name them. */
export const KEPT_ROWS: ReadonlySet<string> = new Set([
  "chat",
  "day_usage",
  "job",
  "message",
  "month_usage",
  "webhook_feed",
]);

export interface ReplicaRow {
  leaseUntil: number;
  dead: boolean;
}

interface ShardRow {
  owner: string | null;
  epoch: number;
}

type OnShard<T> = T & { readonly shard: number };

/** An error that certainly stored nothing, with its SQLSTATE. */
export class Aborted extends Error {
  override readonly name = "Aborted";
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** What the tables hold. A commit changes all of them at once, so that a batch is there or is not. */
interface Tables {
  records: Map<string, RecordFields>;
  events: Map<string, readonly EventWrite[]>;
  messages: Map<string, OnShard<PlacedMessage>>;
  effects: Map<string, OnShard<EffectRow>>;
  alarms: Map<string, OnShard<AlarmRow>>;
}

/** What a commit is to change. */
interface StagedTables extends Pick<Tables, "records" | "events"> {
  messages: StagedRows<OnShard<PlacedMessage>>;
  effects: StagedRows<OnShard<EffectRow>>;
  alarms: StagedRows<OnShard<AlarmRow>>;
}

export const recordRow = (table: string, organizationId: string, id: string): string =>
  `${table}/${organizationId}/${id}`;
export const streamOf = (organizationId: string, stream: string): string => `${organizationId}/${stream}`;
/** Soonest first, as the table is scanned. */
export const alarmOrder = (a: AlarmRow, b: AlarmRow): number =>
  a.dueAtMs - b.dueAtMs || (alarmRow(a) < alarmRow(b) ? -1 : Number(alarmRow(a) > alarmRow(b)));
const alarmRow = (k: { readonly organizationId: string; readonly actorId: string; readonly name: string }): string =>
  `${k.organizationId}/${k.actorId}/${k.name}`;

export class MemoryDatabase {
  readonly clock: Clock;
  readonly shards: ShardRow[] = Array.from({ length: SHARD_COUNT }, () => ({ owner: null, epoch: 0 }));
  /** Organizations that were erased. */
  readonly erased = new Set<string>();
  readonly replicas = new Map<string, ReplicaRow>();
  /** Awaited before each operation takes effect; a scheduler may hold it there. */
  pace: (operation: string) => Promise<void> = () => Promise.resolve();
  /** Awaited between what an operation has read and its answer. */
  reply: (operation: string) => Promise<void> = () => Promise.resolve();
  private readonly tables: Tables = {
    records: new Map(),
    events: new Map(),
    messages: new Map(),
    effects: new Map(),
    alarms: new Map(),
  };
  private positions = 0;
  private readonly statements = new Set<{ readonly shards: ReadonlySet<number>; readonly over: Promise<void> }>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Begins a statement that holds the epochs of these shards; the answer ends it. */
  begin(shards: ReadonlySet<number>): () => void {
    let finish!: () => void;
    const statement = { shards, over: new Promise<void>((resolve) => (finish = resolve)) };
    this.statements.add(statement);
    return () => {
      this.statements.delete(statement);
      finish();
    };
  }

  /** The end of a statement that holds the epoch of one of these shards; null without one. */
  holding(shards: readonly number[]): Promise<void> | null {
    for (const statement of this.statements)
      if (shards.some((shard) => statement.shards.has(shard))) return statement.over;
    return null;
  }

  /** The shards of the batch that are live at the epoch that it names. */
  fence(batch: readonly ShardWrites[]): Set<number> {
    return new Set(batch.filter((g) => this.shards[g.shard]?.epoch === g.epoch).map((g) => g.shard));
  }

  /**
   * Draws the positions of the batch's messages, as the identity column does at the insert: a statement that commits
   * later than another one may have drawn before it.
   */
  number(batch: readonly ShardWrites[]): number {
    const first = this.positions + 1;
    this.positions += batch.reduce((sum, { writes }) => sum + writes.messages.length, 0);
    return first;
  }

  /**
   * Stores the writes of live shards: all of them, or throws `Aborted` and stores none. `position` is the first one
   * that was drawn for the messages.
   */
  commit(batch: readonly ShardWrites[], live: ReadonlySet<number>, position = this.number(batch)): void {
    const next: StagedTables = {
      records: new Map(),
      events: new Map(),
      messages: new StagedRows(this.tables.messages),
      effects: new StagedRows(this.tables.effects),
      alarms: new StagedRows(this.tables.alarms),
    };
    let drawn = position;
    for (const { shard, writes } of batch) {
      if (live.has(shard)) {
        this.checkBefore(next, writes);
        this.write(next, shard, roundTrip(withoutBefore(writes)), drawn);
      }
      drawn += writes.messages.length;
    }
    for (const [key, record] of next.records) this.tables.records.set(key, record);
    for (const [key, events] of next.events) this.tables.events.set(key, events);
    for (const rows of [next.messages, next.effects, next.alarms]) rows.apply();
  }

  /** A copy, as a query gives: a matcher of the tests puts itself into what it matches. */
  record(table: string, organizationId: string, id: string): RecordFields | null {
    return structuredClone(this.tables.records.get(recordRow(table, organizationId, id)) ?? null);
  }

  /** Copies of all records of a table. */
  rows<T extends RecordFields>(table: string): T[] {
    const keyed = [...this.tables.records].filter(([key]) => key.startsWith(`${table}/`));
    return keyed.map(([, record]) => structuredClone(record) as T);
  }

  /** All events of a stream, ascending. */
  stream(organizationId: string, stream: string): readonly EventWrite[] {
    return this.tables.events.get(streamOf(organizationId, stream)) ?? [];
  }

  /** All streams, for invariants. */
  get streams(): ReadonlyMap<string, readonly EventWrite[]> {
    return this.tables.events;
  }

  get records(): ReadonlyMap<string, RecordFields> {
    return this.tables.records;
  }

  /** In the order of their positions. */
  messages(): readonly OnShard<PlacedMessage>[] {
    return [...this.tables.messages.values()].sort((a, b) => a.position - b.position);
  }

  effects(): readonly OnShard<EffectRow>[] {
    return [...this.tables.effects.values()];
  }

  /** Soonest first. */
  alarms(): readonly OnShard<AlarmRow>[] {
    return [...this.tables.alarms.values()].sort(alarmOrder);
  }

  /** The first of them of which this is true; not sorted, because a test may have thousands and ask for each. */
  alarm(isIt: (row: AlarmRow) => boolean): OnShard<AlarmRow> | undefined {
    for (const row of this.tables.alarms.values()) if (isIt(row)) return row;
    return undefined;
  }

  /** What the runtime says is stored must be: PostgreSQL gets the difference only. */
  private checkBefore(next: StagedTables, { records }: Writes): void {
    const batch = new Map<string, RecordFields>();
    for (const { table, record, before } of records) {
      const key = recordRow(table, record.organizationId, record.id);
      const stored = batch.get(key) ?? next.records.get(key) ?? this.tables.records.get(key);
      batch.set(key, record);
      if (before === undefined) continue;
      if (stored === undefined && KEPT_ROWS.has(table)) throw new Aborted("22P02", `${key} is not stored`);
      // Another version is refused as stale.
      if (before.version !== stored?.version) continue;
      if (!Bun.deepEquals(stored, before)) throw new Error(`${key} is not stored as the runtime has it`);
    }
  }

  private write(next: StagedTables, shard: number, writes: Writes, position: number): void {
    for (const { table, record } of writes.records) {
      const key = recordRow(table, record.organizationId, record.id);
      const before = next.records.get(key) ?? this.tables.records.get(key);
      if (before !== undefined && before.version !== record.version - 1)
        throw new Aborted("22P02", `stale write of ${key}: ${before.version} is stored, ${record.version} comes`);
      next.records.set(key, record);
    }
    for (const event of writes.events) {
      const key = streamOf(event.organizationId, event.stream);
      const events = next.events.get(key) ?? this.tables.events.get(key) ?? [];
      const place = events.findLastIndex((other) => other.seq <= event.seq);
      if (events[place]?.seq === event.seq) throw new Aborted("23505", `event ${key} ${event.seq} exists`);
      next.events.set(key, events.toSpliced(place + 1, 0, event));
    }
    for (const [index, row] of writes.messages.entries())
      next.messages.insert(row.id, { ...row, shard, position: position + index });
    for (const id of writes.consumed) next.messages.delete(id);
    for (const row of writes.effects) next.effects.insert(row.id, { ...row, shard });
    for (const id of writes.settled) next.effects.delete(id);
    for (const key of writes.cleared) next.alarms.delete(alarmRow(key));
    for (const row of writes.alarms) next.alarms.set(alarmRow(row), { ...row, shard });
  }
}

/** Changes of a table that a commit has not made yet. A copy of the table would make each commit as slow as it is long. */
class StagedRows<T> {
  private readonly rows: Map<string, T>;
  private readonly changes: (readonly [id: string, row: T | null])[] = [];
  private readonly changed = new Map<string, T | null>();

  constructor(rows: Map<string, T>) {
    this.rows = rows;
  }

  set(id: string, row: T | null): void {
    this.changes.push([id, row]);
    this.changed.set(id, row);
  }

  insert(id: string, row: T): void {
    const isThere = this.changed.has(id) ? this.changed.get(id) !== null : this.rows.has(id);
    if (isThere) throw new Aborted("23505", `${id} exists`);
    this.set(id, row);
  }

  delete(id: string): void {
    this.set(id, null);
  }

  apply(): void {
    for (const [id, row] of this.changes) {
      if (row === null) this.rows.delete(id);
      else this.rows.set(id, row);
    }
  }
}

const withoutBefore = (writes: Writes): Writes => ({
  ...writes,
  records: writes.records.map(({ table, record }) => ({ table, record })),
});

/** What a column of type json gives back; no text may hold NUL. */
function roundTrip(writes: Writes): Writes {
  const text = JSON.stringify(writes);
  if (text.includes("\\u0000")) throw new Aborted("22P05", "\\u0000 cannot be converted to text");
  return JSON.parse(text) as Writes;
}
