/** Repositories on the current surface (WSP-5, WSP-6). A clone is a job, which starts here. */
import { cutText } from "../../../actors/cut-text.ts";
import { invalid, notFound, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { newId } from "../../../actors/ids.ts";
import { isTerminal } from "../../../actors/job/machine.ts";
import { type AgentSnapshot, jobRef, PLAIN_TERMS } from "../../../actors/job/schema.ts";
import { type Principal, secretsRefusal } from "../../../actors/organization/principal.ts";
import { isoTime, type Static } from "../../../actors/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { parseNewPath } from "../../../actors/workspace/path.ts";
import { type Repository, REPOSITORY_MODEL, workspaceRef } from "../../../actors/workspace/schema.ts";
import { accepted, type Change, type Commit, created, done } from "../../http/commit/commit.ts";
import { operation } from "../../operations/operation.ts";
import type { Services } from "../../operations/services.ts";
import { PreparedWork } from "../../work/prepared-work.ts";
import { RepositoryId, workspaceParams } from "../path-ids.ts";
import { AddRepositoryBody, CloneBody, RepositoryList, RepositoryView, repositoryView } from "./repository-schema.ts";
import { ownWorkspaceRef } from "./files.ts";
import { knownSecrets } from "../agents/tool-server-auth.ts";

const one = { ...workspaceParams, repo_id: RepositoryId };

export const repositoryOperations = {
  listRepositories: operation(
    {
      method: "GET",
      path: "/api/workspaces/{id}/repos",
      scope: "workspaces:read",
      summary: "List repository mounts",
      description: "Returns all of them: a workspace has at most 20.",
      params: workspaceParams,
      answers: { 200: RepositoryList },
    },
    async (services, { principal }, { params: { id } }) => {
      const workspace = await services.system.dispatch(ownWorkspaceRef(principal, id), { kind: "read_workspace" });
      return workspace.ok ? ok({ repos: (workspace.value.repos ?? []).map(repositoryView) }) : workspace;
    },
  ),

  addRepository: operation(
    {
      method: "POST",
      path: "/api/workspaces/{id}/repos",
      scope: "workspaces:write",
      summary: "Add a repository mount",
      description:
        "The mount stays `pending` until it is cloned. Only owners can name a `secret`, with the scope `secrets:use`.",
      params: workspaceParams,
      body: AddRepositoryBody,
      answers: { 201: RepositoryView },
      errors: ["invalid_path", "path_exists", "invalid_url", "owner_required"],
      emits: "workspace_repository.added",
    },
    async (services, change, { params: { id }, body }) => {
      const repository = await newRepository(services, change.principal, body);
      if (!repository.ok) return repository;
      const command = { kind: "add_repository", repository: repository.value } as const;
      return change.commit([ask(ownWorkspaceRef(change.principal, id), command)], (added) =>
        created(repositoryView(added)),
      );
    },
  ),

  cloneRepository: operation(
    {
      method: "POST",
      path: "/api/workspaces/{id}/repos/clone",
      scope: "workspaces:write",
      summary: "Clone a repository mount",
      description:
        "Clones the mount `repo_id`, or a new one. A job does the work: follow or cancel `job_id` like any other job. Only the files of the latest commit are fetched; symbolic links, submodules and files that a workspace cannot store are left out.",
      params: workspaceParams,
      body: CloneBody,
      answers: { 202: RepositoryView },
      errors: ["invalid_path", "path_exists", "invalid_url", "invalid_state", "owner_required"],
      emits: "resource.updated",
    },
    async (services, change, { params: { id }, body: { repo_id: repoId, url, ...mount } }) => {
      if (repoId !== undefined) {
        if (url !== undefined || Object.keys(mount).length > 0)
          return invalid("/repo_id", "`repo_id` names an existing mount; send it without other fields");
        return clone(services, change, { id, repoId });
      }
      if (url === undefined) return invalid("/url", "`repo_id` or `url` must be given");
      const added = await newRepository(services, change.principal, { url, ...mount });
      return added.ok ? clone(services, change, { id, added: added.value }) : added;
    },
  ),

  getRepository: operation(
    {
      method: "GET",
      path: "/api/workspaces/{id}/repos/{repo_id}",
      scope: "workspaces:read",
      summary: "Read a repository mount",
      params: one,
      answers: { 200: RepositoryView },
    },
    async (services, { principal }, { params: { id, repo_id: repoId } }) => {
      const found = await find(services, principal, { id, repoId });
      return found.ok ? ok(repositoryView(found.value)) : found;
    },
  ),

  syncRepository: operation(
    {
      method: "POST",
      path: "/api/workspaces/{id}/repos/{repo_id}/sync",
      scope: "workspaces:write",
      summary: "Update a repository mount",
      description:
        "Done by a job, like a clone. Files are replaced by those of the repository; local changes are kept as versions.",
      params: one,
      answers: { 202: RepositoryView },
      errors: ["invalid_state"],
      emits: "resource.updated",
    },
    (services, change, { params: { id, repo_id: repoId } }) => clone(services, change, { id, repoId }),
  ),

  removeRepository: operation(
    {
      method: "DELETE",
      path: "/api/workspaces/{id}/repos/{repo_id}",
      scope: "workspaces:write",
      summary: "Remove a repository mount",
      description: "Its files stay in the workspace as ordinary files.",
      params: one,
      answers: { 200: RepositoryView },
      emits: "resource.deleted",
    },
    (_, change, { params: { id, repo_id: repoId } }) => {
      const command = { kind: "remove_repository", repoId } as const;
      return change.commit([ask(ownWorkspaceRef(change.principal, id), command)], (removed) =>
        done(repositoryView(removed)),
      );
    },
  ),
};

type Mount = Static<typeof AddRepositoryBody>;

/** The agent of clone jobs. It belongs to no organization: so nobody can find it and give it other work. */
const AGENT: AgentSnapshot = {
  id: "agt_repositories",
  name: "Repositories",
  version: 1,
  systemPrompt: "",
  model: REPOSITORY_MODEL,
  allowedTools: ["clone_repository"],
  approvalTools: [],
  mcpServers: [],
  maxSteps: null,
};

async function find(
  { system }: Services,
  principal: Principal,
  { id, repoId }: { readonly id: string; readonly repoId: string },
): Promise<Outcome<Repository>> {
  const workspace = await system.dispatch(ownWorkspaceRef(principal, id), { kind: "read_workspace" });
  if (!workspace.ok) return workspace;
  const repository = workspace.value.repos?.find((one) => one.id === repoId);
  return repository === undefined ? notFound("repository") : ok(repository);
}

const WITHOUT_GIT = refuse({
  kind: "invalid_state",
  status: "unavailable",
  allowedActions: [],
  message: "This server cannot clone: its operator has to install git, 2.31 or newer",
});

/** Begins the job, in one commit with the mount. */
async function clone(
  services: Services,
  change: Change,
  of: { readonly id: string } & ({ readonly repoId: string } | { readonly added: Repository }),
): Promise<Outcome<Commit>> {
  if (services.git === null) return WITHOUT_GIT;
  const { principal: by } = change;
  const { organizationId, userId } = by;
  const added = "added" in of ? of.added : null;
  const repository = "added" in of ? ok(of.added) : await find(services, by, { id: of.id, repoId: of.repoId });
  if (!repository.ok) return repository;
  const { id: repoId, url, branch, path, jobId: former } = repository.value;
  const jobId = newId("job");
  const afterJobId = former !== null && (await hasJobEnded(services, by, former)) ? former : null;
  const words = `Clone ${url}${branch === null ? "" : `, branch ${branch},`} into ${path}`;
  const work = new PreparedWork({ agent: AGENT, model: { provider: "troupe", name: "git", demo: false }, by });
  const message = work.firstMessage({
    chatId: newId("cht"),
    jobId,
    opening: { workspaceId: of.id, title: cutText(words, CLONE_TITLE_CHARACTERS) },
    content: words,
    sender: { type: "user", id: userId },
    terms: { ...PLAIN_TERMS, provenance: { origin: "api" }, requestId: change.requestId },
  });
  const begin = ask(workspaceRef(organizationId, of.id), { kind: "begin_clone", repoId, added, jobId, afterJobId });
  return change.commit([begin, message], (begun) => ({
    ...accepted(repositoryView(begun)),
    ...(added === null ? {} : { emits: "workspace_repository.added" as const }),
  }));
}

const CLONE_TITLE_CHARACTERS = 200;

async function hasJobEnded({ system }: Services, { organizationId }: Principal, jobId: string): Promise<boolean> {
  const job = await system.dispatch(jobRef(organizationId, jobId), { kind: "read_job" });
  return job.ok ? isTerminal(job.value.status) : job.fault.kind === "not_found";
}

async function newRepository(services: Services, by: Principal, mount: Mount): Promise<Outcome<Repository>> {
  const url = repositoryUrl(mount.url);
  if (!url.ok) return url;
  const message = await services.webhookTools.refusalOf(url.value.href);
  if (message !== null) return refuse({ kind: "invalid_url", message });
  const path = parseNewPath(mount.path ?? cloneName(url.value));
  if (!path.ok) return path;
  const { secret = null, branch = null, mode = "read" } = mount;
  const usable = secret === null ? ok(null) : await usableSecret(services, by, secret);
  if (!usable.ok) return usable;
  const now = isoTime(services.clock.now());
  return ok({
    id: newId("rep"),
    provider: providerOf(url.value),
    url: url.value.href,
    branch,
    path: path.value.text,
    mode,
    secret,
    status: "pending",
    commit: null,
    error: null,
    jobId: null,
    syncedAt: null,
    createdBy: by.userId,
    createdAt: now,
    updatedAt: now,
  });
}

/**
 * Without secrets, and without parts that git would interpret differently. Whether plain http is allowed is decided with
 * the address (`EGRESS_ALLOW`).
 */
function repositoryUrl(text: string): Outcome<URL> {
  const url = URL.parse(text);
  const wrong = (message: string): Outcome<never> => refuse({ kind: "invalid_url", message });
  // URL parsers silently drop these characters.
  if (url === null || /[\s\\\p{Cc}]/u.test(text)) return wrong("The URL of a repository must be absolute");
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return wrong("The URL of a repository must begin with https://");
  if (url.username + url.password !== "")
    return wrong("The URL must not have credentials: store them with PUT /api/secrets and name them in `secret`");
  if (url.search !== "" || url.hash !== "") return wrong("The URL of a repository has no query and no fragment");
  return ok(url);
}

/** The last part of the path, which is git's default name for a clone. */
const cloneName = ({ pathname, hostname }: URL): string => {
  const last = pathname.replace(/\/+$/, "").split("/").at(-1) ?? "";
  return decodePath(last).replace(/\.git$/i, "") || hostname;
};

function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const PROVIDERS = ["github", "gitlab", "bitbucket"] as const;

const providerOf = ({ hostname }: URL): string =>
  PROVIDERS.find((name) => hostname.split(".").at(-2) === name || hostname.startsWith(`${name}.`)) ?? "git";

/** A caller who names a secret and chooses the server could have it sent anywhere (AUTH-12). */
async function usableSecret({ system }: Services, by: Principal, name: string): Promise<Outcome<null>> {
  const refusal = secretsRefusal(by);
  if (refusal !== null) return refuse(refusal);
  return knownSecrets({ system }, by.organizationId, [{ secret: name, path: "/secret" }]);
}
