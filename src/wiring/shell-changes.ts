/**
 * Brings the changes of a shell command back to the workspace (WSP-16): each file as one change,
 * and only over the version that was copied. Concurrent changes of others stay, and the report says so.
 */
import { constants } from "node:fs";
import { lstat, open, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { invalid, mapOutcome, ok, type Outcome } from "../../actors/fault.ts";
import type { ToolContext } from "../../actors/job/ports.ts";
import type { ActorRef } from "../../actors/runtime/actor.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import type { WorkspaceLimits } from "../../actors/workspace/limits.ts";
import { parseNewPath, parsePath } from "../../actors/workspace/path.ts";
import type { FileContents } from "../../actors/workspace/ports.ts";
import type { Precondition } from "../../actors/workspace/protocol.ts";
import type { FileNode } from "../../actors/workspace/schema.ts";
import type { QuotaReports } from "../../actors/usage/quota.ts";
import { faultWords } from "../runner/tools/fault-words.ts";
import { countUnreferred, receiveWithin, writeReceived } from "../work/content-room.ts";

export interface ShellChangeParts {
  readonly system: TroupeSystem;
  readonly contents: FileContents;
  readonly quotas: Pick<QuotaReports, "room" | "unreferred">;
  readonly workspaceLimits: WorkspaceLimits;
}

/** The copied files by their paths below the directory, and the directories. */
export interface Copied {
  readonly files: ReadonlyMap<string, FileNode>;
  readonly directories: readonly string[];
}

/** A file that was copied, and its path then. */
interface Former {
  readonly path: string;
  readonly node: FileNode;
}

/** Where a command works. */
export interface At {
  readonly context: ToolContext;
  readonly ref: ActorRef<"workspace">;
  /** The directory of the workspace in its stored spelling; empty for the whole workspace. */
  readonly directory: string;
  readonly folder: string;
}

/**
 * Writes back what differs from the copies. The command has ended, so the files no longer change. Removals come first:
 * a file may have become a directory of its name, or the other way round.
 */
export async function bringBack(
  parts: ShellChangeParts,
  at: At,
  copied: Copied,
): Promise<{ readonly changed: readonly string[]; readonly notKept: readonly string[] }> {
  const changed: string[] = [];
  const notKept: string[] = [];
  const note = (path: string, outcome: Outcome<boolean>): void => {
    if (!outcome.ok) notKept.push(`${path}: ${faultWords(outcome.fault)}`);
    else if (outcome.value) changed.push(path);
  };
  const { found, leftOut } = await filesIn(at.folder);
  notKept.push(...leftOut.map((path) => `${path}: only files and directories are kept`));
  const there = new Set(found);
  const spellings = new Set(found.map((path) => pathKeyAt(at, path)));
  const gone = [...copied.files].filter(([path]) => !there.has(path));
  // In the workspace another spelling is the same file: it was renamed, not removed.
  const [respelled, removed] = partition(gone, ([path]) => spellings.has(pathKeyAt(at, path)));
  for (const [path, { sha256 }] of removed)
    note(path, await removeChanged(parts, at, path, { kind: "present", sha256: [sha256] }));
  // The deepest ones first. A directory with files of somebody else stays.
  const deepestFirst = copied.directories.toSorted((a, b) => b.split("/").length - a.split("/").length);
  for (const path of deepestFirst) if (isFileOnWay(path, there)) await removeChanged(parts, at, path, { kind: "none" });
  const formers = new Map(respelled.map(([path, node]) => [pathKeyAt(at, path), { path, node }]));
  for (const path of found) {
    const node = copied.files.get(path);
    const key = pathKeyAt(at, path);
    const before = node === undefined ? formers.get(key) : { path, node };
    // Of two new spellings the first one counts.
    formers.delete(key);
    note(path, await bringFile(parts, at, { path, before }));
  }
  return { changed, notKept };
}

function partition<T>(all: readonly T[], test: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(test), all.filter((one) => !test(one))];
}

/** Whether a file is at the path of a directory that was copied, or above it. */
const isFileOnWay = (directory: string, files: ReadonlySet<string>): boolean =>
  directory.split("/").some((_, i, names) => files.has(names.slice(0, i + 1).join("/")));

/** The same key for all spellings of a path; an invalid path has only its own spelling. */
function pathKeyAt(at: At, path: string): string {
  const parsed = parsePath(pathIn(at, path));
  return parsed.ok ? parsed.value.names.map(({ key }) => key).join("/") : `\0${path}`;
}

async function removeChanged(
  { system }: ShellChangeParts,
  at: At,
  path: string,
  precondition: Precondition,
): Promise<Outcome<boolean>> {
  const parsed = parsePath(pathIn(at, path));
  // Moves have made deeper paths than there may be, before they were checked.
  if (!parsed.ok) return ok(false);
  const command = {
    kind: "delete_place",
    path: parsed.value,
    isRecursive: false,
    precondition,
    cause: agentCause(at),
  } as const;
  return mapOutcome(await system.dispatch(at.ref, command), () => true);
}

const pathIn = ({ directory }: At, path: string): string => (directory === "" ? path : `${directory}/${path}`);
const agentCause = ({ context }: At) => ({ by: { type: "agent", id: context.agentId }, tells: true }) as const;

/** Whether the file was changed. `before`: what was copied, under its path then. A link is never followed. */
async function bringFile(
  parts: ShellChangeParts,
  at: At,
  { path, before }: { readonly path: string; readonly before: Former | undefined },
): Promise<Outcome<boolean>> {
  const { system, contents, workspaceLimits } = parts;
  const parsed = before?.path === path ? parsePath(pathIn(at, path)) : parseNewPath(pathIn(at, path));
  if (!parsed.ok) return parsed;
  const handle = await open(join(at.folder, path), constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => null);
  if (handle === null) return invalid("/path", "The file cannot be read");
  try {
    const hasher = new Bun.CryptoHasher("sha256");
    for await (const chunk of handle.createReadStream({ autoClose: false, start: 0 })) hasher.update(chunk as Buffer);
    if (hasher.digest("hex") === before?.node.sha256) return await respell(parts, at, { path, before });
  } finally {
    await handle.close();
  }
  const { organizationId } = at.ref;
  const body = Bun.file(join(at.folder, path)).stream();
  const received = await receiveWithin(parts, organizationId, body, workspaceLimits.fileBytes);
  if (!received.ok) return received;
  const precondition: Precondition =
    before === undefined ? { kind: "absent" } : { kind: "present", sha256: [before.node.sha256] };
  const to = { path: parsed.value, former: before?.node.mime, precondition, cause: agentCause(at) };
  const written = await system.dispatch(at.ref, writeReceived(contents, received.value, to));
  countUnreferred(parts, organizationId, { written, size: received.value.size });
  if (!written.ok) return written;
  const named = before === undefined ? ok(false) : await respell(parts, at, { path, before });
  return named.ok ? ok(true) : named;
}

/** Gives a file the spelling of its name that it has now; whether that is another one. */
async function respell(
  { system }: ShellChangeParts,
  at: At,
  { path, before }: { readonly path: string; readonly before: Former },
): Promise<Outcome<boolean>> {
  if (basename(path) === basename(before.path)) return ok(false);
  const from = parsePath(pathIn(at, before.path));
  const to = parseNewPath(pathIn(at, path));
  if (!from.ok || !to.ok) return ok(false);
  const move = {
    kind: "move_place",
    from: from.value,
    to: to.value,
    overwrite: false,
    seen: null,
    cause: agentCause(at),
  } as const;
  return mapOutcome(await system.dispatch(at.ref, move), () => true);
}

/** Regular files below a folder, and everything else that is no directory. */
async function filesIn(
  root: string,
): Promise<{ readonly found: readonly string[]; readonly leftOut: readonly string[] }> {
  const found: string[] = [];
  const leftOut: string[] = [];
  const waiting = [""];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const names = await readdir(join(root, at)).catch(() => null);
    if (names === null) leftOut.push(at);
    for (const name of names?.sort() ?? []) {
      const path = at === "" ? name : `${at}/${name}`;
      // A file whose name is not UTF-8 cannot be opened by name.
      const stat = await lstat(join(root, path)).catch(() => null);
      if (stat?.isDirectory() === true) waiting.push(path);
      else (stat?.isFile() === true ? found : leftOut).push(path);
    }
  }
  return { found, leftOut };
}
