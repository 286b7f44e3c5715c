/**
 * The actor store's model in memory (port: `actors/runtime/store.ts`), with every way in which a
 * flush can go wrong. A fault is asked for beforehand (`failNext`, or `onFlush` for a scheduler) and
 * strikes one flush:
 *
 *   flush ─ lost_request ─────────────────────────────────▶ unknown, never stored
 *     │   ─ abort ────────────────────────────────────────▶ aborted, never stored
 *     ▼
 *   fence, epochs held from here ─ zombie ─▶ unknown at once; at its gate: opened ─▶ commit
 *     │   ─ hold ─ gate broken ──────────────▶ unknown, never stored      broken ─▶ never stored
 *     ▼
 *   commit ─ lost_reply ─▶ unknown
 *     │    ─ late_reply ─▶ answered when its gate is opened
 *     ▼
 *   answered
 */
import { shardOf } from "../../actors/runtime/placement/placement.ts";
import type { RecordFields } from "../../actors/runtime/actor.ts";
import {
  type ActorStore,
  alarmId,
  alarmRecord,
  type AlarmRow,
  alarmTable,
  type EffectRow,
  type EventPage,
  type FlushOutcome,
  type MessageRange,
  type PageOfEvents,
  type PlacedMessage,
  type RecordRef,
  type ShardWrites,
  type UndoneShard,
} from "../../actors/runtime/store.ts";
import { Aborted, type MemoryDatabase, alarmOrder } from "./memory-database.ts";
import { Unreachable } from "./memory-placement.ts";

/** A door that a statement waits at. */
export class Gate {
  /** Resolves when a statement has come to the door. */
  readonly reached: Promise<void>;
  private arrive!: () => void;
  private readonly opened: Promise<boolean>;
  private decide!: (goesOn: boolean) => void;

  constructor() {
    this.reached = new Promise((resolve) => (this.arrive = resolve));
    this.opened = new Promise((resolve) => (this.decide = resolve));
  }

  open(): void {
    this.decide(true);
  }

  /** Ends the statement where it stands: nothing of it is stored, and its caller never knows. */
  break(): void {
    this.decide(false);
  }

  /** Waits at the door; false when the statement ends there. */
  async pass(): Promise<boolean> {
    this.arrive();
    return this.opened;
  }
}

export type FlushFault =
  | { readonly kind: "abort"; readonly code: string }
  | { readonly kind: "lost_request" }
  | { readonly kind: "lost_reply" }
  | { readonly kind: "hold"; readonly gate: Gate }
  | { readonly kind: "late_reply"; readonly gate: Gate }
  | { readonly kind: "zombie"; readonly gate: Gate };

export class MemoryActorStore implements ActorStore {
  /** Batches in the order in which they came in. */
  readonly flushed: (readonly ShardWrites[])[] = [];
  /** Records read, and reads that carried them. */
  recordsRead = 0;
  reads = 0;
  /** Pages of events read. */
  pages = 0;
  /** While true, reads throw and flushes have an unknown outcome. */
  isCut = false;
  /** What strikes a flush; asked when `failNext` has nothing. */
  onFlush: (batch: readonly ShardWrites[]) => FlushFault | null = () => null;
  private readonly script: FlushFault[] = [];
  private readonly database: MemoryDatabase;

  constructor(database: MemoryDatabase) {
    this.database = database;
  }

  /** The next flushes meet these faults, one each, in order. */
  failNext(...faults: readonly FlushFault[]): void {
    this.script.push(...faults);
  }

  /** The next flush waits at the gate, its epochs held. */
  holdNext(): Gate {
    const gate = new Gate();
    this.failNext({ kind: "hold", gate });
    return gate;
  }

  async flush(batch: readonly ShardWrites[]): Promise<FlushOutcome> {
    this.flushed.push([...batch]);
    const fault = this.script.shift() ?? this.onFlush(batch);
    await this.database.pace("flush");
    if (this.isCut || fault?.kind === "lost_request") return unknown("the connection is gone");
    if (fault?.kind === "abort") return aborted(new Aborted(fault.code, "a scripted fault"));
    const live = this.database.fence(batch);
    const end = this.database.begin(live);
    const position = this.database.number(batch);
    if (fault?.kind === "zombie") {
      void fault.gate.pass().then((goesOn) => {
        if (goesOn) this.commit(batch, live, position);
        end();
      });
      return unknown("no answer in time");
    }
    const goesOn = fault?.kind === "hold" ? await fault.gate.pass() : true;
    await this.database.pace("commit");
    const outcome = goesOn ? this.commit(batch, live, position) : unknown("the backend was ended");
    end();
    if (fault?.kind === "late_reply") await fault.gate.pass();
    return fault?.kind === "lost_reply" ? unknown("the reply is lost") : outcome;
  }

  async read(refs: readonly RecordRef[]): Promise<readonly (RecordFields | null)[]> {
    this.reads++;
    this.recordsRead += refs.length;
    return this.reach("read", () => refs.map((ref) => this.record(ref)));
  }

  private record({ table, organizationId, id }: RecordRef): RecordFields | null {
    if (table !== alarmTable.name) return this.database.record(table, organizationId, id);
    const row = this.database.alarm((one) => one.organizationId === organizationId && alarmId(one) === id);
    return row === undefined ? null : alarmRecord(row);
  }

  async events(
    organizationId: string,
    stream: string,
    { after, limit, bytes = Number.POSITIVE_INFINITY }: PageOfEvents,
  ): Promise<EventPage> {
    this.pages++;
    return this.reach("events", () => {
      const rows = this.database.stream(organizationId, stream).filter((event) => event.seq > after);
      let before = 0;
      let count = 0;
      while (count < Math.min(limit, rows.length) && before < bytes)
        before += Buffer.byteLength(JSON.stringify(rows[count++]!.data));
      const events = rows
        .slice(0, count)
        .map(({ seq, type, at, data, live }) => ({ seq, type, at, data, ...(live === undefined ? {} : { live }) }));
      return { events, hasMore: count < rows.length };
    });
  }

  async erased(shards: readonly number[]): Promise<readonly string[]> {
    return [...this.database.erased].filter((organizationId) => shards.includes(shardOf(organizationId)));
  }

  async undoneShards(shards: readonly number[]): Promise<readonly UndoneShard[]> {
    return this.reach("undone", () => {
      const messages = this.database.messages();
      const undone = new Set([...messages, ...this.database.effects()].map((row) => row.shard));
      const last = (shard: number): number => messages.findLast((row) => row.shard === shard)?.position ?? 0;
      return shards.filter((shard) => undone.has(shard)).map((shard) => ({ shard, lastMessage: last(shard) }));
    });
  }

  async undoneMessages(shard: number, { after, upTo }: MessageRange, limit: number): Promise<readonly PlacedMessage[]> {
    return this.reach("undone", () =>
      this.database
        .messages()
        .filter((row) => row.shard === shard && row.position > after && row.position <= upTo)
        .slice(0, limit),
    );
  }

  async undoneEffects(shard: number, after: string, limit: number): Promise<readonly EffectRow[]> {
    return this.reach("undone", () =>
      this.database
        .effects()
        .filter((row) => row.shard === shard && row.id > after)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, limit),
    );
  }

  async alarms(
    shards: readonly number[],
    untilMs: number,
    limit: number,
    after: AlarmRow | null = null,
  ): Promise<readonly AlarmRow[]> {
    return this.reach("alarms", () =>
      this.database
        .alarms()
        .filter((row) => shards.includes(row.shard) && row.dueAtMs < untilMs)
        .filter((row) => after === null || alarmOrder(row, after) > 0)
        .slice(0, limit),
    );
  }

  private commit(batch: readonly ShardWrites[], live: Set<number>, position: number): FlushOutcome {
    try {
      this.database.commit(batch, live, position);
      return { kind: "answered", live };
    } catch (cause) {
      if (cause instanceof Aborted) return aborted(cause);
      throw cause;
    }
  }

  private async reach<T>(operation: string, read: () => T): Promise<T> {
    await this.database.pace(operation);
    if (this.isCut) throw new Unreachable(`${operation}: the database cannot be reached`);
    const found = read();
    await this.database.reply(operation);
    return found;
  }
}

const unknown = (why: string): FlushOutcome => ({ kind: "unknown", cause: new Unreachable(why) });
const aborted = (cause: Aborted): FlushOutcome => ({ kind: "aborted", code: cause.code, cause });
