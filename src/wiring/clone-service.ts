/**
 * Clones into workspaces (port: `src/runner/tools/clone-repository.ts`). The files of the commit are written as files
 * of the workspace, each in its own commit. Unchanged files are skipped, so a sync writes only changes, and an
 * interrupted one continues where it stopped. Overwritten content is kept as versions.
 */
import type { QuotaReports } from "../../actors/usage/quota.ts";
import { countUnreferred, receiveWithin, writeReceived } from "../work/content-room.ts";
import { isPassing, notFound, type Outcome } from "../../actors/fault.ts";
import type { ToolContext } from "../../actors/job/ports.ts";
import { jobRef } from "../../actors/job/schema.ts";
import type { ActorRef } from "../../actors/runtime/actor.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import type { FileDirectory, ListedPlace } from "../../actors/workspace/directory.ts";
import { MAX_PLACES, type WorkspaceLimits } from "../../actors/workspace/limits.ts";
import { type FilePath, parentPath, parseNewPath, parsePath } from "../../actors/workspace/path.ts";
import type { FileContents } from "../../actors/workspace/ports.ts";
import { type Repository, workspaceRef } from "../../actors/workspace/schema.ts";
import type { CloneFailure, CloneLimits, Cloner, FetchedRepository, RepositoryFile } from "../repositories/clone.ts";
import type { SecretReader } from "../connections/client-secret.ts";
import { faultWords } from "../runner/tools/fault-words.ts";
import type { CloneService } from "../runner/tools/clone-repository.ts";
import { MIB } from "../../actors/units.ts";
import { untilServiceDecides, type WaitingTool } from "../runner/tools/tool.ts";

/** Limits of WSP-5. */
export const CLONE_LIMITS: CloneLimits = {
  timeoutMs: 600_000,
  maxBytes: 1024 * 1024 * 1024,
  maxFiles: MAX_PLACES / 2,
};
/** Smaller files are compared with the present content before they are stored. */
const COMPARED_BYTES = 1024 * 1024;
/** Files that are written at once: their commits are one batch. */
const WRITES = 16;
const CLONE_LISTED_FILES = 1_000;
/** The fetch counts as half of the progress. */
const FETCH_PERCENT = 50;

interface CloneParts {
  readonly system: TroupeSystem;
  readonly files: FileDirectory;
  readonly contents: FileContents;
  readonly quotas: Pick<QuotaReports, "room" | "unreferred">;
  readonly secrets: SecretReader;
  readonly cloner: Cloner;
  readonly workspaceLimits: WorkspaceLimits;
  readonly limits?: CloneLimits;
  readonly log: { warn(fields: object, message: string): void };
}

/** A refusal by the workspace: ends the clone with its message. */
class CloneRefused extends Error {
  readonly words: string;

  constructor(words: string) {
    super(words);
    this.words = words;
  }
}

interface CloneWork {
  readonly context: ToolContext;
  readonly ref: ActorRef<"workspace">;
  readonly repository: Repository;
  readonly waiting: WaitingTool;
  readonly onFile: (done: number, of: number) => void;
}

export function cloneService(parts: CloneParts): CloneService {
  const { limits = CLONE_LIMITS } = parts;
  return {
    async clone(context, { host, ...waiting }) {
      const { signal } = waiting;
      const found = await mountOf(parts, context, waiting);
      if (!found.ok) return found;
      const { ref, repository } = found.value;
      const authorization = await authorizationOf(parts, context, repository);
      if (!authorization.ok)
        return { ok: false, words: `The secret ${repository.secret ?? ""} does not exist or cannot be read.` };
      const onFile = (done: number, of: number): void =>
        host.progress({ percent: FETCH_PERCENT + Math.floor((FETCH_PERCENT * done) / of), label: "Writing files" });
      try {
        const cloned = await parts.cloner.clone(
          {
            url: repository.url,
            branch: repository.branch,
            authorization: authorization.value,
            limits,
            signal,
            onProgress: (percent) =>
              host.progress({ percent: Math.floor((percent * FETCH_PERCENT) / 100), label: "Fetching" }),
          },
          (fetched) => bringFiles(parts, { context, ref, repository, waiting, onFile }, fetched),
        );
        if (cloned.ok) return { ok: true, value: cloned.value };
        if (cloned.failure.kind === "git")
          parts.log.warn({ jobId: context.jobId, complaint: cloned.failure.complaint }, "git could not clone");
        return { ok: false, words: cloneFailureWords(cloned.failure, repository, limits) };
      } catch (cause) {
        if (cause instanceof CloneRefused) return { ok: false, words: cause.words };
        throw cause;
      }
    },
  };
}

/** The mount that the job of this call clones. */
async function mountOf(
  { system }: CloneParts,
  { organizationId, jobId }: ToolContext,
  waiting: WaitingTool,
): Promise<Outcome<{ readonly ref: ActorRef<"workspace">; readonly repository: Repository }>> {
  const job = await untilServiceDecides(waiting, () =>
    system.dispatch(jobRef(organizationId, jobId), { kind: "read_job" }),
  );
  if (!job.ok) return job;
  const { workspaceId } = job.value;
  if (workspaceId === null) return notFound("workspace");
  const ref = workspaceRef(organizationId, workspaceId);
  const workspace = await untilServiceDecides(waiting, () => system.dispatch(ref, { kind: "read_workspace" }));
  if (!workspace.ok) return workspace;
  const repository = workspace.value.repos?.find((one) => one.jobId === jobId);
  return repository === undefined ? notFound("repository") : { ok: true, value: { ref, repository } };
}

/** The mount's secret holds `user:password`, or only a token. */
async function authorizationOf(
  { secrets }: CloneParts,
  { organizationId }: ToolContext,
  { secret }: Repository,
): Promise<Outcome<string | null>> {
  if (secret === null) return { ok: true, value: null };
  const value = await secrets.read(organizationId, secret);
  if (!value.ok) return value;
  const pair = value.value.includes(":") ? value.value : `x-access-token:${value.value}`;
  return { ok: true, value: `Basic ${Buffer.from(pair).toString("base64")}` };
}

interface Planned {
  readonly path: FilePath;
  readonly file: RepositoryFile;
}

/** Updates the files of the mount to the commit; answers a summary. */
async function bringFiles(parts: CloneParts, work: CloneWork, fetched: FetchedRepository): Promise<string> {
  const { ref, repository, waiting, context } = work;
  const mount = parsePath(repository.path);
  if (!mount.ok) throw new CloneRefused(faultWords(mount.fault));
  const { planned, unnamed, tooLarge } = plan(repository, fetched, parts.workspaceLimits);
  await commandOrEnd(parts, work, { kind: "make_directory", path: mount.value, cause: repositoryCause(repository) });
  const before = await placesOf(parts, work, mount.value);
  const removed = await removeOthers(parts, work, { planned, before });
  const written = await writeAll(parts, work, { planned, before, fetched });
  waiting.signal.throwIfAborted();
  const changed = { written, removed };
  const { jobId, userId: by } = context;
  await commandOrEnd(
    parts,
    { ref, waiting },
    { kind: "end_clone", repoId: repository.id, jobId, commit: fetched.commit, by, changed },
  );
  const left = [
    [fetched.leftOut, "links or submodules"],
    [unnamed, "files whose names a workspace does not accept"],
    [tooLarge, "files that are too large"],
  ] as const;
  const notes = left.filter(([count]) => count > 0).map(([count, what]) => ` Left out: ${count} ${what}.`);
  return `${repository.url} is at commit ${fetched.commit}: ${planned.size} files, ${written} written, ${removed} removed.${notes.join("")}`;
}

/** The files by the keys of their paths. Of two paths that are equal here, the first wins. */
function plan({ path: root }: Repository, { files }: FetchedRepository, { fileBytes }: WorkspaceLimits) {
  const planned = new Map<string, Planned>();
  let unnamed = 0;
  let tooLarge = 0;
  for (const file of files) {
    const path = parseNewPath(`${root}/${file.path}`);
    if (!path.ok || planned.has(namesKey(path.value)) || /(?:^|\/)\.{0,2}(?:\/|$)/.test(file.path)) unnamed++;
    else if (file.size > fileBytes) tooLarge++;
    else planned.set(namesKey(path.value), { path: path.value, file });
  }
  return { planned, unnamed, tooLarge };
}

const namesKey = ({ names }: FilePath): string => names.map(({ key }) => key).join("/");
const repositoryCause = ({ id }: Repository) => ({ by: { type: "repository", id }, tells: false }) as const;

/** The nodes below the mount, by the keys of their paths. */
async function placesOf(
  { system, files }: CloneParts,
  { ref, waiting }: CloneWork,
  mount: FilePath,
): Promise<ReadonlyMap<string, ListedPlace>> {
  const places = new Map<string, ListedPlace>();
  const found = await untilServiceDecides(waiting, () => system.dispatch(ref, { kind: "read_place", path: mount }));
  if (!found.ok || found.value.place.node.kind !== "directory") return places;
  const { organizationId } = ref;
  const settled = await untilServiceDecides(waiting, () => system.settled(organizationId));
  if (!settled.ok) throw new CloneRefused(faultWords(settled.fault));
  const directory = { organizationId, directoryId: found.value.place.node.id, directory: found.value.path };
  for (let after: string | null = null; ;) {
    const page: readonly ListedPlace[] = await files.listPlaces({
      ...directory,
      isRecursive: true,
      after,
      limit: CLONE_LISTED_FILES,
    });
    for (const one of page) {
      const path = parsePath(one.path);
      if (path.ok) places.set(namesKey(path.value), one);
    }
    const last = page.at(-1);
    if (page.length < CLONE_LISTED_FILES || last === undefined) return places;
    after = last.path;
  }
}

interface CloneChange {
  readonly planned: ReadonlyMap<string, Planned>;
  readonly before: ReadonlyMap<string, ListedPlace>;
}

/** Removes files of an earlier commit, and directories that become empty; answers the number of files. */
async function removeOthers(parts: CloneParts, work: CloneWork, { planned, before }: CloneChange): Promise<number> {
  const { repository } = work;
  const needed = new Set<string>();
  for (const { path } of planned.values())
    for (let at = parentPath(path); at.names.length > 0; at = parentPath(at)) needed.add(namesKey(at));
  let removed = 0;
  const directories: FilePath[] = [];
  for (const [key, { path: text, place }] of before) {
    const path = parsePath(text);
    if (!path.ok) continue;
    if (place.node.kind === "directory") {
      if (!needed.has(key)) directories.push(path.value);
      continue;
    }
    const isOwn = place.node.by.type === "repository" && place.node.by.id === repository.id;
    if (planned.has(key) || !(isOwn || repository.mode === "read")) continue;
    if (await removeFromMount(parts, work, path.value)) removed++;
  }
  // The deepest ones first. A directory with other files stays.
  for (const path of directories.sort((a, b) => b.names.length - a.names.length))
    await removeFromMount(parts, work, path);
  return removed;
}

async function removeFromMount(
  { system }: CloneParts,
  { ref, repository, waiting }: CloneWork,
  path: FilePath,
): Promise<boolean> {
  const cause = repositoryCause(repository);
  const command = { kind: "delete_place", path, isRecursive: false, precondition: { kind: "none" }, cause } as const;
  const gone = await untilServiceDecides(waiting, () => system.dispatch(ref, command));
  if (!gone.ok && isPassing(gone.fault)) throw new CloneRefused(faultWords(gone.fault));
  return gone.ok;
}

/** Writes the changed files; answers their number. */
async function writeAll(
  parts: CloneParts,
  work: CloneWork,
  { planned, before, fetched }: CloneChange & { readonly fetched: FetchedRepository },
): Promise<number> {
  const { repository, ref, waiting, onFile } = work;
  const { organizationId } = ref;
  let written = 0;
  let done = 0;
  const writing = new Set<Promise<void>>();
  let failed: unknown = null;
  const receive = (body: ReadableStream<Uint8Array>) =>
    receiveWithin(parts, organizationId, body, parts.workspaceLimits.fileBytes);
  const write = async (path: FilePath, receiving: ReturnType<typeof receive>): Promise<void> => {
    const received = await receiving;
    if (!received.ok) throw new CloneRefused(faultWords(received.fault));
    const to = { path, precondition: { kind: "none" }, cause: repositoryCause(repository) } as const;
    const command = writeReceived(parts.contents, received.value, to);
    const outcome = await commandUntilDecided(parts, { ref, waiting }, command);
    countUnreferred(parts, organizationId, { written: outcome, size: received.value.size });
    if (!outcome.ok) throw new CloneRefused(`\`${path.text}\`: ${faultWords(outcome.fault)}`);
    written++;
  };
  for (const [key, { path, file }] of planned) {
    waiting.signal.throwIfAborted();
    if (failed !== null) break;
    const { body } = await fetched.reader.open(file.objectId);
    const node = before.get(key)?.place.node;
    if (file.size > COMPARED_BYTES) await write(path, receive(body));
    else {
      const bytes = await Bun.readableStreamToBytes(body);
      const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
      if (node?.kind !== "file" || node.sha256 !== sha256) {
        // Small files are in memory, so a full disk can be retried; a stream from git can be read only once.
        const again = () => receive(new Blob([bytes]).stream());
        const one = write(path, untilServiceDecides(waiting, again))
          .catch((cause: unknown) => void (failed ??= cause))
          .finally(() => writing.delete(one));
        writing.add(one);
        if (writing.size >= WRITES) await Promise.race(writing);
      }
    }
    onFile(++done, planned.size);
  }
  await Promise.all(writing);
  if (failed !== null) throw failed;
  return written;
}

type CloneCommand = Parameters<TroupeSystem["dispatch"]>[1] & {
  readonly kind: "make_directory" | "write_file" | "end_clone";
};
type CloneAsking = Pick<CloneWork, "ref" | "waiting">;

/** Dispatches a command; its refusal ends the clone. */
async function commandOrEnd(parts: CloneParts, asking: CloneAsking, command: CloneCommand): Promise<void> {
  const outcome = await commandUntilDecided(parts, asking, command);
  if (!outcome.ok) throw new CloneRefused(faultWords(outcome.fault));
}

const commandUntilDecided = (
  { system }: CloneParts,
  { ref, waiting }: CloneAsking,
  command: CloneCommand,
): Promise<Outcome<unknown>> =>
  untilServiceDecides(waiting, () => system.dispatch(ref, command as never) as Promise<Outcome<unknown>>);

/** A message for people: what they can do, and nothing about this machine. */
function cloneFailureWords(failure: CloneFailure, { url, branch }: Repository, limits: CloneLimits): string {
  switch (failure.kind) {
    case "network":
      return failure.error === "blocked_address"
        ? `${url} leads to an address that is not public.`
        : `${url} could not be reached (${failure.error}).`;
    case "status":
      return failure.status === 401 || failure.status === 403 || failure.status === 404
        ? `${url} answered ${failure.status}: there is no such repository, or its credentials are missing or wrong.`
        : `${url} answered ${failure.status}.`;
    case "too_large":
      return `The repository is larger than ${limits.maxBytes / MIB} MiB.`;
    case "too_many_files":
      return `The repository has more than ${limits.maxFiles} files.`;
    case "no_branch":
      return `The repository has no branch ${branch ?? "that is its default"}.`;
    case "empty":
      return "The repository has no commit.";
    case "timeout":
      return `The repository was not fetched within ${limits.timeoutMs / 60_000} minutes.`;
    case "aborted":
      return "The clone was cancelled.";
    case "git":
      return "git could not read the repository; the log of the service says more.";
  }
}
