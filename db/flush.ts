/**
 * The one statement of a commit. It fences and writes everything of a batch:
 *
 *   with f as materialized (… shards whose epoch is still the batch's … for share),
 *        <one data-modifying CTE for each table that the batch touches>
 *   select id from f
 *
 * `for share` makes a replica that raises an epoch wait for this statement, and makes this statement see a raised one.
 * Each table's rows travel as one JSON text, which PostgreSQL turns into rows: native code builds it, whereas
 * JavaScript would have to escape array literals. A record is `[shard, base, record]`: its text is parsed once, and the
 * key is taken from the result. `base` is the version on which the write was based: if the table has another one,
 * memory was wrong, and the statement fails instead of overwriting. Rows with the same key are merged first, and the
 * last one wins, because a statement must not touch a row twice.
 *
 * If no sweep deletes rows of a table, only the changed fields of its records are sent (`db/changed-fields.ts`).
 * PostgreSQL merges them into the record that it has, if this has the version on which the change was based. A job
 * travels without a long input that its message has (`db/record-rows.ts`).
 *
 * The text names the tables that the batch touches, and a few more if a prepared text with them exists
 * (`flush-shapes.ts`). PostgreSQL keeps each text prepared, with one plan that uses the indexes (`client.ts`).
 */
import type { RecordFields } from "../actors/runtime/actor.ts";
import type { EffectRow, MessageRow, RecordWrite, ShardWrites } from "../actors/runtime/store.ts";
import { changedFields, KEPT_TABLES, WHOLE_MARK } from "./changed-fields.ts";
import { dataColumn } from "./event-row.ts";
import type { FlushShapes } from "./flush-shapes.ts";
import { jobRow } from "./record-rows.ts";

export interface Statement {
  readonly text: string;
  readonly parameters: readonly (string | number[])[];
}

interface FlushPart {
  /** The columns of a row for `json_to_recordset`. */
  readonly columns: string;
  write(from: string): string;
}

const OF_FENCED_SHARD = "where r.shard = any(array(select id from f))";

/**
 * Changed fields for which nothing is stored fail: they alone are no record, and the mark is missing in what they have
 * become. The row itself is asked, not the table: before a table has statistics, the plan of a subquery would take any
 * index that begins with the organization, and read all that it has.
 */
const onlyWhole = (table: string): string =>
  KEPT_TABLES.has(table)
    ? ` returning case when t.body -> '${WHOLE_MARK}' is null then ('stale write of ${table} ' || t.id || ': nothing is stored')::int end`
    : "";

const rowBody = (table: string): string =>
  KEPT_TABLES.has(table)
    ? `case when excluded.body -> '${WHOLE_MARK}' is null then t.body || excluded.body else excluded.body end`
    : "excluded.body";

const writeRecords = (table: string, parameter: string): string =>
  `insert into "${table}" as t (organization_id, id, version, base_version, body) ` +
  `select r.item -> 2 ->> 'organizationId', r.item -> 2 ->> 'id', (r.item -> 2 -> 'version')::int, (r.item -> 1)::int, r.item -> 2 ` +
  `from jsonb_array_elements(${parameter}::text::jsonb) as r(item) where (r.item -> 0)::int = any(array(select id from f)) ` +
  // The cast fails with this text as its error (22P02), which certainly aborts the statement.
  "on conflict (organization_id, id) do update set version = case when t.version = excluded.base_version then excluded.version " +
  `else ('stale write of ${table} ' || t.id || ': version ' || t.version || ' is stored, based on ' || excluded.base_version)::int end, ` +
  `base_version = excluded.base_version, body = ${rowBody(table)}${onlyWhole(table)}`;

const FLUSH_PARTS = {
  event: {
    columns: "shard int, organization_id text, stream text, seq int, type text, at text, data json",
    write: (from) =>
      "insert into event (organization_id, stream, seq, type, at, data) " +
      `select r.organization_id, r.stream, r.seq, r.type, r.at, r.data from ${from} ${OF_FENCED_SHARD}`,
  },
  actor_message: {
    columns: "shard int, organization_id text, actor_kind text, actor_id text, id text, command json",
    write: (from) =>
      "insert into actor_message (shard, organization_id, actor_kind, actor_id, id, command) " +
      `select r.shard, r.organization_id, r.actor_kind, r.actor_id, r.id, r.command from ${from} ${OF_FENCED_SHARD}`,
  },
  consumed: {
    columns: "shard int, id text",
    write: (from) => `delete from actor_message m using ${from} ${OF_FENCED_SHARD} and m.id = r.id`,
  },
  effect: {
    columns: "shard int, organization_id text, actor_kind text, actor_id text, id text, kind text, intent json",
    write: (from) =>
      "insert into effect (shard, organization_id, actor_kind, actor_id, id, kind, intent) " +
      `select r.shard, r.organization_id, r.actor_kind, r.actor_id, r.id, r.kind, r.intent from ${from} ${OF_FENCED_SHARD}`,
  },
  settled: {
    columns: "shard int, id text",
    write: (from) => `delete from effect e using ${from} ${OF_FENCED_SHARD} and e.id = r.id`,
  },
  alarm: {
    columns:
      "shard int, organization_id text, actor_kind text, actor_id text, name text, due_at_ms bigint, command json",
    write: (from) =>
      "insert into alarm (shard, organization_id, actor_kind, actor_id, name, due_at_ms, command) " +
      `select r.shard, r.organization_id, r.actor_kind, r.actor_id, r.name, r.due_at_ms, r.command from ${from} ${OF_FENCED_SHARD} ` +
      "on conflict (organization_id, actor_id, name) do update set due_at_ms = excluded.due_at_ms, command = excluded.command",
  },
  cleared: {
    columns: "shard int, organization_id text, actor_id text, name text",
    write: (from) =>
      `delete from alarm a using ${from} ${OF_FENCED_SHARD} ` +
      "and a.organization_id = r.organization_id and a.actor_id = r.actor_id and a.name = r.name",
  },
} satisfies Record<string, FlushPart>;

/** The prefix of the names of records' tables. */
const RECORDS = "record_";

type Rows = Map<string, object>;
/** `before`: what is stored before the batch; null: nothing, or it is not known. */
interface RecordRow {
  readonly shard: number;
  readonly base: number;
  readonly before: RecordFields | null;
  readonly record: RecordFields;
}

/** The rows of a batch by part and key; the last one of a key wins. */
class Merged {
  private readonly records = new Map<string, Rows>();
  private readonly parts = new Map<keyof typeof FLUSH_PARTS, Rows>();
  private events = 0;

  add({ shard, writes }: ShardWrites): void {
    for (const write of writes.records) this.record(shard, write);
    for (const event of writes.events) {
      const { organizationId: organization_id, stream, seq, type, at } = event;
      // Never merged: a seq that was used twice must fail, not disappear.
      this.put("event", `${this.events++}`, { shard, organization_id, stream, seq, type, at, data: dataColumn(event) });
    }
    for (const row of writes.messages)
      this.put("actor_message", row.id, { ...actorRow(shard, row), command: row.command });
    for (const id of writes.consumed) this.put("consumed", id, { shard, id });
    for (const row of writes.effects) {
      this.put("effect", row.id, { ...actorRow(shard, row), kind: row.kind, intent: row.intent });
    }
    for (const id of writes.settled) {
      // An effect that begins and ends in the same batch was never visible.
      if (this.parts.get("effect")?.delete(id) !== true) this.put("settled", id, { shard, id });
    }
    for (const { organizationId: organization_id, actorId: actor_id, name } of writes.cleared) {
      const key = `${organization_id}/${actor_id}/${name}`;
      this.parts.get("alarm")?.delete(key);
      this.put("cleared", key, { shard, organization_id, actor_id, name });
    }
    for (const row of writes.alarms) {
      const key = `${row.organizationId}/${row.actorId}/${row.name}`;
      this.parts.get("cleared")?.delete(key);
      const { id: _, ...address } = actorRow(shard, { ...row, id: "" });
      this.put("alarm", key, { ...address, name: row.name, due_at_ms: row.dueAtMs, command: row.command });
    }
  }

  /** The rows by part, without parts that have no rows. */
  get rows(): ReadonlyMap<string, Rows> {
    const all = new Map<string, Rows>();
    for (const [table, rows] of this.records) all.set(RECORDS + table, sentRows(table, rows, this.storedForm(table)));
    for (const [name, rows] of this.parts) if (rows.size > 0) all.set(name, rows);
    return all;
  }

  /** The form in which whole records of this table are stored. */
  private storedForm(table: string): (record: RecordFields) => RecordFields {
    const messages = table === "job" ? this.records.get("message") : undefined;
    if (messages === undefined) return (record) => record;
    return (job) => jobRow(job, (id) => (messages.get(`${job.organizationId}/${id}`) as RecordRow | undefined)?.record);
  }

  private record(shard: number, { table, record, before: stored }: RecordWrite): void {
    let rows = this.records.get(table);
    if (rows === undefined) this.records.set(table, (rows = new Map()));
    const key = `${record.organizationId}/${record.id}`;
    const earlier = rows.get(key) as RecordRow | undefined;
    // Each group raises the version of a record by one.
    if (earlier !== undefined && earlier.record.version !== record.version - 1)
      throw new Error(`stale write of ${table} ${record.id}: version ${record.version} on ${earlier.record.version}`);
    const base = earlier?.base ?? record.version - 1;
    const row: RecordRow = { shard, base, before: earlier === undefined ? (stored ?? null) : earlier.before, record };
    rows.set(key, row);
  }

  private put(part: keyof typeof FLUSH_PARTS, key: string, row: object): void {
    let rows = this.parts.get(part);
    if (rows === undefined) this.parts.set(part, (rows = new Map()));
    rows.set(key, row);
  }
}

const actorRow = (
  shard: number,
  row: Pick<MessageRow | EffectRow, "organizationId" | "actorKind" | "actorId" | "id">,
) => ({
  shard,
  organization_id: row.organizationId,
  actor_kind: row.actorKind,
  actor_id: row.actorId,
  id: row.id,
});

/** The rows as the statement gets them. */
function sentRows(table: string, rows: Rows, storedForm: (record: RecordFields) => RecordFields): Rows {
  const isKept = KEPT_TABLES.has(table);
  const sent: Rows = new Map();
  for (const [key, row] of rows) {
    const { shard, base, before, record } = row as RecordRow;
    const isStored = isKept && before !== null && before.version === base;
    const changed = isStored ? changedFields(before, record) : storedForm(record);
    sent.set(key, [shard, base, changed]);
  }
  return sent;
}

/** Table names come from code, never from input; this keeps it so. */
const TABLE_NAME = /^[a-z_]+$/;

const NO_ROWS = "[]";

/** Builds the statement of a batch in one of the shapes; if they are omitted, in its own. */
export function flushStatement(
  batch: readonly ShardWrites[],
  shapes: Pick<FlushShapes, "covering"> = { covering: (touched) => touched },
): Statement {
  const epochs = new Map<number, number>();
  const merged = new Merged();
  for (const group of batch) {
    epochs.set(group.shard, group.epoch);
    merged.add(group);
  }
  const { rows: touched } = merged;
  const parameters: (string | number[])[] = [[...epochs.keys()], [...epochs.values()]];
  const ctes = lockOrder(shapes.covering(new Set(touched.keys()))).map((name) => {
    const rows = touched.get(name);
    parameters.push(rows === undefined ? NO_ROWS : JSON.stringify([...rows.values()]));
    return `w_${name} as (${partWrite(name, `$${parameters.length}`)})`;
  });
  const fence =
    "f as materialized (select s.id from shard s join unnest($1::int[], $2::bigint[]) e(id, epoch) " +
    "on s.id = e.id and s.epoch = e.epoch order by s.id for share of s)";
  return { text: `with ${[fence, ...ctes].join(", ")} select id from f`, parameters };
}

/** The same order in each statement, so that concurrent statements lock tables in the same order. */
const lockOrder = (names: ReadonlySet<string>): string[] => [
  ...[...names].filter((name) => name.startsWith(RECORDS)).sort(),
  ...Object.keys(FLUSH_PARTS).filter((name) => names.has(name)),
];

/** The write of the part with this name. */
function partWrite(name: string, parameter: string): string {
  if (name.startsWith(RECORDS)) {
    const table = name.slice(RECORDS.length);
    if (!TABLE_NAME.test(table)) throw new Error(`no table name: ${table}`);
    return writeRecords(table, parameter);
  }
  const { columns, write } = FLUSH_PARTS[name as keyof typeof FLUSH_PARTS];
  return write(`json_to_recordset(${parameter}::text::json) as r(${columns})`);
}
