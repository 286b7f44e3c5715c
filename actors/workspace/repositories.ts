/**
 * The repositories of a workspace (WSP-5, WSP-6). A mount is a directory whose files come from one branch:
 *
 *   pending ──┐            ┌─▶ ready ──┐
 *             ├─ begin ─▶ cloning      ├─ begin ─▶ …
 *   error ────┘            └─▶ error ──┘
 *
 * A job does the cloning. The job itself reports its end, in the commit of that end, so that no mount is `cloning`
 * without an unfinished job.
 */
import { invalid, notFound, ok, type Outcome, refuse } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { sendNews } from "../webhook/events.ts";
import { inTheWay, isDirectory, isFile, resolvePath } from "./tree.ts";
import { MAX_REPOSITORIES } from "./limits.ts";
import { overlaps, repositoriesOf } from "./mounts.ts";
import { parsePath } from "./path.ts";
import type { WorkspaceProtocol } from "./protocol.ts";
import { type Repository, type Workspace, workspaceTable } from "./schema.ts";

export const repositoryCommandHandlers = {
  add_repository: (tx, { repository }) => addRepository(tx, repository),

  begin_clone(tx, { repoId, added, jobId, afterJobId }) {
    const made = added === null ? null : addRepository(tx, added);
    if (made?.ok === false) return made;
    const repository = repositoriesOf(tx).find(({ id }) => id === repoId);
    if (repository === undefined) return notFound("repository");
    if (repository.status === "cloning" && repository.jobId !== afterJobId)
      return refuse({
        kind: "invalid_state",
        status: "cloning",
        allowedActions: [],
        message: "The repository is being cloned; cancel its job first, or wait for its end",
      });
    return ok(changeRepository(tx, { ...repository, status: "cloning", error: null, jobId }));
  },

  end_clone(tx, { repoId, jobId, commit, by, changed }) {
    const repository = repositoriesOf(tx).find(({ id }) => id === repoId);
    // The same end again: the answer to the first report was lost.
    if (repository?.jobId === jobId && repository.status === "ready" && repository.commit === commit)
      return ok(repository);
    // Another clone has begun since, or the mount was removed.
    if (repository?.jobId !== jobId || repository.status !== "cloning") return notFound("repository");
    const ready = changeRepository(tx, {
      ...repository,
      status: "ready",
      error: null,
      commit,
      syncedAt: isoTime(tx.now),
    });
    tellRepositoryNews(tx, by, ready, { type: "workspace_repository.cloned", data: { commit, ...changed } });
    // One change of the directory, however many files changed.
    if (changed.written + changed.removed > 0)
      tellRepositoryNews(tx, by, ready, { type: "workspace_file.changed", data: { change: "updated", ...changed } });
    return ok(ready);
  },

  clone_job_ended(tx, { jobId, error }) {
    const repository = repositoriesOf(tx).find((one) => one.jobId === jobId && one.status === "cloning");
    if (repository !== undefined) changeRepository(tx, { ...repository, status: "error", error });
    return ok(null);
  },

  remove_repository(tx, { repoId }) {
    const repository = repositoriesOf(tx).find(({ id }) => id === repoId);
    if (repository === undefined) return notFound("repository");
    keepRepositories(
      tx,
      repositoriesOf(tx).filter((one) => one !== repository),
    );
    return ok(repository);
  },
} satisfies Partial<Handlers<WorkspaceProtocol>>;

function addRepository(tx: Tx, repository: Repository): Outcome<Repository> {
  const path = parsePath(repository.path);
  if (!path.ok) return path;
  const repositories = repositoriesOf(tx);
  if (repositories.length >= MAX_REPOSITORIES)
    return invalid("/path", `A workspace has at most ${MAX_REPOSITORIES} repositories`);
  const other = repositories.find((one) => overlaps(one, path.value));
  if (other !== undefined)
    return refuse({ kind: "path_exists", path: other.path, message: `\`${other.path}\` is a mount already` });
  const way = resolvePath(tx, path.value);
  if (!way.ok) return way;
  const { last } = way.value;
  if (isFile(last)) return inTheWay(path.value.text, "file");
  if (isDirectory(last) && last.node.files + last.node.directories > 0)
    return refuse({
      kind: "path_exists",
      path: path.value.text,
      message: `The directory \`${path.value.text}\` is not empty`,
    });
  keepRepositories(tx, [...repositories, repository]);
  return ok(repository);
}

function changeRepository(tx: Tx, repository: Repository): Repository {
  const changed = { ...repository, updatedAt: isoTime(tx.now) };
  keepRepositories(
    tx,
    repositoriesOf(tx).map((one) => (one.id === repository.id ? changed : one)),
  );
  return changed;
}

function keepRepositories(tx: Tx, repos: readonly Repository[]): void {
  // Handlers run only in an existing workspace.
  const workspace = tx.read(workspaceTable, tx.self.id) as Workspace;
  tx.update(workspaceTable, { ...workspace, repos: [...repos] });
}

interface News {
  readonly type: "workspace_repository.cloned" | "workspace_file.changed";
  readonly data: Readonly<Record<string, string | number | null>>;
}

function tellRepositoryNews(
  tx: Tx,
  userId: string,
  { id: repoId, path, url, branch }: Repository,
  { type, data }: News,
): void {
  const { id } = tx.self;
  sendNews(tx, {
    type,
    actor: { type: "user", id: userId },
    resource: { type: "workspace", id, path: `/api/workspaces/${id}`, version: null },
    data: { workspace_id: id, repository_id: repoId, path, url, branch, ...data },
  });
}
