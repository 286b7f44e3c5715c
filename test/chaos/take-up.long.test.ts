/** A shard with 100,000 unfinished rows, taken over by another process from a replica that died: on PostgreSQL. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { shardOf } from "../../actors/runtime/placement/placement.ts";
import { openDatabase } from "../../db/client.ts";
import { PostgresPlacement } from "../../db/placement.ts";
import { createTestDatabase } from "../support/postgres.ts";
import type { TakeUpReport } from "../support/take-up-child.ts";

const ORG = "org_a";
const ROWS = 100_000;
/** Resident memory that the take-up may add. */
const MEMORY_BYTES = 150 * 1024 * 1024;

test("[RT-11] a shard with 100,000 unfinished rows serves before they are taken up, and all of them are", async () => {
  const created = await createTestDatabase();
  const database = openDatabase(created.url);
  // The former owner holds all shards, renews once more, and is never heard of again.
  const former = new PostgresPlacement(database, { id: "former", address: "", build: "", folder: null });
  await former.join();
  await former.claim();
  const shard = shardOf(ORG);
  await database.read`insert into actor_message (shard, organization_id, actor_kind, actor_id, id, command)
    select ${shard}, ${ORG}, 'ledger', 'l' || i % 500, 'amg_' || i,
      json_build_object('kind', 'add', 'by', 1, 'note', repeat('x', 500)) from generate_series(1, ${ROWS / 2}::int) i`;
  await database.read`insert into effect (shard, organization_id, actor_kind, actor_id, id, kind, intent)
    select ${shard}, ${ORG}, 'ledger', 'l' || i % 500, 'eff_' || i, 'count', json_build_object('note', repeat('x', 500))
    from generate_series(1, ${ROWS / 2}::int) i`;
  await former.renew();
  const diedAt = Date.now();
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, "../support/take-up-child.ts"), created.url, ORG, String(ROWS / 2)],
    {
      stdout: "pipe",
      stderr: "inherit",
    },
  );
  const { servedAt, leftThen, doneAt, recovered, addedBytes } = JSON.parse(
    await new Response(child.stdout).text(),
  ) as TakeUpReport;
  expect(await child.exited).toBe(0);
  console.log(
    `served after ${servedAt - diedAt} ms, all taken up after ${doneAt - diedAt} ms, ` +
      `${Math.round(addedBytes / 1024 / 1024)} MiB more`,
  );
  expect(leftThen).toBeGreaterThan(0);
  expect(recovered).toBe(ROWS / 2);
  expect(addedBytes).toBeLessThan(MEMORY_BYTES);
  const [sum] = await database.read<
    { count: number }[]
  >`select sum((body ->> 'count')::int)::int as count from chat where id <> 'new'`;
  expect(sum?.count).toBe(ROWS / 2);
  await database.close();
  await created.drop();
}, 900_000);
