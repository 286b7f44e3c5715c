/** The tables of a whole service, seen from beside it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { wholeJob } from "../../db/record-rows.ts";
import { SUPERUSER } from "../../db/postgres-cluster.ts";
import { readPidFile } from "../../db/postmaster.ts";
import type { StoredService } from "./service-history.ts";
import { eventually } from "./troupe-process.ts";

/** The url of the embedded database in this data folder; its server must run. */
export function embeddedUrl(dataDir: string): string {
  const { password } = JSON.parse(readFileSync(join(dataDir, "postgres.json"), "utf8")) as { password: string };
  return `postgres://${SUPERUSER}:${password}@127.0.0.1:${readPidFile(join(dataDir, "postgres"))?.port}/postgres`;
}

export async function withTables<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Lets every agent make tasks. The next start of the service sees it. */
export const grantTasks = (url: string): Promise<unknown> =>
  withTables(url, (sql) => sql`update agent set body = jsonb_set(body, '{allowedTools}', '["create_task"]')`);

/** What is stored, once every job has come to its end and nothing is undone. */
export function storedService(url: string): Promise<StoredService> {
  return withTables(url, async (sql) => {
    await eventually("every job has ended", async () => (await openJobs(sql)) + (await undone(sql)) === 0).catch(
      () => {},
    );
    const tasks = await sql<{ title: string }[]>`select body ->> 'title' as title from task`;
    const jobs = await sql<{ input: string; status: string; busy: boolean }[]>`
      select (${sql.unsafe(wholeJob("j.body"))}) ->> 'input' as input, j.status, c.body ->> 'activeJobId' = j.id as busy
      from job j join chat c on c.organization_id = j.organization_id and c.id = j.chat_id`;
    const broken = await sql`
      select r.id from (select organization_id, id, body from job union all select organization_id, id, body from chat) r
      left join event e on e.organization_id = r.organization_id and e.stream = r.id
      group by r.organization_id, r.id, r.body
      having count(e.seq) <> (r.body ->> 'lastSeq')::int or min(e.seq) <> 1 or max(e.seq) <> count(e.seq)`;
    return {
      titles: tasks.map(({ title }) => title),
      jobs: jobs.map(({ input, status, busy }) => ({ input, status, chatBusy: busy === true && status !== "blocked" })),
      brokenStreams: broken.length,
      undone: await undone(sql),
    };
  });
}

async function openJobs(sql: postgres.Sql): Promise<number> {
  const [row] = await sql<
    { n: number }[]
  >`select count(*)::int as n from job where status in ('queued', 'running', 'cancelling')`;
  return row!.n;
}

async function undone(sql: postgres.Sql): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select ((select count(*) from actor_message) + (select count(*) from effect) + (select count(*) from alarm))::int as n`;
  return row!.n;
}
