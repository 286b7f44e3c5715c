/** The data folder: whose it is, its secret, its private files. Other holders are real processes. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DATABASE_NOTE, DataFolderDamaged, openDataFolder } from "../../db/data-folder.ts";
import { FolderInUse } from "../../db/folder-lock.ts";
import { type TestFolder, makeTestFolder } from "../support/service-process.ts";

let folder: TestFolder;
beforeEach(() => void (folder = makeTestFolder()));
afterEach(() => folder.remove());

const modeOf = (path: string): number => statSync(path).mode & 0o777;
const dataIn = (): string => join(folder.path, "deep", ".troupe");

/** A process that has opened the folder and then run `then`, and the first line that it prints. */
async function holder(then: string): Promise<{ child: Bun.Subprocess; line: string }> {
  const script = `
    const { openDataFolder } = await import(${JSON.stringify(join(import.meta.dir, "../../db/data-folder.ts"))});
    globalThis.folder = openDataFolder(${JSON.stringify(dataIn())});
    ${then}
    setInterval(() => {}, 60_000);`;
  const child = Bun.spawn({ cmd: [process.execPath, "-e", script], stdio: ["ignore", "pipe", "inherit"] });
  const { value } = await child.stdout.getReader().read();
  return { child, line: new TextDecoder().decode(value) };
}

function refusal(path: string): unknown {
  try {
    openDataFolder(path).release();
    return null;
  } catch (error) {
    return error;
  }
}

test("[START-9] the folder is made with mode 0700, an existing one keeps its mode", () => {
  openDataFolder(dataIn()).release();
  expect(modeOf(dataIn())).toBe(0o700);
  chmodSync(dataIn(), 0o750);
  openDataFolder(dataIn()).release();
  expect(modeOf(dataIn())).toBe(0o750);
});

test("[START-9] a second process reports which one uses the folder", async () => {
  const { child } = await holder("console.log('held');");
  try {
    const error = refusal(dataIn());
    expect(error).toBeInstanceOf(FolderInUse);
    expect((error as FolderInUse).pid).toBe(child.pid);
    expect((error as FolderInUse).message).toContain(`is in use by process ${child.pid}`);
  } finally {
    child.kill("SIGKILL");
    await child.exited;
  }
  expect(refusal(dataIn())).toBeNull();
});

test("[START-9] the kernel releases the lock at kill -9, even if a child lives on", async () => {
  const orphan =
    "console.log(Bun.spawn({ cmd: ['sleep', '60'], detached: true, stdio: ['ignore', 'ignore', 'ignore'] }).pid);";
  const { child, line } = await holder(orphan);
  const sleeper = Number(line);
  expect(refusal(dataIn())).toBeInstanceOf(FolderInUse);
  child.kill("SIGKILL");
  await child.exited;
  expect(process.kill(sleeper, 0)).toBe(true);
  expect(refusal(dataIn())).toBeNull();
  process.kill(sleeper, "SIGKILL");
});

test("[START-9] the same process cannot open a folder twice, except after a release", () => {
  const first = openDataFolder(dataIn());
  expect(refusal(dataIn())).toBeInstanceOf(FolderInUse);
  first.release();
  first.release();
  expect(refusal(dataIn())).toBeNull();
});

test("[START-9] the lock survives a garbage collection", () => {
  openDataFolder(dataIn());
  Bun.gc(true);
  expect(refusal(dataIn())).toBeInstanceOf(FolderInUse);
});

test("[START-10] the secret is created once, with 32 bytes and mode 0600", () => {
  const first = openDataFolder(dataIn());
  first.release();
  expect(first.secret).toHaveLength(32);
  expect(modeOf(join(dataIn(), "secret"))).toBe(0o600);
  const second = openDataFolder(dataIn());
  second.release();
  expect(Buffer.from(second.secret).equals(first.secret)).toBe(true);
});

for (const [what, text] of [
  ["empty", ""],
  ["short", Buffer.alloc(31).toString("base64")],
  ["not base64", `!!!${Buffer.alloc(32).toString("base64")}`],
] as const) {
  test(`[START-10] a secret file that is ${what} stops the start and is not changed`, () => {
    openDataFolder(dataIn()).release();
    writeFileSync(join(dataIn(), "secret"), text);
    expect(refusal(dataIn())).toBeInstanceOf(DataFolderDamaged);
    expect(readFileSync(join(dataIn(), "secret"), "utf8")).toBe(text);
    expect(openDataFolder(dataIn(), new Uint8Array(32)).release()).toBeUndefined();
  });
}

test("[START-10] a folder with a database and without its secret gets no new one", () => {
  mkdirSync(dataIn(), { recursive: true });
  writeFileSync(join(dataIn(), DATABASE_NOTE), "{}");
  expect(refusal(dataIn())).toBeInstanceOf(DataFolderDamaged);
  expect(existsSync(join(dataIn(), "secret"))).toBe(false);
});

test("[START-10] with a given secret none is created", () => {
  const given = new Uint8Array(32).fill(9);
  const opened = openDataFolder(dataIn(), given);
  opened.release();
  expect(opened.secret).toBe(given);
  expect(existsSync(join(dataIn(), "secret"))).toBe(false);
});

test("[START-11] a private file has mode 0600, is replaced atomically, and leaves no draft", () => {
  const opened = openDataFolder(dataIn());
  const path = opened.writePrivate("first-run.txt", "one");
  chmodSync(path, 0o644);
  writeFileSync(`${path}.new`, "half of a killed wri");
  expect(opened.writePrivate("first-run.txt", "two")).toBe(path);
  opened.release();
  expect(readFileSync(path, "utf8")).toBe("two");
  expect(modeOf(path)).toBe(0o600);
  expect(readdirSync(dataIn()).filter((name) => name.endsWith(".new"))).toEqual([]);
});
