/** What there is to do with workspaces on the current surface (GEN-8). */
import { Id } from "../../http/noun.ts";
import { operationGroup } from "../../http/operation.ts";
import { PAGE_QUERY } from "../paging.ts";
import { WorkspaceList, WorkspaceView } from "./schema.ts";

export const workspaceOperations = operationGroup("Workspaces", "Where the work of an organization happens", {
  listWorkspaces: {
    method: "GET",
    path: "/api/workspaces",
    scope: "workspaces:read",
    summary: "List workspaces",
    query: PAGE_QUERY,
    answers: { 200: WorkspaceList },
    errors: ["invalid_request", "invalid_cursor"],
  },
  getWorkspace: {
    method: "GET",
    path: "/api/workspaces/{id}",
    scope: "workspaces:read",
    summary: "Read a workspace",
    params: { id: Id("wsp", "The workspace's id") },
    answers: { 200: WorkspaceView },
    errors: ["not_found"],
  },
});
