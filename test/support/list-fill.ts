/**
 * An organization with many records of each noun: copies of one that the service has made itself, so that they are
 * as real as it is. Most are alike; the oldest few have each of the other values that lists filter by.
 */
import type { Sql } from "../../db/client.ts";
import { CHAT_STATUSES } from "../../actors/chat/schema.ts";
import { JOB_STATUSES } from "../../actors/job/schema.ts";
import { MISSION_STATUSES, RUN_OUTCOMES } from "../../actors/mission/schema.ts";
import { TASK_STATUSES } from "../../actors/organization/schema.ts";
import { ATTEMPT_STATUSES } from "../../actors/webhook/schema.ts";

/** Few records have a value that is not the common one. */
export const RARE = 3;

/** How the copies of a table differ from the record that is copied. */
interface Copies {
  readonly table: string;
  /** Of the ids, which keep their length. */
  readonly prefix: string;
  /** A field, and the values that the oldest copies have in turn. */
  readonly words?: readonly (readonly [field: string, values: readonly string[]])[];
  /** Fields that are different in each copy: SQL over `i`. */
  readonly numbered?: Readonly<Record<string, string>>;
}

/** The ids that are rare: what the oldest few records belong to. */
export const RARE_IDS = {
  agentId: "agt_rare_agent_0123456789",
  workspaceId: "wsp_rare_space_0123456789",
  assignedTo: "usr_rare_user_01234567890",
  missionId: "mis_rare_mission_01234567",
  parentJobId: "job_rare_parent_012345678",
  eventId: "evt_rare_event_0123456789",
};

/** A name that few agents have. */
export const RARE_NAME = "Zenobia";

const COPIES: readonly Copies[] = [
  {
    table: "agent",
    prefix: "agt_",
    words: [
      ["source", ["library"]],
      ["visibility", ["public", "unlisted", "private"]],
      ["name", [RARE_NAME]],
    ],
  },
  {
    table: "task",
    prefix: "task-",
    words: [
      ["status", TASK_STATUSES],
      ["assignedTo", [RARE_IDS.assignedTo]],
      ["workspaceId", [RARE_IDS.workspaceId]],
    ],
  },
  {
    table: "chat",
    prefix: "cht_",
    words: [
      ["status", CHAT_STATUSES],
      ["agentId", [RARE_IDS.agentId]],
      ["workspaceId", [RARE_IDS.workspaceId]],
    ],
  },
  {
    table: "job",
    prefix: "job_",
    words: [
      ["status", JOB_STATUSES],
      ["workspaceId", [RARE_IDS.workspaceId]],
      ["missionId", [RARE_IDS.missionId]],
      ["parentJobId", [RARE_IDS.parentJobId]],
    ],
  },
  { table: "message", prefix: "msg_", numbered: { seq: "1000 + i" } },
  {
    table: "mission",
    prefix: "mis_",
    words: [
      ["status", MISSION_STATUSES],
      ["agentId", [RARE_IDS.agentId]],
      ["workspaceId", [RARE_IDS.workspaceId]],
    ],
  },
  {
    table: "mission_run",
    prefix: "mrn_",
    words: [["outcome", RUN_OUTCOMES]],
    numbered: { number: "1000 + i", scheduledAt: "copy.at" },
  },
  { table: "workspace", prefix: "wsp_" },
  { table: "upload", prefix: "upl_" },
  { table: "workspace_share", prefix: "shr_", numbered: { hash: "'h' || i" } },
  { table: "workspace_place", prefix: "plc_", numbered: { name: "'file ' || lpad(i::text, 8, '0')" } },
  { table: "token", prefix: "tok_", numbered: { hash: "'h' || i" } },
  { table: "webhook_event", prefix: "evt_", numbered: { sequence: "1000 + i" } },
  {
    table: "webhook_attempt",
    prefix: "dlv_",
    // Nobody is to make them.
    numbered: { dueAt: "'2099-01-01T00:00:00.000Z'" },
    words: [
      ["status", ATTEMPT_STATUSES],
      ["eventType", ["job.failed", "chat.deleted"]],
      ["eventId", [RARE_IDS.eventId]],
    ],
  },
];

/** Copies the newest record of each table so many times, and lets PostgreSQL count what is there. */
export async function fillLists(sql: Sql, organizationId: string, count: number): Promise<void> {
  for (const { table, prefix, words = [], numbered = {} } of COPIES) {
    const rare = words.flatMap(([field, values], at) =>
      values.map(
        (value, i) =>
          `when i <= ${(at * 10 + i + 1) * RARE} and i > ${(at * 10 + i) * RARE} then jsonb_build_object('${field}', '${value}')`,
      ),
    );
    const different = rare.length === 0 ? "'{}'::jsonb" : `case ${rare.join(" ")} else '{}'::jsonb end`;
    const counted = Object.entries(numbered).map(([field, value]) => `, '${field}', ${value}`);
    const copied = await sql.unsafe(
      `insert into ${table} (organization_id, id, version, body)
       select organization_id, copy.id, version, body || jsonb_build_object('id', copy.id, 'createdAt', copy.at ${counted.join("")}) || ${different}
       from (select * from ${table} where organization_id = $1 order by id limit 1) original,
         generate_series(1, ${count}) i,
         lateral (select '${prefix}' || lpad(i::text, 21, '0') as id,
           to_char(timestamp '2026-01-01' + i * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at) copy`,
      [organizationId],
    );
    if (copied.count !== count) throw new Error(`${table} has no record to copy`);
  }
  await sql`insert into event (organization_id, stream, seq, type, at, data)
    select organization_id, stream, seq + i, type, at, data
    from (select * from event where organization_id = ${organizationId} and stream like 'job_%' order by seq desc limit 1) original,
      generate_series(1, ${count}) i`;
  await sql.unsafe("vacuum analyze");
}

/** Copies a chat so many times, each a millisecond after the one before; every so-manieth one is in another workspace. */
export async function fillWork(
  sql: Sql,
  organizationId: string,
  chatId: string,
  { count, every, workspaceId }: { readonly count: number; readonly every: number; readonly workspaceId: string },
): Promise<void> {
  await sql`
    insert into chat (organization_id, id, version, body)
    select organization_id, copy.id, version,
      body || jsonb_build_object('id', copy.id, 'createdAt', copy.at)
        || case when i % ${every}::int = 0 then jsonb_build_object('workspaceId', ${workspaceId}::text) else '{}'::jsonb end
    from chat, generate_series(1, ${count}::int) i,
      lateral (select 'cht_' || substr(md5(${chatId} || i), 1, 21) as id,
        to_char((body ->> 'createdAt')::timestamptz at time zone 'UTC' + i * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at) copy
    where organization_id = ${organizationId} and chat.id = ${chatId}`;
}
