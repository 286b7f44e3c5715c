/**
 * A data folder after its first run, without making it each time: one is made at the first use in a
 * run of the tests, by the service itself, and copied while it is stopped, as a backup is.
 */
import { afterAll, beforeAll } from "bun:test";
import { join } from "node:path";
import { type GuardedFolder, guardedFolder } from "./guarded-folder.ts";
import { type FirstRunText, startTroupe } from "./troupe-process.ts";

interface Made {
  readonly dataDir: string;
  readonly first: FirstRunText;
  /** Nobody removes it; its watchdog does at the end of this process. */
  readonly folder: GuardedFolder;
}

const MADE = Symbol.for("troupe.test.first-run");
/** On the global object, because a runner may evaluate this module once for each test file. */
const shared = globalThis as { [MADE]?: Promise<Made> };

/** Puts such a data folder under `name` in the folder; answers what its first run told. */
export async function copyFirstRun(folder: GuardedFolder, name = "data"): Promise<FirstRunText> {
  const { dataDir, first } = await (shared[MADE] ??= make());
  const copied = Bun.spawnSync({ cmd: ["cp", "-a", dataDir, join(folder.path, name)] });
  if (!copied.success) throw new Error(`the data folder could not be copied: ${copied.stderr.toString()}`);
  return first;
}

/** A folder for the tests of the file, and such a data folder in it. */
export function firstRunOfFile() {
  const folder = guardedFolder();
  const first = {} as FirstRunText;
  beforeAll(async () => void Object.assign(first, await copyFirstRun(folder)));
  afterAll(() => folder.remove());
  return { folder, first, dataDir: join(folder.path, "data") };
}

async function make(): Promise<Made> {
  const folder = guardedFolder();
  const service = await startTroupe(folder);
  const first = service.firstRun();
  await service.end();
  return { dataDir: service.dataDir, first, folder };
}
