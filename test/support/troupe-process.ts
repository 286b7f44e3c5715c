/**
 * The whole service as a child process, as an operator starts it: on a data folder of its own, with
 * a free port, with or without a terminal, as this user or another. What it prints is kept; nothing
 * of it outlives its `GuardedFolder`.
 */
import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { SUPERUSER } from "../../db/postgres-cluster.ts";
import { isRunning, readPidFile } from "../../db/postmaster.ts";
import { FIRST_RUN_FILE } from "../../src/service/first-run.ts";
import { SERVICE_FILE } from "../../src/service/service-note.ts";
import { GIVE_UP_MS } from "./condition.ts";
import type { GuardedFolder } from "./guarded-folder.ts";
import { CLONE } from "./service-process.ts";
import { shippedService } from "./shipped-service.ts";

/** Between two looks, at first and at most; in between a twentieth of the time that has been waited. */
const LOOK_MS = 5;
const SLOW_LOOK_MS = 100;
const LOOKS = 20;

/** The commands that the scripts `start` and `admin` end with; for tests that look at a start from the sources. */
export const MAIN = [process.execPath, join(CLONE, "src/main.ts")] as const;
export const ADMIN = [process.execPath, join(CLONE, "src/admin/main.ts")] as const;
/** What tests start otherwise. */
const SHIPPED_MAIN = await shippedService();

export interface TroupeOptions {
  /** The data folder; by default `data` in the guarded folder. */
  readonly dataDir?: string;
  /** Omitted: the executable of a release. */
  readonly cmd?: readonly string[];
  readonly args?: readonly string[];
  readonly argv0?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly hasTerminal?: boolean;
}

export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** Resolves when it has come true; looks seldom enough to leave the processors to the service. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  giveUpMs = GIVE_UP_MS,
): Promise<void> {
  const from = performance.now();
  while (!(await holds())) {
    const waitedMs = performance.now() - from;
    if (waitedMs > giveUpMs) throw new Error(`did not come true: ${what}`);
    await Bun.sleep(Math.min(Math.max(waitedMs / LOOKS, LOOK_MS), SLOW_LOOK_MS));
  }
}

/** A service that lives for seconds compiles less: what it would gain is less than what compiling takes. */
const LITTLE_COMPILED = {
  BUN_JSC_thresholdForJITAfterWarmUp: "5000",
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "5000",
};

/** What a service gets of the environment; no look at the local model servers of this machine. */
export function environmentOf(dataDir: string, env: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: "/nonexistent",
    PORT: "0",
    DATA_DIR: dataDir,
    MODEL: "demo:echo",
    BUN_CONFIG_MAX_HTTP_REQUESTS: "65336",
    ...LITTLE_COMPILED,
    ...env,
  };
}

export class TroupeProcess {
  readonly child: Bun.Subprocess;
  readonly dataDir: string;
  private out = "";
  private err = "";
  private readonly read: Promise<unknown>;
  /** Who waits for the next word, or the end. */
  private heard: () => void = () => {};

  constructor(folder: GuardedFolder, options: TroupeOptions = {}) {
    this.dataDir = options.dataDir ?? join(folder.path, "data");
    const shared = {
      cmd: [...(options.cmd ?? [SHIPPED_MAIN]), ...(options.args ?? [])],
      cwd: options.cwd ?? "/",
      env: environmentOf(this.dataDir, options.env),
      // A group of its own, as a shell makes one for each command.
      detached: true,
      ...(options.argv0 === undefined ? {} : { argv0: options.argv0 }),
      ...options.user,
    };
    const take = (text: string): void => {
      this.out += text;
      this.heard();
    };
    if (options.hasTerminal === true) {
      const decoder = new TextDecoder();
      const data = (_terminal: unknown, bytes: Uint8Array): void => take(decoder.decode(bytes, { stream: true }));
      this.child = Bun.spawn({ ...shared, terminal: { cols: 300, rows: 50, data } });
      this.read = Promise.resolve();
    } else {
      const child = Bun.spawn({ ...shared, stdio: ["ignore", "pipe", "pipe"] });
      this.child = child;
      this.read = Promise.all([gather(child.stdout, take), gather(child.stderr, (text) => (this.err += text))]);
    }
    void this.child.exited.then(() => this.read).then(() => this.heard());
    folder.guard(this.child);
  }

  get pid(): number {
    return this.child.pid;
  }

  /** What it has printed: on a terminal everything, without its colours. */
  get output(): string {
    return Bun.stripANSI(this.out).replaceAll("\r\n", "\n");
  }

  get complaint(): string {
    return this.err;
  }

  get log(): readonly LogLine[] {
    const lines = this.out.split("\n").filter((line) => line.startsWith("{") && line.endsWith("}"));
    return lines.map((line) => JSON.parse(line) as LogLine);
  }

  /** Resolves when it has said this; fails with what it said instead when it ends before. */
  async says(text: string | RegExp): Promise<void> {
    const said = (): boolean => (typeof text === "string" ? this.output.includes(text) : text.test(this.output));
    const limit = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => limit.reject(new Error(`it does not say ${String(text)}: ${this.out}${this.err}${this.standing()}`)),
      GIVE_UP_MS,
    );
    while (!said()) {
      const { exitCode, signalCode } = this.child;
      if (exitCode !== null || signalCode !== null)
        throw new Error(`it ended (${signalCode ?? exitCode}): ${this.out}${this.err}`);
      await Promise.race([new Promise<void>((resolve) => (this.heard = resolve)), limit.promise]);
    }
    clearTimeout(timer);
  }

  /** Resolves when it serves. */
  async serving(): Promise<this> {
    await this.says(/"msg":"serving"|INFO: serving/);
    await this.says(/"address":"http|address: "http/);
    return this;
  }

  /**
   * Where it is, for the message of a test: whether it has left the note that a serving one leaves, where its words
   * are, and what each of its threads does. Linux only.
   */
  private standing(): string {
    const note = lookAt(() => readFileSync(join(this.dataDir, SERVICE_FILE), "utf8"));
    const threads = namesIn(`/proc/${this.pid}/task`).map((id) => {
      const of = (name: string): string => lookAt(() => readFileSync(`/proc/${this.pid}/task/${id}/${name}`, "utf8"));
      const [state, , , , , , , , , , , user, system] = of("stat")
        .replace(/^.*\) /s, "")
        .split(" ");
      return `${of("comm").trim()}: ${state}, ${user} + ${system} ticks, in ${of("wchan")}, call ${of("syscall").trim()}`;
    });
    const serves = note === "" ? "It has left no note" : "Its note says that it serves";
    return `\n${serves}. Its output: ${bothEnds(`/proc/${this.pid}/fd/1`)}\nIts threads:\n${threads.join("\n")}`;
  }

  get url(): string {
    return /"?address"?: ?"(http[^"]+)"/.exec(this.output)?.[1] ?? "";
  }

  /** Sends the signal and resolves with the exit code, or the name of the signal that ended it, when all that it said is here. */
  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<number | string> {
    this.child.kill(signal);
    return this.ended();
  }

  async ended(): Promise<number | string> {
    const code = await this.child.exited;
    await this.read;
    return this.child.signalCode ?? code;
  }

  /** What the first run left for an operator without a terminal. */
  firstRun(): FirstRunText {
    return firstRunIn(readFileSync(join(this.dataDir, FIRST_RUN_FILE), "utf8"));
  }
}

/** Starts it and waits until it serves. */
export const startTroupe = (folder: GuardedFolder, options: TroupeOptions = {}): Promise<TroupeProcess> =>
  new TroupeProcess(folder, options).serving();

/** Starts it and waits for its end, which must come before it serves. */
export async function failTroupe(
  folder: GuardedFolder,
  options: TroupeOptions = {},
): Promise<{ code: number | string; text: string }> {
  const service = new TroupeProcess(folder, options);
  const served = service.serving().then(
    () => service.child.kill(),
    () => {},
  );
  const code = await service.ended();
  await served;
  if (service.url !== "") throw new Error(`it serves, and must not: ${service.output}`);
  return { code, text: service.complaint + service.output };
}

export interface FirstRunText {
  readonly personal: string;
  readonly service: string;
  readonly agentId: string;
  /** The command to paste. */
  readonly curl: string;
}

export function firstRunIn(text: string): FirstRunText {
  const find = (pattern: RegExp): string => pattern.exec(text)?.[1] ?? "";
  return {
    personal: find(/Personal access token +(pat_\S+)/),
    service: find(/Service token +(svc_\S+)/),
    agentId: find(/\/agents\/(agt_[\w-]+)\//),
    curl: find(/( *curl -N (?:.*\\\n)+.*)\n/),
  };
}

/** Runs an administration command. */
export async function admin(
  folder: GuardedFolder,
  args: readonly string[],
  options: TroupeOptions = {},
): Promise<{ code: number | string; out: string; err: string }> {
  const command = new TroupeProcess(folder, { cmd: [SHIPPED_MAIN, "admin"], ...options, args });
  const code = await command.ended();
  return { code, out: command.output.trimEnd(), err: command.complaint.trimEnd() };
}

/** The service's own embedded database, while it runs; for its caller to end. */
export function databaseOf(dataDir: string): postgres.Sql {
  const { password } = JSON.parse(readFileSync(join(dataDir, "postgres.json"), "utf8")) as { password: string };
  const port = readPidFile(join(dataDir, "postgres"))?.port;
  const url = `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`;
  return postgres(url, { max: 1, onnotice: () => {} });
}

/** How many rows a query of it has. */
export async function rowsOf(dataDir: string, query: string): Promise<number> {
  const sql = databaseOf(dataDir);
  try {
    return (await sql.unsafe(query)).count;
  } finally {
    await sql.end();
  }
}

/** Processes that work in the folder or on it, zombies not counted. Linux only; elsewhere none is found. */
export function processesIn(path: string): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid && isRunning(Number(name)))
    .filter((pid) => {
      const isOf = (text: string): boolean => text.includes(path);
      return (
        isOf(lookAt(() => readFileSync(`/proc/${pid}/environ`, "utf8"))) ||
        isOf(lookAt(() => readlinkSync(`/proc/${pid}/cwd`))) ||
        lookAt(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"))
          .split("\0")
          .slice(1)
          .some((word) => word.startsWith(`${path}/`))
      );
    })
    .map((pid) => lookAt(() => readFileSync(`/proc/${pid}/cmdline`, "utf8")).replaceAll("\0", " "));
}

/** Both ends of a socket as the kernel sees them: what was not read yet, and who has them; needs `ss`. */
function bothEnds(socket: string): string {
  const name = lookAt(() => readlinkSync(socket));
  const [number = ""] = /\d+/.exec(name) ?? [];
  const sockets = lookAt(() => Bun.spawnSync({ cmd: ["ss", "-xpn"] }).stdout.toString());
  const ends = sockets.split("\n").filter((line) => line.split(/\s+/).includes(number));
  return [name, ...ends.map((line) => line.replaceAll(/\s+/g, " "))].join("\n  ");
}

/** The names in a folder; none if there is no such folder. */
function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function lookAt(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

async function gather(stream: ReadableStream<Uint8Array>, take: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const bytes of stream) take(decoder.decode(bytes, { stream: true }));
}
