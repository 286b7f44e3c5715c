/**
 * The runtime's store on PostgreSQL (port: `actors/runtime/store.ts`). The flush is raw postgres.js,
 * because it is the hot path; everything else is Drizzle or a plain query.
 */
import { and, asc, eq, gt, inArray, lt, lte, sql } from "drizzle-orm";
import { parseStored } from "../../actors/exact-json.ts";
import type { RecordFields } from "../../actors/runtime/actor.ts";
import {
  type ActorStore,
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
  type StoredEvent,
  type UndoneShard,
} from "../../actors/runtime/store.ts";
import { type Database, NO_ORGANIZATION, type ReadPool } from "../client.ts";
import { eventOfRow } from "../event-row.ts";
import { FlushShapes } from "../flush-shapes.ts";
import { flushStatement, type Statement } from "../flush.ts";
import { wholeJob } from "../record-rows.ts";
import { actorMessage, alarm, effect, event } from "../tables/runtime.ts";

/**
 * SQLSTATE classes after which, at severity ERROR, the statement has certainly been rolled back:
 * cardinality, data, constraint, transaction state, rollback, syntax and access, resources, limits,
 * object state. Everything else (a lost connection, a shutdown, a cancel) leaves the outcome open.
 */
const CERTAINLY_ABORTED = new Set(["21", "22", "23", "25", "40", "42", "53", "54", "55"]);
const SYNTAX_OR_ACCESS = "42";
/** The SQLSTATE of rows that cannot even be serialized. */
const DATA_EXCEPTION = "22000";

export class PostgresActorStore implements ActorStore {
  private readonly database: Database;
  private shapes = new FlushShapes();

  constructor(database: Database) {
    this.database = database;
  }

  async flush(batch: readonly ShardWrites[]): Promise<FlushOutcome> {
    let statement: Statement;
    try {
      statement = flushStatement(batch, this.shapes);
    } catch (cause) {
      // Nothing has been sent.
      return { kind: "aborted", code: DATA_EXCEPTION, cause };
    }
    return this.send(statement);
  }

  private async send({ text, parameters }: Statement): Promise<FlushOutcome> {
    const { database } = this;
    try {
      const rows = await database.flushing((sql) =>
        sql.unsafe<{ id: number }[]>(text, [...parameters], { prepare: true }),
      );
      return { kind: "answered", live: new Set(rows.map((row) => row.id)) };
    } catch (cause) {
      const outcome = failedFlush(cause);
      // The text names a table that does not exist: do not reuse it for other batches.
      if (outcome.kind === "aborted" && outcome.code.startsWith(SYNTAX_OR_ACCESS)) this.shapes = new FlushShapes();
      return outcome;
    }
  }

  /** One statement for each organization, whatever the tables: a request that needs records of several waits once. */
  async read(refs: readonly RecordRef[]): Promise<readonly (RecordFields | null)[]> {
    const asked = new Map<string, Map<string, string[]>>();
    for (const { table, organizationId, id } of refs) {
      let tables = asked.get(organizationId);
      if (tables === undefined) asked.set(organizationId, (tables = new Map()));
      const ids = tables.get(table);
      if (ids === undefined) tables.set(table, [id]);
      else ids.push(id);
    }
    const found = new Map<string, RecordFields>();
    const keep = (table: string, records: readonly RecordFields[]): void => {
      for (const body of records) found.set(`${table}/${body.organizationId}/${body.id}`, body);
    };
    await Promise.all(
      [...asked].flatMap(([organizationId, tables]) => {
        const alarms = tables.get(alarmTable.name);
        tables.delete(alarmTable.name);
        return [
          ...(alarms === undefined
            ? []
            : [this.alarmRecords(organizationId, alarms).then((records) => keep(alarmTable.name, records))]),
          ...(tables.size === 0 ? [] : [this.records(organizationId, tables, keep)]),
        ];
      }),
    );
    return refs.map((ref) => found.get(`${ref.table}/${ref.organizationId}/${ref.id}`) ?? null);
  }

  private async records(
    organizationId: string,
    tables: ReadonlyMap<string, string[]>,
    keep: (table: string, records: readonly RecordFields[]) => void,
  ): Promise<void> {
    // In one order, so that the same tables are the same prepared statement.
    const parts = [...tables].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const rows = await this.database.reading("load", organizationId, ({ sql: read }) => {
      const part = ([table, ids]: readonly [string, string[]]) => read`
        select ${table}::text as "table", ${read.unsafe(table === "job" ? wholeJob("job.body") : "body")} as body
        from ${read(table)}
        where organization_id = ${organizationId} and id = any(${ids}::text[])`;
      const [first, ...others] = parts.map(part);
      return others.reduce((all, one) => read`${all} union all ${one}`, first!) as unknown as Promise<
        { readonly table: string; readonly body: RecordFields }[]
      >;
    });
    for (const { table, body } of rows) keep(table, [body]);
  }

  /** All alarms of the actors that are asked for: each has few. */
  private async alarmRecords(organizationId: string, ids: string[]): Promise<readonly RecordFields[]> {
    const actorIds = ids.map((id) => id.slice(0, id.lastIndexOf("/")));
    const rows = await this.database.reading("load", organizationId, ({ query }) =>
      query
        .select()
        .from(alarm)
        .where(and(eq(alarm.organizationId, organizationId), inArray(alarm.actorId, actorIds))),
    );
    return rows.map((row) => alarmRecord(row as AlarmRow));
  }

  async events(organizationId: string, stream: string, { after, limit, bytes }: PageOfEvents): Promise<EventPage> {
    const { database } = this;
    const data = sql<string>`${event.data}::text`;
    const size = sql<number>`octet_length(${event.data}::text)`;
    const ask = ({ query }: ReadPool) => {
      const page = query
        .select({
          seq: event.seq,
          type: event.type,
          at: event.at,
          data: data.as("json"),
          /** The bytes of the page before this event, and the seq of the next event. */
          before: sql<number>`sum(${size}) over (order by ${event.seq}) - ${size}`.as("before"),
          next: sql<number | null>`lead(${event.seq}) over (order by ${event.seq})`.as("next"),
        })
        .from(event)
        .where(and(eq(event.organizationId, organizationId), eq(event.stream, stream), gt(event.seq, after)))
        .orderBy(asc(event.seq))
        .limit(limit)
        .as("page");
      const fitting = bytes === undefined ? undefined : lt(page.before, bytes);
      return query.select().from(page).where(fitting).orderBy(asc(page.seq));
    };
    return database.readingInto("page", organizationId, ask, async (rows) => {
      const events: StoredEvent[] = [];
      await database.bulk.each(organizationId, rows, (row) => {
        events.push(eventOfRow({ ...row, data: parseStored(row.data) }));
        return row.data.length;
      });
      return { events, hasMore: (rows.at(-1)?.next ?? null) !== null };
    });
  }

  async erased(shards: readonly number[]): Promise<readonly string[]> {
    const rows = await this.database.reading(
      "own",
      NO_ORGANIZATION,
      ({ sql }) => sql<{ organizationId: string }[]>`
        select organization_id as "organizationId" from erasure where shard = any(${[...shards]}::int[])`,
    );
    return rows.map(({ organizationId }) => organizationId);
  }

  async undoneShards(shards: readonly number[]): Promise<readonly UndoneShard[]> {
    const rows = await this.database.reading(
      "own",
      NO_ORGANIZATION,
      ({ sql: read }) => read<{ shard: number; last: string | null }[]>`
        select s.id as shard, (select max(position) from actor_message m where m.shard = s.id) as last
        from unnest(${[...shards]}::int[]) s(id)
        where exists (select from actor_message m where m.shard = s.id) or exists (select from effect e where e.shard = s.id)`,
    );
    return rows.map(({ shard, last }) => ({ shard, lastMessage: Number(last ?? 0) }));
  }

  undoneMessages(shard: number, { after, upTo }: MessageRange, limit: number): Promise<readonly PlacedMessage[]> {
    const { position } = actorMessage;
    return this.database.reading("own", NO_ORGANIZATION, async ({ query }) => {
      const rows = await query
        .select()
        .from(actorMessage)
        .where(and(eq(actorMessage.shard, shard), gt(position, after), lte(position, upTo)))
        .orderBy(asc(position))
        .limit(limit);
      return rows as unknown as PlacedMessage[];
    });
  }

  undoneEffects(shard: number, after: string, limit: number): Promise<readonly EffectRow[]> {
    return this.database.reading("own", NO_ORGANIZATION, async ({ query }) => {
      const rows = await query
        .select()
        .from(effect)
        .where(and(eq(effect.shard, shard), gt(effect.id, after)))
        .orderBy(asc(effect.id))
        .limit(limit);
      return rows as EffectRow[];
    });
  }

  async alarms(
    shards: readonly number[],
    untilMs: number,
    limit: number,
    after: AlarmRow | null = null,
  ): Promise<readonly AlarmRow[]> {
    if (shards.length === 0) return [];
    const { dueAtMs, organizationId, actorId, name } = alarm;
    const isBehind =
      after === null
        ? undefined
        : sql`(${dueAtMs}, ${organizationId}, ${actorId}, ${name}) > (${after.dueAtMs}, ${after.organizationId}, ${after.actorId}, ${after.name})`;
    const rows = await this.database.reading("own", NO_ORGANIZATION, ({ query }) =>
      query
        .select()
        .from(alarm)
        .where(and(inArray(alarm.shard, [...shards]), lt(dueAtMs, untilMs), isBehind))
        .orderBy(asc(dueAtMs), asc(organizationId), asc(actorId), asc(name))
        .limit(limit),
    );
    return rows as AlarmRow[];
  }
}

function failedFlush(cause: unknown): FlushOutcome {
  if (cause instanceof Error && "code" in cause && typeof cause.code === "string") {
    const severity = "severity" in cause ? cause.severity : "severity_local" in cause ? cause.severity_local : null;
    if (severity === "ERROR" && CERTAINLY_ABORTED.has(cause.code.slice(0, 2))) {
      return { kind: "aborted", code: cause.code, cause };
    }
  }
  return { kind: "unknown", cause };
}
