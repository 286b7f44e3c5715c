/** Operations on workspaces on the current surface (WSP-1, WSP-6, GEN-8). */
import { operationGroup } from "../../http/contract/operation.ts";
import { IF_MATCH } from "../../http/contract/request-headers.ts";
import { pageQuery } from "../paging.ts";
import { WorkspaceId } from "../path-ids.ts";
import { CreateWorkspaceBody, UpdateWorkspaceBody, WorkspaceDetails, WorkspaceList, WorkspaceView } from "./schema.ts";

const params = { id: WorkspaceId };

export const workspaceOperations = operationGroup("Workspaces", "Where the work of an organization happens", {
  listWorkspaces: {
    method: "GET",
    path: "/api/workspaces",
    scope: "workspaces:read",
    summary: "List workspaces",
    query: pageQuery("workspaces"),
    answers: { 200: WorkspaceList },
    errors: ["invalid_request", "invalid_cursor"],
  },
  createWorkspace: {
    method: "POST",
    path: "/api/workspaces",
    scope: "workspaces:write",
    summary: "Create a workspace",
    body: CreateWorkspaceBody,
    answers: { 201: WorkspaceDetails },
    emits: "workspace.created",
  },
  getWorkspace: {
    method: "GET",
    path: "/api/workspaces/{id}",
    scope: "workspaces:read",
    summary: "Read a workspace",
    params,
    answers: { 200: WorkspaceDetails },
    errors: ["not_found"],
  },
  updateWorkspace: {
    method: "PATCH",
    path: "/api/workspaces/{id}",
    scope: "workspaces:write",
    summary: "Update a workspace",
    description: "Omitted fields are unchanged.",
    params,
    headers: IF_MATCH,
    body: UpdateWorkspaceBody,
    answers: { 200: WorkspaceDetails },
    errors: ["not_found", "version_conflict", "forbidden"],
    emits: "resource.updated",
  },
  deleteWorkspace: {
    method: "DELETE",
    path: "/api/workspaces/{id}",
    scope: "workspaces:write",
    summary: "Delete a workspace",
    description: "Deletes its files too; missions in it fail. The organization's first workspace cannot be deleted.",
    params,
    answers: { 200: WorkspaceView },
    errors: ["not_found", "forbidden"],
    emits: "resource.deleted",
  },
  selectWorkspace: {
    method: "POST",
    path: "/api/workspaces/{id}/select",
    scope: "workspaces:write",
    summary: "Set the active workspace",
    description: "Each user has an active workspace of their own.",
    params,
    answers: { 200: WorkspaceDetails },
    errors: ["not_found"],
    emits: "workspace.selected",
  },
});
