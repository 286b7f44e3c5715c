/**
 * Shell commands over the files of a workspace (port: `src/runner/tools/shell.ts`). Files are copied into the command's
 * folder. Afterwards, changed files are written back as new versions, but only over the version that was copied:
 * concurrent changes of others stay, and the report says so.
 *
 * Few commands run at a time, and fewer of one organization; organizations take turns (FAIR-4).
 */
import { makeWayOut, removeWaysOut } from "../sandbox/way-out.ts";
import { invalid, notFound, ok, type Outcome, refuse } from "../../actors/fault.ts";
import type { FileDirectory } from "../../actors/workspace/directory.ts";
import { parseDirectory } from "../../actors/workspace/path.ts";
import { type FileNode } from "../../actors/workspace/schema.ts";
import type { Logger } from "../log/log.ts";
import { openTunnels } from "../egress/tunnels.ts";
import type { Egress } from "../egress/egress.ts";
import type { ShellCommand, ShellReport, ShellService } from "../runner/tools/shell.ts";
import { Lanes } from "../sandbox/lanes.ts";
import { findShell, type Shell, type ShellEnd, type ShellResult, type ShellRun } from "../sandbox/shell.ts";
import { hostRules } from "../settings/shell.ts";
import { type At, bringBack, type ShellChangeParts, type Copied } from "./shell-changes.ts";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { jobWorkspace } from "./file-service.ts";

/** Bytes of the copied files, and of the files that a command may leave. */
const COPIED_BYTES = 256 * 1024 * 1024;
const COPIED_FILES = 5_000;
const FOLDER_BYTES = 512 * 1024 * 1024;
/** Of all processes of a command together. */
const MEMORY_BYTES = 2 * 1024 * 1024 * 1024;
const SHELL_OUTPUT_BYTES = 64 * 1024;
/** Commands at a time, with their copies: of all organizations, and of one. A command takes at most two minutes. */
export const SHELL_PLACES = 8;
export const ORGANIZATION_SHELLS = 2;
const SHELL_BUSY_MS = 1_000;
const SHELL_LISTED_FILES = 1_000;
/** The most paths in the report. */
const NAMED = 100;
/** Limits of one command. */
const TUNNELS = { connections: 32, bytes: 512 * 1024 * 1024, connectMs: 10_000 };

interface ShellParts extends AgentShell, ShellChangeParts {
  readonly files: FileDirectory;
  /** Resolves and checks host names. */
  readonly egress: Pick<Egress, "resolve">;
  /** Whether an organization waits behind the others (FAIR-4). Omitted: none does. */
  readonly isOverShare?: (organizationId: string) => boolean;
}

/** Runs commands of agents. */
export interface AgentShell {
  readonly shell: Pick<Shell, "run">;
  /** The parent of the commands' folders; only this process uses it. */
  readonly root: string;
  /** The hosts that commands may reach (`SHELL_HOSTS`); empty: none. */
  readonly hosts: readonly string[];
}

/** Opens a shell for agents if it can be isolated; the log says whether. */
export async function openShell(
  hosts: readonly string[],
  root: string,
  log: Pick<Logger, "info" | "warn">,
): Promise<AgentShell | null> {
  await Promise.all([rm(root, { recursive: true, force: true }), removeWaysOut(root)]);
  const { shell, why } = await findShell();
  if (shell === null) log.info({}, `agents have no shell: ${why}`);
  else tellBounds(shell, log);
  if (shell !== null && hosts.length > 0) log.warn({ hosts }, "commands of agents may reach these hosts");
  return shell === null ? null : { shell, root, hosts };
}

/** Says what bounds the processes of commands here. */
export function tellBounds(
  { style: { hasOwnUser, hasFilter, limitsProcesses } }: Pick<Shell, "style">,
  log: Pick<Logger, "info" | "warn">,
): void {
  const fields = { processesLimited: limitsProcesses, ownUser: hasOwnUser, callsFiltered: hasFilter };
  const why =
    process.getuid?.() === 0
      ? "Linux does not limit root, which cannot change its user here"
      : "it did not hold when it was tried";
  if (limitsProcesses) log.info(fields, "commands of agents run in bubblewrap");
  else log.warn({ ...fields, why }, "nothing limits the number of processes of an agent's command but a watch");
}

export function shellService(parts: ShellParts): ShellService {
  const lanes = new Lanes(SHELL_PLACES, ORGANIZATION_SHELLS, parts.isOverShare);
  return {
    async run(context, command, signal) {
      const ref = await jobWorkspace(parts, context);
      if (!ref.ok) return ref;
      const place = await lanes.enter(context.organizationId, 0, signal);
      if (place === "busy") return refuse({ kind: "overloaded", retryAfterMs: SHELL_BUSY_MS });
      if (place === "aborted") return ok(NOT_BEGUN);
      using _held = place;
      return await runCopied(parts, { context, ref: ref.value }, command, signal);
    },
  };
}

/** The report of a command that was stopped while it waited. */
const NOT_BEGUN: ShellReport = {
  end: "stopped before it began",
  output: "",
  output_is_cut: false,
  changed: [],
  not_kept: [],
};

async function runCopied(
  parts: ShellParts,
  of: Pick<At, "context" | "ref">,
  command: ShellCommand,
  signal: AbortSignal,
): Promise<Outcome<ShellReport>> {
  await mkdir(parts.root, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(parts.root, "shell-"));
  try {
    return await runIn(parts, { ...of, folder }, command, signal);
  } finally {
    // A command may leave files that cannot be removed; the next start retries.
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

async function runIn(
  parts: ShellParts,
  of: Omit<At, "directory">,
  { command, path, timeoutMs }: ShellCommand,
  signal: AbortSignal,
): Promise<Outcome<ShellReport>> {
  const directory = parseDirectory(path);
  if (!directory.ok) return directory;
  const found = await parts.system.dispatch(of.ref, { kind: "read_place", path: directory.value });
  if (!found.ok) return found;
  const { node } = found.value.place;
  if (node.kind !== "directory") return invalid("/path", `\`${found.value.path}\` is a file, not a directory`);
  if (node.bytes > COPIED_BYTES || node.files > COPIED_FILES)
    return invalid("/path", `More than ${COPIED_BYTES} bytes or ${COPIED_FILES} files: choose a directory in \`path\``);
  const at: At = { ...of, directory: found.value.path };
  const copied = await copyOut(parts, at, node.id);
  if (!copied.ok) return copied;
  const limits = { timeoutMs, folderBytes: FOLDER_BYTES, memoryBytes: MEMORY_BYTES, outputBytes: SHELL_OUTPUT_BYTES };
  const { end, output, isCut } = await runConnected(parts, command, { folder: at.folder, limits, signal });
  // Changes of an interrupted command are discarded.
  const kept = end.kind === "exited" ? await bringBack(parts, at, copied.value) : { changed: [], notKept: [] };
  return ok({
    end: shellEndWords(end, timeoutMs),
    output,
    output_is_cut: isCut,
    changed: kept.changed.slice(0, NAMED),
    not_kept: kept.notKept.slice(0, NAMED),
  });
}

/** Runs the command with tunnels to the allowed hosts, which end with it. */
async function runConnected(
  { shell, root, hosts, egress }: ShellParts,
  command: string,
  run: ShellRun,
): Promise<ShellResult> {
  if (hosts.length === 0) return shell.run(command, run);
  const folder = await makeWayOut(root);
  const proxy = join(folder, "proxy");
  try {
    const isAllowed = hostRules(hosts);
    const tunnels = await openTunnels(egress, { path: proxy, isAllowed, limits: TUNNELS });
    try {
      return await shell.run(command, { ...run, proxy });
    } finally {
      await tunnels.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function shellEndWords(end: ShellEnd, timeoutMs: number): string {
  switch (end.kind) {
    case "exited":
      return `exit ${end.code}`;
    case "timeout":
      return `ended after ${timeoutMs / 1_000} seconds; nothing that it changed was kept`;
    case "too_large":
      return "ended because its files became too many or too large, or a directory could not be read; nothing that it changed was kept";
    case "memory":
      return `ended because its processes used more than ${MEMORY_BYTES / 1024 ** 3} GiB of memory together; nothing that it changed was kept`;
    case "processes":
      return "ended because it had too many processes; nothing that it changed was kept";
    case "aborted":
      return "stopped; nothing that it changed was kept";
  }
}

async function copyOut(
  { system, files, contents }: ShellParts,
  { ref: { organizationId }, directory, folder }: At,
  directoryId: string,
): Promise<Outcome<Copied>> {
  const settled = await system.settled(organizationId);
  if (!settled.ok) return settled;
  const copied = new Map<string, FileNode>();
  const directories: string[] = [];
  const below = directory === "" ? 0 : directory.length + 1;
  for (let after: string | null = null; ;) {
    const page = await files.listPlaces({
      organizationId,
      directoryId,
      directory,
      isRecursive: true,
      after,
      limit: SHELL_LISTED_FILES,
    });
    for (const { path, place } of page) {
      // Names of a workspace are never `..` and contain no slash, so each path stays below the folder.
      const target = join(folder, path.slice(below));
      if (place.node.kind === "directory") {
        await mkdir(target, { recursive: true });
        directories.push(path.slice(below));
        continue;
      }
      const body = await contents.read({ organizationId, sha256: place.node.sha256 });
      if (body === null) return notFound("file");
      await mkdir(dirname(target), { recursive: true });
      await Bun.write(target, new Response(body));
      copied.set(path.slice(below), place.node);
    }
    const last = page.at(-1);
    if (page.length < SHELL_LISTED_FILES || last === undefined) return ok({ files: copied, directories });
    after = last.path;
  }
}
