/**
 * The first run from nothing: from an empty folder and empty caches of packages to the first answer, as the README of a
 * system says, with all that it downloads. The download depends on the network of the hour, so each stands beside the
 * others of the same run.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FIRST_RUN_FILE } from "../../src/service/first-run.ts";
import { freePort } from "../../test/support/free-port.ts";
import { guard, type Lifetime } from "../support/lifetime.ts";
import { figure } from "../support/statistics.ts";
import { table } from "../support/table.ts";
import { type ComparedPart, headline } from "./headlines.ts";

const FIRST_RUN_LIMIT_MS = 300_000;
const LOOK_MS = 50;
const MIB = 1024 * 1024;

/** A way from nothing to an answer. */
export interface FirstRunWay {
  readonly name: string;
  /** What is typed. */
  readonly commands: string;
  /** Goes the way in the empty folder, with its own home; resolves at the first answer, or with why there is none. */
  go(folder: string, env: Readonly<Record<string, string>>): Promise<string | null>;
}

export async function firstRuns(
  lifetime: Lifetime,
  ways: readonly FirstRunWay[],
  say: (line: string) => void,
): Promise<ComparedPart & { readonly skipped: readonly string[] }> {
  const rows: string[][] = [];
  const ended: { readonly name: string; readonly seconds: number }[] = [];
  const skipped: string[] = [];
  for (const way of ways) {
    const folder = lifetime.folder({ isOpen: true });
    const home = join(folder, "home");
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      npm_config_cache: join(home, "npm"),
      BUN_INSTALL_CACHE_DIR: join(home, "bun"),
      ...(process.env["NPM_CONFIG_USERCONFIG"] === undefined
        ? { NPM_CONFIG_USERCONFIG: join(process.env["HOME"] ?? "", ".npmrc") }
        : { NPM_CONFIG_USERCONFIG: process.env["NPM_CONFIG_USERCONFIG"] }),
    };
    await Bun.$`mkdir -p ${home}`.quiet();
    const from = performance.now();
    const failure = await way.go(folder, env);
    const seconds = (performance.now() - from) / 1_000;
    if (failure !== null) {
      skipped.push(`${way.name}, first run: ${failure}`);
      continue;
    }
    const bytes = Number((await Bun.$`du -sb ${folder}`.quiet().text()).split("\t")[0]);
    ended.push({ name: way.name, seconds });
    rows.push([way.name, figure(seconds), figure(bytes / MIB), way.commands]);
    say(`${way.name}: first answer ${figure(seconds)} s after nothing, ${figure(bytes / MIB)} MiB`);
  }
  const head = ["system", "seconds to the first answer", "MiB on the disk, caches included", "what is typed"];
  return {
    text: `From nothing to the first answer, with empty caches:\n\n${table(head, rows)}`,
    headlines: [headline("from nothing to the first answer, s", ended, ({ seconds }) => figure(seconds))],
    skipped,
  };
}

/** Our own: a clone and the README's command, until the curl of the first run's banner has streamed an answer. */
export function troupeFirstRun(lifetime: Lifetime): FirstRunWay {
  return {
    name: "Troupe",
    commands: "`git clone`, `npx -y bun@1.4.5 start`, the `curl` of its banner",
    async go(folder, env) {
      const clone = join(folder, "troupe");
      const source = join(import.meta.dir, "../..");
      const cloned = await Bun.$`git clone --quiet ${source} ${clone}`
        .env({ ...env })
        .quiet()
        .nothrow();
      if (cloned.exitCode !== 0) return "this folder is not a repository that can be cloned";
      const port = freePort();
      runInBackground(lifetime, ["npx", "-y", "bun@1.4.5", "start"], clone, { ...env, PORT: String(port) });
      const note = join(clone, ".troupe", FIRST_RUN_FILE);
      const isTold = (): boolean => existsSync(note) && readFileSync(note, "utf8").includes("/execute");
      if (!(await holdsInTime(isTold))) return "it did not start";
      const text = readFileSync(note, "utf8");
      const url = /http:\S+\/execute/.exec(text)?.[0] ?? "";
      const token = /\bpat_\S+/.exec(text)?.[0] ?? "";
      const answer = await fetch(url, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ message: "Hello", stream: true }),
      });
      return (await answer.text()).includes("text_delta") ? null : `it answered ${answer.status}`;
    },
  };
}

/** A peer whose packages npm installs, and whose program then answers at `url`. */
export function npmFirstRun(peer: {
  readonly name: string;
  readonly commands: string;
  readonly packages: readonly string[];
  /** Starts what is installed; resolves to whether it has answered. */
  start(folder: string, env: Readonly<Record<string, string>>): Promise<boolean>;
}): FirstRunWay {
  return {
    name: peer.name,
    commands: peer.commands,
    async go(folder, env) {
      await Bun.write(join(folder, "package.json"), '{"private": true, "type": "module"}');
      const args = ["--legacy-peer-deps", "--no-audit", "--no-fund", ...peer.packages];
      const installed = await Bun.$`npm install ${args}`
        .cwd(folder)
        .env({ ...env })
        .quiet()
        .nothrow();
      if (installed.exitCode !== 0) return "its packages could not be installed";
      return (await peer.start(folder, env)) ? null : "it did not answer";
    },
  };
}

/** Starts a command in a process group of its own, which ends with the lifetime. */
function runInBackground(
  lifetime: Lifetime,
  cmd: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): void {
  const child = Bun.spawn({
    cmd: [...cmd],
    cwd,
    env: { ...env },
    stdio: ["ignore", "ignore", "ignore"],
    detached: true,
  });
  const release = guard(child.pid);
  lifetime.add(async () => {
    process.kill(-child.pid, "SIGTERM");
    await child.exited;
    release();
  });
}

async function holdsInTime(holds: () => boolean): Promise<boolean> {
  for (const until = performance.now() + FIRST_RUN_LIMIT_MS; performance.now() < until; await Bun.sleep(LOOK_MS))
    if (holds()) return true;
  return false;
}
