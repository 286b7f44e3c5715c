/**
 * The system's `git`, run so that neither the machine nor the repository influences it: only our configuration, no
 * hooks, no submodules, no filters, no helpers, one protocol, and one address to talk to (`pinning-proxy.ts`). It never
 * writes a working tree: files are read from a bare repository.
 *
 * Where bubblewrap works, a git that a malicious pack has compromised can reach only its own repository: no other file,
 * no other process and no network. The socket of its proxy is the only way out.
 */
import { join } from "node:path";
import { lowerSession, manners } from "../sandbox/low-priority.ts";
import { tryProgram } from "../sandbox/trial.ts";
import {
  type Bubbled,
  bubble,
  withInputs,
  readOnlyMount,
  relayTo,
  SYSTEM_FOLDERS,
  writable,
} from "../sandbox/bubble.ts";

/** `http.extraHeader` in the environment's configuration, and `--no-write-fetch-head`, need this. */
const OLDEST_GIT = [2, 31] as const;
/** Characters of git's standard error that are kept. */
const COMPLAINT_CHARACTERS = 4_000;
/** Memory of one git, in bytes: packs are read through windows of it. */
const GIT_MEMORY_BYTES = 2 * 1024 * 1024 * 1024;
const GIT_OPEN_FILES = 256;

export interface GitVersion {
  readonly version: string;
}

/** `why`: why there is no git for clones. */
export type FoundGit = { readonly git: GitVersion; readonly why: null } | { readonly git: null; readonly why: string };

/** The git of this machine, if it is recent enough. */
export async function findGit(program = "git", limitMs?: number): Promise<FoundGit> {
  const { why, output } = await tryProgram([program, "--version"], { env: environment("/"), limitMs });
  if (why !== null) return { git: null, why };
  const [, version, major, minor] = /^git version ((\d+)\.(\d+)[\w.-]*)/.exec(output) ?? [];
  if (version === undefined) return { git: null, why: `${program} does not report its version` };
  const [oldestMajor, oldestMinor] = OLDEST_GIT;
  const isRecent = Number(major) > oldestMajor || (Number(major) === oldestMajor && Number(minor) >= oldestMinor);
  if (!isRecent) return { git: null, why: `git ${version} is older than ${OLDEST_GIT.join(".")}` };
  return { git: { version }, why: null };
}

/** Git gets none of the service's environment, which contains keys. */
function environment(home: string): Record<string, string> {
  return {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: home,
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "/bin/false",
    GIT_ALLOW_PROTOCOL: "http",
    GIT_PROTOCOL_FROM_USER: "0",
    GIT_LFS_SKIP_SMUDGE: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_PAGER: "cat",
    GIT_FLUSH: "0",
  };
}

/** Settings of every command. */
const GIT_SETTINGS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.alternateRefsCommand=false",
  "credential.helper=",
  "fetch.recurseSubmodules=false",
  "fetch.unpackLimit=1",
  "gc.auto=0",
  "maintenance.auto=false",
  "http.followRedirects=false",
  "http.proxy=",
  "pack.threads=1",
  "protocol.allow=never",
  "protocol.http.allow=always",
  "safe.directory=*",
  "transfer.bundleURI=false",
];

export interface GitRun {
  /** End it only by `kill`, which also ends what it started. */
  readonly child: Pick<Bun.Subprocess<"ignore" | "pipe", "pipe", "pipe">, "stdin" | "stdout">;
  kill(): void;
  /** Resolves when git has ended: null on success, else the end of its error output. */
  readonly ended: Promise<string | null>;
}

export interface GitOptions {
  /** The folder that git writes to; it contains the bare repository. */
  readonly folder: string;
  /** The largest file that git may write, in bytes. */
  readonly fileBytes: number;
  readonly signal: AbortSignal;
  /** Whether git runs in a bubble. */
  readonly isIsolated: boolean;
  /** The socket that leads out of the bubble. */
  readonly socket?: string | null;
  /** False, for tests: git does not wait for idle moments of the machine. */
  readonly isPolite?: boolean;
  readonly onLine?: (line: string) => void;
  readonly hasInput?: boolean;
}

/** Starts git in a bare repository. When the signal aborts, git and everything that it started are killed. */
export function startGit(args: readonly string[], options: GitOptions): GitRun {
  const { folder, signal, onLine, isPolite = true, hasInput = false } = options;
  const settings = GIT_SETTINGS.flatMap((setting) => ["-c", setting]);
  const git = ["git", `--git-dir=${repositoryIn(folder)}`, ...settings, ...args];
  const made = gitBubble(options);
  const child = withInputs(made, (fds) =>
    Bun.spawn([...limits(options), ...made.command, ...git], {
      cwd: folder,
      env: environment(folder),
      stdio: [hasInput ? "pipe" : "ignore", "pipe", "pipe", ...fds],
      // Its own process group, so that what git starts ends with it.
      detached: true,
    }),
  );
  if (isPolite) lowerSession(child.pid);
  const kill = (): void => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has already ended.
    }
  };
  signal.addEventListener("abort", kill, { once: true });
  if (signal.aborted) kill();
  const ended = (async () => {
    const complaint = await readLines(child.stderr, onLine);
    const code = await child.exited;
    signal.removeEventListener("abort", kill);
    return code === 0 ? null : complaint;
  })();
  return { child, kill, ended };
}

/** Runs git to its end; answers its output, or null if it failed. */
export async function runGit(args: readonly string[], options: GitOptions): Promise<string | null> {
  const { child, ended } = startGit(args, options);
  const [output, complaint] = await Promise.all([child.stdout.text(), ended]);
  return complaint === null ? output.trim() : null;
}

export const repositoryIn = (folder: string): string => join(folder, "repository.git");

/** What is in front of git: a bubble, if it runs in one. */
function gitBubble({ folder, isIsolated, socket = null }: GitOptions): Bubbled {
  if (!isIsolated) return { command: [], options: [], filter: null };
  const relay = socket === null ? null : relayTo(socket);
  const mounts = [
    ...SYSTEM_FOLDERS.flatMap((path) => readOnlyMount(path)),
    ...writable(folder),
    ...(relay?.mounts ?? []),
  ];
  const inside = { ...environment(folder), ...relay?.environment };
  const made = bubble({ environment: inside, mounts, folder });
  return { ...made, command: [...made.command, ...(relay?.runs ?? [])] };
}

/** The command line that limits a child, as far as the machine can. */
function limits({ fileBytes, isPolite = true }: GitOptions): string[] {
  const polite = isPolite ? manners() : [];
  if (Bun.which("prlimit") === null) return polite;
  const bounds = [`--data=${GIT_MEMORY_BYTES}`, `--fsize=${fileBytes}`, `--nofile=${GIT_OPEN_FILES}`, "--core=0"];
  return [...polite, "prlimit", ...bounds];
}

/** Calls back for each line, progress lines included; answers the end of the text. */
async function readLines(
  stream: ReadableStream<Uint8Array>,
  onLine: ((line: string) => void) | undefined,
): Promise<string> {
  const decoder = new TextDecoder();
  let rest = "";
  let kept = "";
  for await (const chunk of stream) {
    const text = decoder.decode(chunk, { stream: true });
    kept = (kept + text).slice(-COMPLAINT_CHARACTERS);
    const lines = (rest + text).split(/[\r\n]/);
    rest = (lines.pop() ?? "").slice(-COMPLAINT_CHARACTERS);
    for (const line of lines) onLine?.(line);
  }
  return kept.trim();
}
