/**
 * A shallow copy of one branch of a repository, to read its files from (WSP-5):
 *
 *   bare repository ─fetch, depth 1, through the proxy─▶ commit ─ls-tree─▶ entries ─cat-file─▶ contents
 *
 * Nothing is checked out: names, links, hooks, filters and attributes of the repository do nothing here.
 */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Egress } from "../egress/egress.ts";
import { BlobReader } from "./blob-reader.ts";
import { type GitOptions, repositoryIn, runGit, startGit } from "./git.ts";
import { relayTo } from "../sandbox/bubble.ts";
import { hasBubbles } from "../sandbox/bubble-style.ts";
import { makeWayOut, removeWaysOut } from "../sandbox/way-out.ts";
import { openProxy, type RemoteFailure } from "./pinning-proxy.ts";

export interface CloneLimits {
  /** From the start until everything is fetched. */
  readonly timeoutMs: number;
  /** Limits both the fetched data and the files. */
  readonly maxBytes: number;
  readonly maxFiles: number;
}

export interface CloneSettings {
  readonly url: string;
  /** Null for the default branch. */
  readonly branch: string | null;
  readonly authorization: string | null;
  readonly limits: CloneLimits;
  readonly signal: AbortSignal;
  /** Progress of the fetch: 0 to 100. */
  readonly onProgress: (percent: number) => void;
}

/** A file of the commit. */
export interface RepositoryFile {
  readonly path: string;
  readonly objectId: string;
  readonly size: number;
}

export interface FetchedRepository {
  readonly commit: string;
  readonly files: readonly RepositoryFile[];
  /** Entries that are not files: links, submodules. */
  readonly leftOut: number;
  readonly reader: BlobReader;
}

/** Why there is no copy. */
export type CloneFailure =
  | RemoteFailure
  | { readonly kind: "no_branch" }
  | { readonly kind: "empty" }
  | { readonly kind: "too_many_files" }
  | { readonly kind: "timeout" }
  | { readonly kind: "aborted" }
  /** Git's own message, for the log. */
  | { readonly kind: "git"; readonly complaint: string };

const TREE_ENTRY = /^(\d{6}) (\w+) ([0-9a-f]{40,64})\s+(\d+|-)\t(.+)$/s;
const PROGRESS = /^(?:remote: )?(Counting|Compressing|Receiving|Resolving)[^:]*:\s+(\d{1,3})%/;
/** Each phase of git counts to 100. For each: where it starts in the whole, and its share. */
const CLONE_PHASES: Readonly<Record<string, readonly [number, number]>> = {
  Counting: [0, 5],
  Compressing: [5, 5],
  Receiving: [10, 80],
  Resolving: [90, 10],
};

export class Cloner {
  private readonly root: string;
  private readonly egress: Pick<Egress, "open">;
  private readonly isPolite: boolean;
  private isIsolated = false;

  /** Only this process uses `root`. `isPolite` is false for tests. */
  constructor(root: string, egress: Pick<Egress, "open">, { isPolite = true } = {}) {
    this.root = root;
    this.egress = egress;
    this.isPolite = isPolite;
  }

  /** Creates the folder and removes leftovers of a former process. `bubbles`: the program that isolates git. */
  async prepare(bubbles?: string): Promise<void> {
    this.isIsolated = await hasBubbles(bubbles);
    await Promise.all([rm(this.root, { recursive: true, force: true }), removeWaysOut(this.root)]);
    await mkdir(this.root, { recursive: true, mode: 0o700 });
  }

  /** Fetches, passes the copy to `use`, and deletes the copy afterwards. */
  async clone<T>(
    settings: CloneSettings,
    use: (repository: FetchedRepository) => Promise<T>,
  ): Promise<{ readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: CloneFailure }> {
    const folder = await mkdtemp(join(this.root, "clone-"));
    const deadline = AbortSignal.timeout(settings.limits.timeoutMs);
    const signal = AbortSignal.any([settings.signal, deadline]);
    try {
      const fetched = await this.fetched(folder, { ...settings, signal });
      if (!("commit" in fetched)) {
        const ended = settings.signal.aborted ? "aborted" : deadline.aborted ? "timeout" : null;
        return { ok: false, failure: ended === null ? fetched : { kind: ended } };
      }
      const { isIsolated, isPolite } = this;
      const reader = new BlobReader({
        folder,
        fileBytes: settings.limits.maxBytes,
        signal: settings.signal,
        isIsolated,
        isPolite,
      });
      try {
        return { ok: true, value: await use({ ...fetched, reader }) };
      } finally {
        await reader.close();
      }
    } finally {
      // Processes in a bubble end a moment after it, and may still be writing.
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }

  private async fetched(
    folder: string,
    settings: CloneSettings,
  ): Promise<Omit<FetchedRepository, "reader"> | CloneFailure> {
    const { url, branch, authorization, limits, signal, onProgress } = settings;
    const { maxBytes, timeoutMs } = limits;
    const { isIsolated, isPolite } = this;
    const at = { folder, fileBytes: maxBytes, signal, isIsolated, isPolite };
    const wayOut = isIsolated ? await makeWayOut(this.root) : null;
    const path = wayOut === null ? null : join(wayOut, "proxy");
    const socket = path === null ? null : { path, url: relayTo(path).url };
    const proxy = openProxy(this.egress, { url, authorization, maxBytes, timeoutMs, signal, socket });
    try {
      const made = await runGit(["init", "--quiet", "--bare", "--template=", repositoryIn(folder)], at);
      if (made === null) return { kind: "git", complaint: "the repository could not be created" };
      const config = `[http]\n\textraHeader = ${proxy.header}\n[remote "origin"]\n\turl = ${proxy.url}\n`;
      await Bun.write(join(repositoryIn(folder), "config"), `[core]\n\tbare = true\n${config}`);
      const ref = branch === null ? "HEAD" : `refs/heads/${branch}`;
      const fetch = [
        "fetch",
        "--depth=1",
        "--no-tags",
        "--no-write-fetch-head",
        "--progress",
        "origin",
        `+${ref}:${COPY}`,
      ];
      const onLine = (line: string): void => {
        const [, phase = "", percent] = PROGRESS.exec(line) ?? [];
        const [from, share] = CLONE_PHASES[phase] ?? [0, 0];
        if (share > 0) onProgress(Math.min(100, Math.round(from + (Number(percent) * share) / 100)));
      };
      const { child, ended } = startGit(fetch, { ...at, onLine, socket: path });
      void child.stdout.cancel();
      const complaint = await ended;
      const failure = proxy.failure();
      if (failure !== null) return failure;
      if (complaint !== null) return cloneFailure(complaint);
      onProgress(100);
    } finally {
      await proxy.close();
      if (wayOut !== null) await rm(wayOut, { recursive: true, force: true });
    }
    const commit = await runGit(["rev-parse", "--verify", "--quiet", `${COPY}^{commit}`], at);
    if (commit === null) return { kind: "git", complaint: "the branch does not point to a commit" };
    return this.tree(commit, settings, at);
  }

  /** The entries of the commit. */
  private async tree(
    commit: string,
    { limits }: CloneSettings,
    at: Pick<GitOptions, "folder" | "fileBytes" | "signal" | "isIsolated" | "isPolite">,
  ): Promise<Omit<FetchedRepository, "reader"> | CloneFailure> {
    const { child, kill, ended } = startGit(["ls-tree", "-r", "-z", "-l", "--full-tree", commit], at);
    const files: RepositoryFile[] = [];
    let leftOut = 0;
    let bytes = 0;
    let rest = "";
    let failure: CloneFailure | null = null;
    // Names may be any bytes; names that are not UTF-8 cannot be paths of a workspace.
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) {
      const entries = (rest + decoder.decode(chunk, { stream: true })).split("\0");
      rest = entries.pop() ?? "";
      for (const entry of entries) {
        const [, mode, type, objectId = "", size, path = ""] = TREE_ENTRY.exec(entry) ?? [];
        if (type !== "blob" || mode === "120000") leftOut++;
        else {
          files.push({ path, objectId, size: Number(size) });
          bytes += Number(size);
        }
      }
      if (bytes > limits.maxBytes) failure = { kind: "too_large" };
      if (files.length > limits.maxFiles) failure = { kind: "too_many_files" };
      if (failure !== null) break;
    }
    if (failure !== null) {
      kill();
      await ended;
      return failure;
    }
    const complaint = await ended;
    return complaint === null ? { commit, files, leftOut } : { kind: "git", complaint };
  }
}

const COPY = "refs/troupe/copy";

function cloneFailure(complaint: string): CloneFailure {
  if (/couldn't find remote ref HEAD/i.test(complaint)) return { kind: "empty" };
  if (/couldn't find remote ref|remote branch .* not found/i.test(complaint)) return { kind: "no_branch" };
  return { kind: "git", complaint };
}
