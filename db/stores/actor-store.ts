/**
 * The runtime's store on PostgreSQL (port: `actors/runtime/store.ts`). The flush is raw postgres.js,
 * because it is the hot path; everything else is Drizzle or a plain query.
 */
import { and, asc, eq, gt, inArray, lt, sql } from "drizzle-orm";
import type { RecordFields } from "../../actors/runtime/actor.ts";
import type {
  ActorStore,
  AlarmRow,
  EffectRow,
  EventPage,
  FlushOutcome,
  MessageRow,
  PageOfEvents,
  RecordRef,
  ShardWrites,
  Undone,
} from "../../actors/runtime/store.ts";
import type { Database } from "../client.ts";
import { eventOfRow } from "../event-row.ts";
import { flushStatement, type Statement } from "../flush.ts";
import { actorMessage, alarm, effect, event } from "../tables/runtime.ts";

/**
 * SQLSTATE classes after which, at severity ERROR, the statement has certainly been rolled back:
 * cardinality, data, constraint, transaction state, rollback, syntax and access, resources, limits,
 * object state. Everything else (a lost connection, a shutdown, a cancel) leaves the outcome open.
 */
const CERTAINLY_ABORTED = new Set(["21", "22", "23", "25", "40", "42", "53", "54", "55"]);
/** The SQLSTATE of rows that cannot even be put into words. */
const DATA_EXCEPTION = "22000";

export class PostgresActorStore implements ActorStore {
  private readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  async flush(batch: readonly ShardWrites[]): Promise<FlushOutcome> {
    let statement: Statement;
    try {
      statement = flushStatement(batch);
    } catch (cause) {
      // Nothing has been sent.
      return { kind: "aborted", code: DATA_EXCEPTION, cause };
    }
    return this.send(statement);
  }

  private async send({ text, parameters }: Statement): Promise<FlushOutcome> {
    const { database } = this;
    try {
      const rows = await database.answered(
        database.flush.unsafe<{ id: number }[]>(text, [...parameters], { prepare: true }),
      );
      return { kind: "answered", live: new Set(rows.map((row) => row.id)) };
    } catch (cause) {
      return failed(cause);
    }
  }

  async read(refs: readonly RecordRef[]): Promise<readonly (RecordFields | null)[]> {
    const byTable = new Map<string, RecordRef[]>();
    for (const ref of refs) {
      const group = byTable.get(ref.table);
      if (group === undefined) byTable.set(ref.table, [ref]);
      else group.push(ref);
    }
    const found = new Map<string, RecordFields>();
    await Promise.all(
      [...byTable].map(async ([table, group]) => {
        const { database } = this;
        const { read } = database;
        const rows = await database.answered(read<{ body: RecordFields }[]>`
        select r.body from ${read(table)} r
        join unnest(${group.map((g) => g.organizationId)}::text[], ${group.map((g) => g.id)}::text[]) k(o, i)
        on r.organization_id = k.o and r.id = k.i`);
        for (const { body } of rows) found.set(`${table}/${body.organizationId}/${body.id}`, body);
      }),
    );
    return refs.map((ref) => found.get(`${ref.table}/${ref.organizationId}/${ref.id}`) ?? null);
  }

  async events(organizationId: string, stream: string, { after, limit, bytes }: PageOfEvents): Promise<EventPage> {
    const { database } = this;
    const size = sql<number>`octet_length(${event.data}::text)`;
    const page = database.query
      .select({
        seq: event.seq,
        type: event.type,
        at: event.at,
        data: event.data,
        /** The bytes of the page before this event, and what comes after it. */
        before: sql<number>`sum(${size}) over (order by ${event.seq}) - ${size}`.as("before"),
        next: sql<number | null>`lead(${event.seq}) over (order by ${event.seq})`.as("next"),
      })
      .from(event)
      .where(and(eq(event.organizationId, organizationId), eq(event.stream, stream), gt(event.seq, after)))
      .orderBy(asc(event.seq))
      .limit(limit)
      .as("page");
    const fitting = bytes === undefined ? undefined : lt(page.before, bytes);
    const rows = await database.answered(database.query.select().from(page).where(fitting).orderBy(asc(page.seq)));
    return { events: rows.map(eventOfRow), hasMore: (rows.at(-1)?.next ?? null) !== null };
  }

  async undone(shards: readonly number[]): Promise<Undone> {
    const { database } = this;
    const { query } = database;
    const [messages, effects] = await database.answered(
      Promise.all([
        query
          .select()
          .from(actorMessage)
          .where(inArray(actorMessage.shard, [...shards]))
          .orderBy(asc(actorMessage.position)),
        query
          .select()
          .from(effect)
          .where(inArray(effect.shard, [...shards])),
      ]),
    );
    return { messages: messages as MessageRow[], effects: effects as EffectRow[] };
  }

  async alarms(shards: readonly number[], untilMs: number, limit: number): Promise<readonly AlarmRow[]> {
    if (shards.length === 0) return [];
    const { database } = this;
    const due = database.query
      .select()
      .from(alarm)
      .where(and(inArray(alarm.shard, [...shards]), lt(alarm.dueAtMs, untilMs)))
      .orderBy(asc(alarm.dueAtMs))
      .limit(limit);
    const rows = await database.answered(due);
    return rows as AlarmRow[];
  }
}

function failed(cause: unknown): FlushOutcome {
  if (cause instanceof Error && "code" in cause && typeof cause.code === "string") {
    const severity = "severity" in cause ? cause.severity : "severity_local" in cause ? cause.severity_local : null;
    if (severity === "ERROR" && CERTAINLY_ABORTED.has(cause.code.slice(0, 2))) {
      return { kind: "aborted", code: cause.code, cause };
    }
  }
  return { kind: "unknown", cause };
}
