/** Operations on the repositories of a workspace on the current surface (WSP-5, WSP-6). */
import { operationGroup } from "../../http/contract/operation.ts";
import { RepositoryId, WorkspaceId } from "../path-ids.ts";
import { AddRepositoryBody, CloneBody, RepositoryList, RepositoryView } from "./repository-schema.ts";

const params = { id: WorkspaceId };
const one = { ...params, repo_id: RepositoryId };

export const repositoryOperations = operationGroup("Repositories", "Repositories whose files are in a workspace", {
  listRepositories: {
    method: "GET",
    path: "/api/workspaces/{id}/repos",
    scope: "workspaces:read",
    summary: "List repository mounts",
    description: "All at once: a workspace has at most 20.",
    params,
    answers: { 200: RepositoryList },
    errors: ["not_found"],
  },
  addRepository: {
    method: "POST",
    path: "/api/workspaces/{id}/repos",
    scope: "workspaces:write",
    summary: "Add a repository mount",
    description:
      "It stays `pending` until it is cloned. To name a `secret` is for owners, with the scope `secrets:use`.",
    params,
    body: AddRepositoryBody,
    answers: { 201: RepositoryView },
    errors: ["not_found", "invalid_path", "path_exists", "invalid_url", "owner_required"],
    emits: "workspace_repository.added",
  },
  cloneRepository: {
    method: "POST",
    path: "/api/workspaces/{id}/repos/clone",
    scope: "workspaces:write",
    summary: "Clone a repository mount",
    description:
      "The mount `repo_id`, or a new one. A job does it: follow or cancel `job_id` like any other job. Only the files of the last commit are fetched; links, submodules and what a workspace cannot hold are left out.",
    params,
    body: CloneBody,
    answers: { 202: RepositoryView },
    errors: ["not_found", "invalid_path", "path_exists", "invalid_url", "invalid_state", "owner_required"],
    emits: "resource.updated",
  },
  getRepository: {
    method: "GET",
    path: "/api/workspaces/{id}/repos/{repo_id}",
    scope: "workspaces:read",
    summary: "Read a repository mount",
    params: one,
    answers: { 200: RepositoryView },
    errors: ["not_found"],
  },
  syncRepository: {
    method: "POST",
    path: "/api/workspaces/{id}/repos/{repo_id}/sync",
    scope: "workspaces:write",
    summary: "Bring a repository mount up to date",
    description:
      "By a job, as a clone. Files become what they are in the repository; what was changed here is kept as a version.",
    params: one,
    answers: { 202: RepositoryView },
    errors: ["not_found", "invalid_state"],
    emits: "resource.updated",
  },
  removeRepository: {
    method: "DELETE",
    path: "/api/workspaces/{id}/repos/{repo_id}",
    scope: "workspaces:write",
    summary: "Remove a repository mount",
    description: "Its files stay, as files of the workspace.",
    params: one,
    answers: { 200: RepositoryView },
    errors: ["not_found"],
    emits: "resource.deleted",
  },
});
