/** A backup of a service that works, restored elsewhere and compared; and what is refused. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { LOCAL_COMMANDS } from "../../src/admin/local.ts";
import { createLogger } from "../../src/log/log.ts";
import { readConfig } from "../../src/settings/config.ts";
import { copyFirstRun } from "../support/first-run-copy.ts";
import { type GuardedFolder, guardedFolder } from "../support/guarded-folder.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { embeddedUrl, withTables } from "../support/service-tables.ts";
import { admin, eventually, type FirstRunText, startTroupe, type TroupeProcess } from "../support/troupe-process.ts";
import { PNG } from "../support/uploads.ts";

let folder: GuardedFolder;
let service: TroupeProcess;
let restored: TroupeProcess;
let first: FirstRunText;
let backup = "";
let keptFile = "";
/** Titles of tasks that were acknowledged before the backup began, and all that were in the end. */
const written = { before: [] as string[], all: [] as string[] };

const CONTENT = "A file\twith a tab, a \\ and a line\nbreak.\n".repeat(40_000);
const KEPT = "An upload that no message has yet.";
const SECRET = "correct horse battery staple";

const ask = (of: TroupeProcess, path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(of.url + path, {
    ...init,
    headers: { authorization: `Bearer ${first.personal}`, "content-type": "application/json" },
  });

async function workspaceOf(of: TroupeProcess): Promise<string> {
  const { workspaces } = (await (await ask(of, "/api/workspaces")).json()) as { workspaces: readonly { id: string }[] };
  return workspaces[0]!.id;
}

/** A file that a message has and whose upload is gone, and an upload that no message has. */
async function sendFiles(workspace: string): Promise<string> {
  const json = async <T>(answer: Promise<Response>): Promise<T> => {
    const made = await answer;
    expect(made.status).toBeLessThan(300);
    return (await made.json()) as T;
  };
  const post = (path: string, body: object) => ask(service, path, { method: "POST", body: JSON.stringify(body) });
  const upload = (name: string, body: string | Uint8Array<ArrayBuffer>) =>
    json<{ id: string }>(ask(service, `/api/files?name=${name}`, { method: "POST", body }));
  const [sent, kept] = [await upload("pixel.png", PNG), await upload("kept.txt", KEPT)];
  const chat = await json<{ id: string }>(post("/api/chats", { agent_id: first.agentId, workspace_id: workspace }));
  const content = [{ type: "image", source: { kind: "upload", file_id: sent.id } }];
  const { job } = await json<{ job: { id: string } }>(post(`/api/chats/${chat.id}/messages`, { content }));
  await eventually("it is answered", async () => {
    const { status } = await json<{ status: string }>(ask(service, `/api/jobs/${job.id}`));
    return status === "completed";
  });
  await json(ask(service, `/api/files/${sent.id}`, { method: "DELETE" }));
  return kept.id;
}

async function addTask(): Promise<void> {
  const title = `task ${written.all.length}`;
  const made = await ask(service, "/api/v1/tasks", { method: "POST", body: JSON.stringify({ title }) });
  expect(made.status).toBeLessThan(300);
  written.all.push(title);
}

/** The rows of the tables that nobody writes meanwhile, as text. */
const rowsIn = (dataDir: string): Promise<Readonly<Record<string, readonly string[]>>> =>
  withTables(embeddedUrl(dataDir), async (sql) => {
    const tables = await sql<{ name: string }[]>`
      select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
        and relname not in ('task', 'replica', 'shard', 'sweep_position', 'event', 'rate_window', 'alarm')
      order by 1`;
    const found: Record<string, readonly string[]> = {};
    for (const { name } of tables) {
      // When a token was last used is stored at some time later.
      const row = name === "token" ? sql`(t.id, t.hash)` : sql`t`;
      const rows = await sql<{ row: string }[]>`select ${row}::text as row from ${sql(name)} t order by 1`;
      found[name] = rows.map(({ row }) => row);
    }
    return found;
  });

/** Every content below the folder, by its path. */
function blobsIn(dataDir: string): Readonly<Record<string, string>> {
  const root = join(dataDir, "files", "blobs");
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [
      join(parentPath, name).slice(root.length),
      readFileSync(join(parentPath, name), "utf8"),
    ]),
  );
}

beforeAll(async () => {
  folder = guardedFolder();
  first = await copyFirstRun(folder);
  service = await startTroupe(folder);
  await ask(service, `/api/v1/agents/${first.agentId}/execute`, {
    method: "POST",
    body: JSON.stringify({ message: "Line one\nline two\t\\N" }),
  }).then((answer) => answer.text());
  const workspace = await workspaceOf(service);
  const put = await ask(service, `/api/workspaces/${workspace}/files/content?path=notes.txt`, {
    method: "PUT",
    body: CONTENT,
  });
  expect(put.status).toBeLessThan(300);
  keptFile = await sendFiles(workspace);
  const secret = await ask(service, "/api/secrets/CRM_KEY", {
    method: "PUT",
    body: JSON.stringify({ value: SECRET }),
  });
  expect(secret.status).toBeLessThan(300);
  for (let i = 0; i < 20; i++) await addTask();
  written.before = [...written.all];
  backup = join(folder.path, "troupe.tar.gz");
  let isWriting = true;
  const writer = (async () => {
    while (isWriting) await addTask();
  })();
  const made = await admin(folder, ["backup", "--to", backup, "--with-key"]);
  isWriting = false;
  await writer;
  expect([made.code, made.err]).toEqual([0, ""]);
  expect(made.out).toContain("3 files (");
  const done = await admin(folder, ["restore", "--from", backup], { dataDir: join(folder.path, "elsewhere") });
  expect([done.code, done.err]).toEqual([0, ""]);
  restored = await startTroupe(folder, { dataDir: join(folder.path, "elsewhere") });
});
afterAll(async () => {
  await Promise.all([service.end(), restored.end()]);
  await folder.remove();
});

test("[OPS-3] everything acknowledged before the backup is restored elsewhere, and later changes up to a point without gaps", async () => {
  const titles = await withTables(embeddedUrl(restored.dataDir), async (sql) => {
    const rows = await sql<{ title: string }[]>`select body ->> 'title' as title from task order by position`;
    return rows.map(({ title }) => title);
  });
  expect(titles.length).toBeGreaterThanOrEqual(written.before.length);
  expect(titles).toEqual(written.all.slice(0, titles.length));
});

test("[OPS-3] every other row and every content is the same", async () => {
  const [rows, others] = [await rowsIn(service.dataDir), await rowsIn(restored.dataDir)];
  expect(Object.keys(others)).toEqual(Object.keys(rows));
  for (const [table, all] of Object.entries(rows)) expect({ [table]: others[table] }).toEqual({ [table]: all });
  expect(Object.keys(blobsIn(service.dataDir))).toHaveLength(3);
  expect(rows["attachment"]).toHaveLength(1);
  expect(rows["upload"]).toHaveLength(2);
  expect(blobsIn(restored.dataDir)).toEqual(blobsIn(service.dataDir));
});

test("[OPS-3] the restored service serves with the tokens, files and secrets of the backup, and accepts writes", async () => {
  const workspace = await workspaceOf(restored);
  const content = await ask(restored, `/api/workspaces/${workspace}/files/content?path=notes.txt`);
  expect([content.status, await content.text()]).toEqual([200, CONTENT]);
  const kept = await ask(restored, `/api/files/${keptFile}/content`);
  expect([kept.status, await kept.text()]).toEqual([200, KEPT]);
  const secrets = (await (await ask(restored, "/api/secrets")).json()) as { secrets: readonly { name: string }[] };
  expect(secrets.secrets.map(({ name }) => name)).toEqual(["CRM_KEY"]);
  const made = await ask(restored, "/api/v1/tasks", { method: "POST", body: JSON.stringify({ title: "after" }) });
  expect(made.status).toBeLessThan(300);
});

test("[OPS-3] only its owner can read a backup, any tar lists it, and it has no secret in plain text", () => {
  expect(statSync(backup).mode & 0o777).toBe(0o600);
  const listed = Bun.spawnSync({ cmd: ["tar", "-tzf", backup] })
    .stdout.toString()
    .trim()
    .split("\n");
  expect([listed[0], listed[1], listed.at(-1)]).toEqual(["header.json", "key", "summary.json"]);
  expect(listed.filter((name) => name.startsWith("files/"))).toHaveLength(3);
  expect(gunzipSync(readFileSync(backup)).includes(SECRET)).toBe(false);
});

/** Runs a command in this process, on another data folder. */
async function refusal(
  command: "backup" | "org export" | "restore",
  options: Record<string, string>,
  env: Record<string, string> = {},
) {
  const read = readConfig({ DATA_DIR: join(folder.path, "refused"), ...env });
  if (!read.ok) throw new Error("the settings are wrong");
  const log = await createLogger({ level: "silent" });
  const given = { options, flags: new Set<string>() };
  const errand = { config: read.config, log, given, signal: new AbortController().signal };
  return LOCAL_COMMANDS[command]!(errand).then(
    () => "done",
    (cause: Error) => cause.message,
  );
}

test("[OPS-3] nothing is overwritten, and a wrong key, folder or file is reported before anything is created", async () => {
  expect(await refusal("backup", { to: backup })).toEndWith("exists already: a backup overwrites nothing");
  expect(await refusal("backup", { to: join(folder.path, "x") })).toStartWith("There is no database in ");
  const nowhere = join(folder.path, "nowhere");
  for (const command of ["backup", "org export"] as const)
    expect(await refusal(command, { to: join(nowhere, "x"), org: "org_x" })).toBe(`There is no folder ${nowhere}`);
  expect(await refusal("backup", {})).toBe("--to is missing");
  expect(await refusal("restore", { from: join(folder.path, "none") })).toStartWith("There is no file ");
  const text = join(folder.path, "text");
  writeFileSync(text, "no archive");
  expect(await refusal("restore", { from: text })).toBe(`${text} is not a backup of Troupe`);
  expect(await refusal("restore", { from: folder.path })).toStartWith(`${folder.path} cannot be read: EISDIR`);
  const later = join(folder.path, "later.tar.gz");
  const header = new Bun.Archive({ "header.json": `{"format":2}` }, { compress: "gzip" });
  writeFileSync(later, await header.bytes());
  expect(await refusal("restore", { from: later })).toBe(`${later} is a backup that this version cannot read`);
  const other = Buffer.alloc(32, 7).toString("base64");
  expect(await refusal("restore", { from: backup }, { TROUPE_SECRET: other })).toStartWith(
    "The backup belongs to another key",
  );
  expect(await refusal("restore", { from: backup }, { DATA_DIR: service.dataDir })).toContain("has a database already");
  expect(existsSync(join(folder.path, "refused"))).toBe(false);
});

test("[OPS-3] a truncated or changed backup restores nothing; the complete one can then be restored into the same database", async () => {
  const cut = join(folder.path, "cut.tar.gz");
  copyFileSync(backup, cut);
  truncateSync(cut, Math.floor(statSync(backup).size * 0.9));
  const changed = join(folder.path, "changed.tar.gz");
  const bytes = gunzipSync(readFileSync(backup));
  bytes.write("B", bytes.indexOf("A file\twith"));
  writeFileSync(changed, gzipSync(bytes, { level: 1 }));
  const database = await createTestDatabase();
  const into = { DATABASE_URL: database.url, DATA_DIR: join(folder.path, "own-server") };
  expect(await refusal("restore", { from: cut }, into)).toStartWith("The backup could not be restored");
  expect(await refusal("restore", { from: changed }, into)).toContain("has other content");
  expect(await refusal("restore", { from: backup }, into)).toBe("done");
  expect(await refusal("restore", { from: backup }, into)).toContain("The database has data already");
  await database.drop();
});

test("[OPS-3] a backup that is cut off among its rows is refused with the reason, in one line", async () => {
  const bytes = gunzipSync(readFileSync(backup));
  const rows = bytes.indexOf("database/agent/000001") + 512;
  const short = join(folder.path, "short.tar.gz");
  writeFileSync(short, gzipSync(bytes, { level: 0 }).subarray(0, rows + 200));
  const why = async (from: string) => {
    const dataDir = join(folder.path, "one-line");
    const { code, err } = await admin(folder, ["restore", "--from", from], { dataDir });
    rmSync(dataDir, { recursive: true });
    return [code, err];
  };
  const end = `. Remove ${join(folder.path, "one-line")} before the next try.`;
  expect(await why(short)).toEqual([1, `The backup could not be restored: Error: unexpected end of file${end}`]);
});

test("[OPS-3] a restore whose rows the database refuses at their end says so, and ends", async () => {
  const bytes = gunzipSync(readFileSync(backup));
  bytes[bytes.indexOf("database/agent/000001") + 512] = 0xff;
  const broken = join(folder.path, "broken.tar.gz");
  writeFileSync(broken, gzipSync(bytes, { level: 1 }));
  const database = await createTestDatabase();
  const into = { DATABASE_URL: database.url, DATA_DIR: join(folder.path, "own-server") };
  expect(await refusal("restore", { from: broken }, into)).toContain("invalid byte sequence");
  await database.drop();
});

test("[OPS-3] an export of an organization is not a backup, and a restore says so", async () => {
  const exported = join(folder.path, "org.tar.gz");
  const [organization] = await withTables(
    embeddedUrl(service.dataDir),
    (sql) => sql<{ id: string }[]>`select id from organization`,
  );
  const made = await admin(folder, ["org", "export", "--org", organization!.id, "--to", exported]);
  expect([made.code, made.err]).toEqual([0, ""]);
  expect(await refusal("restore", { from: exported })).toBe(
    `${exported} is an export of an organization; only a backup can be restored`,
  );
});
