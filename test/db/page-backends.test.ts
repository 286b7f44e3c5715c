/** The processes of PostgreSQL that read pages, on the server of the tests. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { getPriority } from "node:os";
import postgres from "postgres";
import { openDatabase, type Sql } from "../../db/client.ts";
import { LOOK_MS, PageBackends } from "../../db/page-backends.ts";
import { lowerProcess, SESSION_NICE } from "../../src/sandbox/low-priority.ts";
import { until } from "../support/condition.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

let testDatabase: TestDatabase;
let beside: Sql;
beforeEach(async () => {
  testDatabase = await createTestDatabase();
  beside = postgres(testDatabase.url, { max: 1, onnotice: () => {} });
});
afterEach(async () => {
  await beside.end();
  await testDatabase.drop();
});

/** Of this process, by the beginning of their name. */
const backends = async (name: string): Promise<number[]> =>
  (
    await beside<{ pid: number }[]>`select pid from pg_stat_activity
      where datname = current_database() and starts_with(application_name, ${name}) order by pid`
  ).map(({ pid }) => pid);

// reason: only Linux says in /proc whose processes they are.
test.skipIf(!existsSync("/proc/self/cmdline"))(
  "[FAIR-8] backends that read pages go behind those that commit",
  async () => {
    const lowered: number[] = [];
    const database = openDatabase(testDatabase.url, { lower: (pid) => void lowered.push(pid) });
    try {
      await database.flushing((sql) => sql`select 1`);
      await database.reading("load", "o", ({ sql }) => sql`select 1`);
      expect(await backends("troupe pages")).toEqual([]);
      await database.reading("list", "o", ({ sql }) => sql`select 1`);
      await until("one is lowered", () => lowered.length === 1);
      expect(lowered).toEqual(await backends("troupe pages"));
      expect(await backends("troupe")).toHaveLength(3);
      const [pid = 0] = lowered;
      const before = getPriority(pid);
      lowerProcess(pid);
      // Who may not change it leaves it as it was.
      expect([SESSION_NICE, before]).toContain(getPriority(pid));
      if (process.getuid?.() === 0) expect(getPriority(pid)).toBe(SESSION_NICE);
    } finally {
      await database.close();
    }
  },
);

/** A session with this name, and what is lowered of it on a clock that the test moves. */
function rig(name: string, most: number) {
  let now = 0;
  let asked = 0;
  const lowered: number[] = [];
  const watched = new PageBackends({ name, most, lower: (pid) => void lowered.push(pid), now: () => now });
  return {
    lowered,
    watched,
    asked: () => asked,
    look(ms: number): Promise<void> {
      now += ms;
      return watched.look((ask) => {
        asked++;
        return Promise.resolve(ask(beside));
      });
    },
  };
}
const session = async (name: string): Promise<Sql> => {
  const sql = postgres(testDatabase.url, { max: 1, onnotice: () => {}, connection: { application_name: name } });
  await sql`select 1`;
  return sql;
};

// reason: only Linux says in /proc whose processes they are.
test.skipIf(!existsSync("/proc/self/cmdline"))(
  "[FAIR-8] new backends are looked for once a second at most, until all are known, and again when one has ended",
  async () => {
    const name = `troupe test ${crypto.randomUUID()}`;
    const { watched, look, lowered, asked } = rig(name, 2);
    await look(0);
    expect([lowered.length, asked()]).toEqual([0, 1]);
    const first = await session(name);
    await look(LOOK_MS - 1);
    expect(asked()).toBe(1);
    await look(1);
    expect([lowered.length, asked()]).toEqual([1, 2]);
    const second = await session(name);
    await look(LOOK_MS);
    expect([lowered.length, asked()]).toEqual([2, 3]);
    await look(LOOK_MS);
    expect(asked()).toBe(3);
    await first.end();
    watched.ended();
    const third = await session(name);
    await look(LOOK_MS);
    expect(new Set(lowered).size).toBe(3);
    await Promise.all([second.end(), third.end()]);
  },
);

test("[FAIR-8] a server on another machine is asked once", async () => {
  let asked = 0;
  let now = 0;
  const lowered: number[] = [];
  const far = new PageBackends({ name: "n", most: 6, lower: (pid) => void lowered.push(pid), now: () => now });
  // Such a process may be here, but it is not the one with this end of a connection.
  const answer = [{ pid: process.pid, port: 1 }];
  for (; now <= 3 * LOOK_MS; now += LOOK_MS)
    await far.look(() => {
      asked++;
      return Promise.resolve(answer as never);
    });
  expect([asked, lowered]).toEqual([1, []]);
});
