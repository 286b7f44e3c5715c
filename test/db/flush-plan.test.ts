/**
 * How PostgreSQL runs the flush: planned once, and by the indexes, however small the tables are then; and how long the
 * lists are in which indexes collect what it writes.
 */
import { expect, test } from "bun:test";
import type { Writes } from "../../actors/runtime/store.ts";
import { KEPT_TABLES } from "../../db/changed-fields.ts";
import { openDatabase } from "../../db/client.ts";
import { flushStatement } from "../../db/flush.ts";
import { createTestDatabase } from "../support/postgres.ts";

const address = { organizationId: "o", actorKind: "k", actorId: "a" };
const command = { kind: "x" };
const record = { id: "c", organizationId: "o", version: 1, createdAt: "", updatedAt: "" };
const everything: Writes = {
  records: [...KEPT_TABLES, "token"].map((table) => ({ table, record })),
  events: [{ organizationId: "o", stream: "c", seq: 1, type: "t", at: "", data: {} }],
  messages: [{ ...address, id: "m1", command }],
  consumed: ["m0"],
  effects: [{ ...address, id: "e1", kind: "k", intent: {} }],
  settled: ["e0"],
  alarms: [{ ...address, name: "n1", dueAtMs: 1, command }],
  cleared: [{ organizationId: "o", actorId: "a", name: "n0" }],
};

test("[RT-4] the plan of a flush scans no table, not even an empty one, joins by index only, and looks up no record", async () => {
  const testDatabase = await createTestDatabase();
  const database = openDatabase(testDatabase.url);
  try {
    const { text } = flushStatement([{ shard: 1, epoch: 1, writes: everything }]);
    const rows = await database.flush.unsafe<Record<string, string>[]>(`explain (generic_plan) ${text}`).simple();
    const plan = rows.flatMap((row) => Object.values(row)).join("\n");
    expect(plan).toContain("Index Scan using shard_pkey");
    for (const index of ["effect_pkey", "actor_message_pkey", "alarm_organization_id_actor_id_name_pk"]) {
      expect(plan).toContain(`Index Scan using ${index}`);
    }
    expect(plan).not.toMatch(/Seq Scan|Hash|Merge/);
    const scanned = [...plan.matchAll(/Scan using \w+ on (\w+)/g)].map(([, table]) => table!);
    expect(scanned.toSorted()).toEqual(["actor_message", "alarm", "effect", "shard"]);
    expect(await database.flush`show plan_cache_mode`).toMatchObject([{ plan_cache_mode: "force_generic_plan" }]);
  } finally {
    await database.close();
    await testDatabase.drop();
  }
});

test("[GEN-16] no index of words keeps a list of more than 1 MiB: each search reads it, and one commit empties it", async () => {
  const testDatabase = await createTestDatabase();
  const database = openDatabase(testDatabase.url);
  try {
    const indexes = await database.read<{ readonly name: string; readonly options: string | null }[]>`
      select relname as name, array_to_string(reloptions, ', ') as options from pg_class
      where relam = (select oid from pg_am where amname = 'gin') order by relname`;
    const short = "gin_pending_list_limit=1024";
    expect(indexes.map(({ name, options }) => [name, options])).toEqual([
      ["agent_tags", short],
      ["agent_words", short],
      ["chat_words", short],
      ["job_metadata", "fastupdate=false"],
      ["message_words", short],
      ["workspace_apps", short],
      ["workspace_text_words", short],
    ]);
  } finally {
    await database.close();
    await testDatabase.drop();
  }
});
