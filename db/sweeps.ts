/**
 * Deletes data after its retention time (SSE-10, IDEM-1, HOOK-9): a table of sweeps, each of which deletes a batch of
 * expired rows.
 *
 * A sweep bypasses the actors and works directly on the tables, but disturbs no actor: it deletes only rows that nobody
 * needs any more. It skips a row that is being written (`skip locked`). If an actor still has a deleted row in memory
 * and needs it, it writes the whole row again, and that write waits only the few ms of a batch. A sweep itself waits
 * for nobody, so it cannot cause a deadlock, and two replicas may sweep at once.
 */
import type { TransactionSql } from "postgres";
import { CLOCK_SKEW_MS } from "../actors/runtime/ports.ts";
import { RATE_WINDOW_MS } from "../actors/traffic/policy.ts";
import { ATTEMPT_RETENTION_MS, EVENT_RETENTION_MS } from "../actors/webhook/policy.ts";
import { isoTime } from "../actors/schema.ts";
import { type Database, NO_ORGANIZATION } from "./client.ts";
import { DAY_MS } from "../actors/units.ts";

/** A window is over after one window time; two are enough whatever the clocks say. */
const RATE_WINDOW_KEPT_MS = 2 * RATE_WINDOW_MS + CLOCK_SKEW_MS;
/** A batch takes a few ms; one that takes longer than this is aborted and rolled back. */
const BATCH_TIMEOUT_MS = 2_000;
/** Ended records in one batch whose events are looked up. */
const SWEPT_STREAMS = 100;

/** How long sessions and the like stay in lists after their end. */
const ENDED_CREDENTIAL_MS = 30 * DAY_MS;
/** Retention of the audit (AUTH-17). */
const AUDIT_RETENTION_MS = 365 * DAY_MS;

/** Retention of missions' ledgers: the same as for deliveries of webhooks, so that both can be compared. */
const RUN_RETENTION_MS = 90 * DAY_MS;

export interface Retention {
  /** How many days the events of a chat or a job are kept after its end. */
  readonly eventDays: number;
}

export interface Sweep {
  readonly name: string;
  /** Rows older than this are deleted, in ms. */
  readonly retentionMs: number;
  readonly take: Take;
}

/** The result of a batch. */
export interface Taken {
  readonly deleted: number;
  /** Whether nothing is left to do now. */
  readonly isDone: boolean;
}

/** Deletes at most `limit` rows that were over before `cutoff`. */
type Take = (sql: TransactionSql, cutoff: string, limit: number) => Promise<Taken>;

/** All sweeps. */
export const sweepsOf = ({ eventDays }: Retention): readonly Sweep[] => [
  { name: "idempotency_keys", retentionMs: CLOCK_SKEW_MS, take: past("idempotency_key", "expires_at") },
  { name: "client_sessions", retentionMs: CLOCK_SKEW_MS, take: past("client_sessions", "expires_at") },
  { name: "rate_windows", retentionMs: RATE_WINDOW_KEPT_MS, take: past("rate_window", "updated_at") },
  { name: "webhook_events", retentionMs: EVENT_RETENTION_MS, take: past("webhook_event", "created_at") },
  { name: "webhook_attempts", retentionMs: ATTEMPT_RETENTION_MS, take: past("webhook_attempt", "created_at") },
  { name: "approval_notices", retentionMs: ATTEMPT_RETENTION_MS, take: past("reach_question", "created_at") },
  { name: "ended_credentials", retentionMs: ENDED_CREDENTIAL_MS, take: past("token", "swept_after") },
  { name: "invitations", retentionMs: ENDED_CREDENTIAL_MS, take: past("invitation", "expires_at") },
  { name: "oauth_clients", retentionMs: CLOCK_SKEW_MS, take: past("oauth_client", "expires_at") },
  { name: "oauth_grants", retentionMs: ENDED_CREDENTIAL_MS, take: past("oauth_grant", "expires_at") },
  { name: "removed_connections", retentionMs: ENDED_CREDENTIAL_MS, take: past("connection", "removed_at") },
  { name: "sign_in_flows", retentionMs: CLOCK_SKEW_MS, take: past("sign_in_flow", "expires_at") },
  { name: "sign_in_attempts", retentionMs: DAY_MS, take: past("sign_in_attempts", "updated_at") },
  { name: "audit_entries", retentionMs: AUDIT_RETENTION_MS, take: past("audit_entry", "created_at") },
  { name: "mission_runs", retentionMs: RUN_RETENTION_MS, take: runsAndEvents },
  { name: "job_events", retentionMs: eventDays * DAY_MS, take: eventsOf("job") },
  { name: "chat_events", retentionMs: eventDays * DAY_MS, take: eventsOf("chat") },
];

/**
 * One batch of a sweep, in a transaction of its own. It uses the indexes, however few the rows. `now` is wall clock in
 * ms.
 */
export function sweepOnce(
  database: Database,
  { take, retentionMs }: Sweep,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<Taken> {
  return database.reading("own", NO_ORGANIZATION, (pool) =>
    pool.sql.begin(async (sql) => {
      await sql`
        select set_config('statement_timeout', ${String(BATCH_TIMEOUT_MS)}, true),
          set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
          set_config('enable_mergejoin', 'off', true)`;
      return take(sql, isoTime(now - retentionMs), limit);
    }),
  );
}

/** The database's wall clock, in ms. */
export const databaseNow = (database: Database): Promise<number> =>
  database.reading("own", NO_ORGANIZATION, async ({ sql }) => {
    const [row] = await sql<{ ms: number }[]>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`;
    return row!.ms;
  });

/** Expired rows of a table of records, by the time in `column`. They are locked, so that none moves. */
export function past(table: string, column: string): Take {
  return async (sql, cutoff, limit) => {
    const rows = await sql`
      with doomed as (
        select ctid from ${sql(table)} where ${sql(column)} < ${cutoff}
        order by ${sql(column)} limit ${limit} for update skip locked)
      delete from ${sql(table)} where ctid = any(array(select ctid from doomed)) and ${sql(column)} < ${cutoff}`;
    return { deleted: rows.count, isDone: rows.count < limit };
  };
}

/**
 * Ended entries of missions' ledgers, and the events of their missions up to them. A mission never ends, so its events
 * have no end of their own from which to count.
 */
const runsAndEvents: Take = async (sql, cutoff, limit) => {
  const [batch] = await sql<[{ deleted: number; events: number }]>`
    with doomed as (
      select ctid, organization_id, mission_id, (body ->> 'missionSeq')::int as seq from mission_run
      where created_at < ${cutoff} and outcome <> 'started'
      order by created_at limit ${limit} for update skip locked),
    told as (
      select e.organization_id, e.stream, e.seq from
        (select organization_id, mission_id, max(seq) as seq from doomed group by 1, 2) d
        join event e on e.organization_id = d.organization_id and e.stream = d.mission_id and e.seq <= d.seq),
    untold as (
      delete from event e using told t
      where e.organization_id = t.organization_id and e.stream = t.stream and e.seq = t.seq returning 1),
    gone as (delete from mission_run where ctid = any(array(select ctid from doomed)) returning 1)
    select (select count(*)::int from gone) as deleted, (select count(*)::int from untold) as events`;
  return { deleted: batch.deleted + batch.events, isDone: batch.deleted < limit };
};

interface Batch {
  readonly deleted: number;
  readonly streams: number;
  readonly last: { readonly atRestSince: string; readonly organizationId: string; readonly id: string } | null;
}

/**
 * The events of records that have ended and not changed since, in the order in which they came to rest. The sweep
 * stores its position, so that it visits each record once. A record that still changes comes to rest again, at a later
 * position. Only the holder of the position's lock sweeps.
 */
function eventsOf(table: "chat" | "job"): Take {
  return async (sql, cutoff, limit) => {
    const sweep = `${table}_events`;
    await sql`
      insert into sweep_position (sweep, at_rest_since, organization_id, id) values (${sweep}, '', '', '')
      on conflict do nothing`;
    const held = await sql`select 1 from sweep_position where sweep = ${sweep} for update skip locked`;
    if (held.count === 0) return { deleted: 0, isDone: true };
    const [batch] = await sql<[Batch]>`
      with ended as (
        select r.at_rest_since, r.organization_id, r.id from ${sql(table)} r, sweep_position p
        where p.sweep = ${sweep} and r.at_rest_since < ${cutoff}
        and (r.at_rest_since, r.organization_id, r.id) > (p.at_rest_since, p.organization_id, p.id)
        order by r.at_rest_since, r.organization_id, r.id limit ${SWEPT_STREAMS}),
      doomed as (
        select e.organization_id, e.stream, e.seq from ended r
        join event e on e.organization_id = r.organization_id and e.stream = r.id limit ${limit}),
      gone as (
        delete from event e using doomed d
        where e.organization_id = d.organization_id and e.stream = d.stream and e.seq = d.seq returning 1)
      select (select count(*)::int from gone) as deleted, (select count(*)::int from ended) as streams,
        (select json_build_object('atRestSince', at_rest_since, 'organizationId', organization_id, 'id', id)
         from ended order by at_rest_since desc, organization_id desc, id desc limit 1) as last`;
    const { deleted, streams, last } = batch;
    if (deleted === limit) return { deleted, isDone: false };
    if (last !== null) {
      await sql`
        update sweep_position
        set at_rest_since = ${last.atRestSince}, organization_id = ${last.organizationId}, id = ${last.id}
        where sweep = ${sweep}`;
    }
    return { deleted, isDone: streams < SWEPT_STREAMS };
  };
}
