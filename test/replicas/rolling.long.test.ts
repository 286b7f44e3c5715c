/**
 * The former release and this one on one database. The former one is the newest tag before this commit, else the
 * commit in `former-release.json`. A clone without that history skips it, and so does a machine where its packages
 * cannot be installed; `test/db/expanding.test.ts` needs neither.
 */
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import former from "./former-release.json" with { type: "json" };
import { type GuardedFolder, guardedFolder } from "../support/guarded-folder.ts";
import { createEmptyDatabase, type TestDatabase } from "../support/postgres.ts";
import { withTables } from "../support/service-tables.ts";
import { CLONE } from "../support/service-process.ts";
import { eventually, firstRunIn, MAIN, startTroupe, type TroupeProcess } from "../support/troupe-process.ts";

const SECRET = Buffer.alloc(32, 7).toString("base64");
const ROUNDS = 20;

const run = (...cmd: string[]): string | null => {
  const done = Bun.spawnSync({ cmd, cwd: CLONE, stdio: ["ignore", "pipe", "ignore"] });
  return done.success ? done.stdout.toString().trim() : null;
};

/** The commit of the former release; null where this clone does not have it. */
function formerCommit(): string | null {
  if (Bun.which("git") === null || Bun.which("tar") === null) return null;
  const tag = run("git", "describe", "--tags", "--abbrev=0", "HEAD^");
  return run("git", "rev-parse", "--verify", "--quiet", `${tag ?? former.commit}^{commit}`);
}

/** Its sources with its own packages; null where these cannot be installed here. */
async function formerClone(folder: GuardedFolder): Promise<string | null> {
  const commit = formerCommit();
  if (commit === null) return null;
  const path = join(folder.path, "former");
  mkdirSync(path);
  const archive = join(folder.path, "former.tar");
  if (run("git", "archive", "--output", archive, commit) === null) throw new Error("git has no archive of it");
  if (run("tar", "-x", "-f", archive, "-C", path) === null) throw new Error("the archive cannot be read");
  const install = Bun.spawn({
    cmd: [process.execPath, "install", "--frozen-lockfile", "--production"],
    cwd: path,
    stdio: ["ignore", "ignore", "ignore"],
  });
  return (await install.exited) === 0 ? path : null;
}

const folder = guardedFolder("disk");
const path = await formerClone(folder);
if (path === null) await folder.remove();

test.skipIf(path === null)(
  "[UPG-2] the former release serves beside this one on the same database, and nothing of either is lost",
  async () => {
    let database: TestDatabase | null = null;
    try {
      database = await createEmptyDatabase();
      const { url } = database;
      const start = (name: string, main: string): Promise<TroupeProcess> =>
        startTroupe(folder, {
          dataDir: join(folder.path, name),
          cmd: [process.execPath, main],
          env: {
            DATABASE_URL: url,
            TROUPE_SECRET: SECRET,
            REPLICA_URL: "auto",
            FILES_DIR: join(folder.path, "files"),
            RATE_BUDGETS: "*=1000000",
          },
        });
      const old = await start("old", join(path!, "src/main.ts"));
      const { personal, agentId } = firstRunIn(readFileSync(join(old.dataDir, "first-run.txt"), "utf8"));
      const ask = async (at: TroupeProcess, method: string, target: string, body?: object) => {
        const headers = { authorization: `Bearer ${personal}`, "content-type": "application/json" };
        const request = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
        const answer = await fetch(at.url + target, request);
        return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
      };
      const titles: string[] = [];
      const make = async (at: TroupeProcess, title: string) => {
        const made = await ask(at, "POST", "/api/tasks", { title });
        expect(made).toMatchObject({ status: 201 });
        titles.push(title);
        return String(made.json["id"]);
      };
      const { workspaces } = (await ask(old, "GET", "/api/workspaces")).json as { workspaces?: { id: string }[] };
      const chat = await ask(old, "POST", "/api/chats", { agent_id: agentId, workspace_id: workspaces?.[0]?.id });
      expect(chat).toMatchObject({ status: 201 });
      const say = async (at: TroupeProcess, content: string) => {
        const sent = await ask(at, "POST", `/api/chats/${String(chat.json["id"])}/messages`, {
          content,
          on_busy: "queue",
        });
        expect(sent.status).toBeLessThan(300);
      };
      await make(old, "before");
      await say(old, "before");
      const fresh = await start("new", MAIN[1]);
      await withTables(url, (sql) =>
        eventually("both own shards", async () => {
          const rows =
            await sql`select s.owner from shard s join replica r on r.id = s.owner where not r.dead group by 1`;
          return rows.length === 2;
        }),
      );
      for (let round = 0; round < ROUNDS; round++) {
        const [here, there] = round % 2 === 0 ? [old, fresh] : [fresh, old];
        const id = await make(here, `together ${round}`);
        expect(await ask(there, "GET", `/api/tasks/${id}`)).toMatchObject({
          status: 200,
          json: { title: `together ${round}` },
        });
        await say(here, `together ${round}`);
      }
      // What the old one was in the middle of is the new one's.
      expect(await old.end("SIGTERM")).toBe(0);
      await make(fresh, "after");
      await say(fresh, "after");
      const page = await ask(fresh, "GET", "/api/tasks?limit=100");
      const stored = (page.json["tasks"] as { title: string }[]).map(({ title }) => title);
      expect(stored.toSorted()).toEqual(titles.toSorted());
      await withTables(url, (sql) =>
        eventually("every job has ended", async () => {
          const [row] = await sql<{ open: number; failed: number }[]>`select
            count(*) filter (where status in ('queued', 'running'))::int as open,
            count(*) filter (where status = 'failed')::int as failed from job`;
          expect(row!.failed).toBe(0);
          return row!.open === 0;
        }),
      );
      for (const { log } of [old, fresh]) expect(log.filter(({ msg }) => msg.endsWith("a bug"))).toEqual([]);
    } finally {
      await folder.remove();
      await database?.drop();
    }
  },
);
