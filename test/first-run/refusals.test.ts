/** What the start refuses, in which words, and that nothing of it is left then. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import postgres from "postgres";
import { copyFirstRun } from "../support/first-run-copy.ts";
import { type GuardedFolder, guardedFolder } from "../support/guarded-folder.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { eventually, failTroupe, processesIn, startTroupe, type TroupeProcess } from "../support/troupe-process.ts";

let folder: GuardedFolder;
let service: TroupeProcess;

beforeAll(async () => {
  folder = guardedFolder();
  await copyFirstRun(folder);
  service = await startTroupe(folder);
});
afterAll(() => folder.remove());

test("[START-45] a second start on the same data says which process uses it, whatever its database", async () => {
  const words = `The data folder ${service.dataDir} is in use by process ${service.pid}. Stop it first, or set DATA_DIR to another folder.\n`;
  expect(await failTroupe(folder)).toEqual({ code: 69, text: words });
  const env = { DATABASE_URL: "postgres://u@127.0.0.1:1/d" };
  expect(await failTroupe(folder, { env })).toEqual({ code: 69, text: words });
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
});

test("[START-46] a port in use is reported before anything is created, and the next start is a first run", async () => {
  const dataDir = join(folder.path, "port");
  const { port } = new URL(service.url);
  const { code, text } = await failTroupe(folder, { dataDir, env: { PORT: port } });
  expect(code).toBe(69);
  expect(text).toContain(`Port ${port} is in use. Set PORT to another one.\n`);
  expect(text).not.toContain("    at ");
  await eventually("nothing is left", () => processesIn(dataDir).length === 0);
  expect(await Bun.file(join(dataDir, "first-run.txt")).exists()).toBe(false);
  const next = await startTroupe(folder, { dataDir });
  const told = await Bun.file(join(dataDir, "first-run.txt")).text();
  expect(told).toContain("curl -N");
  const personal = /pat_\S+/.exec(told)?.[0];
  const answer = await fetch(`${next.url}/api/v1/tasks`, { headers: { authorization: `Bearer ${personal}` } });
  expect(answer.status).toBe(200);
  await next.end();
});

test("[START-46] an address that is not this machine's is reported before a database is created", async () => {
  const dataDir = join(folder.path, "no-address");
  const { code, text } = await failTroupe(folder, { dataDir, env: { HOST: "203.0.113.7" } });
  expect(code).toBe(69);
  expect(await Bun.file(join(dataDir, "postgres", "PG_VERSION")).exists()).toBe(false);
  expect(text).toContain("Cannot listen on 203.0.113.7:0 (HOST and PORT): ");
});

test("[START-46] a folder that cannot be one is reported with its setting", async () => {
  const file = join(folder.path, "file");
  await Bun.write(file, "");
  const data = await failTroupe(folder, { dataDir: file });
  expect([data.code, data.text]).toEqual([
    69,
    expect.stringContaining(`The data folder ${file} (DATA_DIR) cannot be used: `),
  ]);
  await copyFirstRun(folder, "files");
  const files = await failTroupe(folder, { dataDir: join(folder.path, "files"), env: { FILES_DIR: join(file, "in") } });
  expect([files.code, files.text]).toEqual([
    69,
    expect.stringContaining(`The folder ${join(file, "in")} (FILES_DIR) cannot be used: `),
  ]);
  expect(data.text + files.text).not.toContain("    at ");
});

test("[RT-17] on a disk without its reserve reads are answered, writes are refused, and no first run is made", async () => {
  const env = { DISK_RESERVE_MIB: "1000000000" };
  const { personal } = await copyFirstRun(folder, "full");
  const full = await startTroupe(folder, { dataDir: join(folder.path, "full"), env });
  const headers = { authorization: `Bearer ${personal}`, "content-type": "application/json" };
  expect((await fetch(`${full.url}/api/tasks`, { headers })).status).toBe(200);
  const body = JSON.stringify({ title: "x" });
  const refused = await fetch(`${full.url}/api/v1/tasks`, { method: "POST", headers, body });
  expect([refused.status, await refused.text()]).toEqual([
    503,
    expect.stringContaining("storage of the service is full"),
  ]);
  await full.says("the disk is nearly full");
  expect(await full.end()).toBe(0);
  const { code, text } = await failTroupe(folder, { dataDir: join(folder.path, "none"), env });
  expect([code, text]).toEqual([69, expect.stringContaining("less free space than DISK_RESERVE_MIB")]);
});

test("[START-47] wrong settings and unusable models are all reported at once, before anything is touched", async () => {
  const dataDir = join(folder.path, "untouched");
  const env = { PORT: "x", LOG_LEVEL: "loud", TROUPE_SECRET: "short-secret", DATABASE_URL: "http://user:hidden@h/d" };
  const models = { MODEL: "anthropic:x", MODELS: "demo:echo,acme:x" };
  const { code, text } = await failTroupe(folder, { dataDir, env: { ...env, ...models }, args: ["--fast"] });
  expect(code).toBe(78);
  expect(text).toContain("Unknown argument --fast; there are --print-config, --replicas N and --help\n");
  for (const name of ["PORT", "LOG_LEVEL", "TROUPE_SECRET", "DATABASE_URL"])
    expect(text).toMatch(new RegExp(`^${name} is `, "m"));
  expect(text).not.toMatch(/short-secret|hidden/);
  expect(text).toContain(
    'MODEL has "anthropic:x", which cannot be used: A model of Anthropic needs ANTHROPIC_API_KEY.',
  );
  expect(text).toContain('MODELS has "acme:x", which cannot be used: The provider "acme" is unknown');
  expect(await Bun.file(dataDir).exists()).toBe(false);
});

test("[START-47] --help prints the arguments, touches nothing and reads no setting", async () => {
  const dataDir = join(folder.path, "untouched");
  const { code, text } = await failTroupe(folder, { dataDir, env: { PORT: "x" }, args: ["--help"] });
  expect([code, text]).toEqual([0, expect.stringContaining("--replicas N")]);
  expect(await Bun.file(dataDir).exists()).toBe(false);
});

test("[START-47] DATABASE_URL in production without TROUPE_SECRET does not start", async () => {
  const env = { DATABASE_URL: "postgres://u@127.0.0.1:1/d", NODE_ENV: "production" };
  const { code, text } = await failTroupe(folder, { dataDir: join(folder.path, "untouched"), env });
  expect([code, text]).toEqual([
    78,
    expect.stringContaining("TROUPE_SECRET is missing; with DATABASE_URL in production"),
  ]);
});

test("[START-47] --print-config shows what is wrong beside what is right", async () => {
  const dataDir = join(folder.path, "untouched");
  const env = { PORT: "x", MODEL: "acme:x", OPENAI_API_KEY: "sk hidden" };
  const { code, text } = await failTroupe(folder, { dataDir, env, args: ["--print-config"] });
  expect(code).toBe(78);
  expect(text).toContain('# wrong: PORT is "x"; it must be an integer');
  expect(text).toContain("# wrong: OPENAI_API_KEY is not valid; it must be a key without spaces\n");
  expect(text).toContain(`DATA_DIR=${dataDir}\n`);
  expect(text).toContain("The configuration cannot be used:\nPORT is");
  expect(text).not.toContain("hidden");
  const model = await failTroupe(folder, { dataDir, env: { MODEL: "acme:x" }, args: ["--print-config"] });
  expect(model).toMatchObject({ code: 78, text: expect.stringContaining('# wrong: MODEL has "acme:x"') });
});

test("[START-47] --print-config prints the settings in force without secrets, and starts nothing", async () => {
  const dataDir = join(folder.path, "untouched");
  const env = {
    OPENAI_API_KEY: "sk-hidden",
    DATABASE_URL: "postgres://u:hidden@h/d",
    TROUPE_SECRET: Buffer.alloc(32, 7).toString("base64"),
  };
  const { code, text } = await failTroupe(folder, { dataDir, env, args: ["--print-config"] });
  expect(code).toBe(0);
  expect(text).toContain(`DATA_DIR=${dataDir}\n`);
  expect(text).toContain("OPENAI_API_KEY=[redacted]\n");
  expect(text).toContain("TROUPE_SECRET=[redacted]\n");
  expect(text).toContain("DATABASE_URL=postgres://u:redacted@h/d\n");
  expect(text).not.toMatch(/hidden|BwcH/);
  expect(await Bun.file(dataDir).exists()).toBe(false);
});

test("[START-48] a database that is newer than the code is refused, and PostgreSQL does not stay", async () => {
  const database = await createTestDatabase();
  const sql = postgres(database.url, { max: 1 });
  await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', ${Date.UTC(2099, 0, 1)})`;
  await sql.end();
  const { code, text } = await failTroupe(folder, {
    dataDir: join(folder.path, "newer"),
    env: { DATABASE_URL: database.url },
  });
  expect(code).toBe(69);
  expect(text).toMatch(/^The database is newer than this code: it has 1 migration/m);
  expect(text).not.toContain("    at ");
  await database.drop();
});

test("[START-48] a missing server, or one that refuses access, is reported without the password", async () => {
  const database = await createTestDatabase();
  const wrong = new URL(database.url);
  wrong.password = "hidden-word";
  for (const url of [wrong.href, "postgres://u:hidden-word@127.0.0.1:1/d"]) {
    const { code, text } = await failTroupe(folder, {
      dataDir: join(folder.path, "absent"),
      env: { DATABASE_URL: url },
    });
    expect(code).toBe(69);
    expect(text).toContain(`The database of DATABASE_URL (${new URL(url).host}) cannot be used: `);
    expect(text).not.toMatch(/hidden-word|    at /);
  }
  await database.drop();
});

test("[START-48] an embedded database that is refused is stopped", async () => {
  const dataDir = join(folder.path, "port");
  const version = join(dataDir, "postgres/PG_VERSION");
  await Bun.write(version, "9\n");
  expect((await failTroupe(folder, { dataDir })).code).toBe(69);
  await eventually("nothing is left", () => processesIn(dataDir).length === 0);
});

test("[START-58] a database that belongs to another key is refused, in words and without the key", async () => {
  const database = await createTestDatabase();
  const env = (byte: number) => ({
    DATABASE_URL: database.url,
    TROUPE_SECRET: Buffer.alloc(32, byte).toString("base64"),
  });
  const dataDir = join(folder.path, "keyed");
  const first = await startTroupe(folder, { dataDir, env: env(7) });
  expect(await first.end()).toBe(0);
  const { code, text } = await failTroupe(folder, { dataDir, env: env(8) });
  expect(code).toBe(69);
  expect(text).toContain("This database belongs to another key: ");
  expect(text).not.toContain("    at ");
  for (const byte of [7, 8]) expect(text).not.toContain(env(byte).TROUPE_SECRET);
  const again = await startTroupe(folder, { dataDir, env: env(7) });
  expect(await again.end()).toBe(0);
  await database.drop();
});
