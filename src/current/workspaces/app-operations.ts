/** Operations on the apps of a workspace on the current surface (WSP-14). */
import { operationGroup } from "../../http/contract/operation.ts";
import { AppId, WorkspaceId } from "../path-ids.ts";
import { AppList, AppView, CreateAppBody } from "./app-schema.ts";

const params = { id: WorkspaceId };

export const appOperations = operationGroup(
  "Apps",
  "Directories of static files, served under addresses of their own",
  {
    listApps: {
      method: "GET",
      path: "/api/workspaces/{id}/apps",
      scope: "workspaces:read",
      summary: "List the apps of a workspace",
      description: "All at once: a workspace has at most 20.",
      params,
      answers: { 200: AppList },
      errors: ["not_found"],
    },
    createApp: {
      method: "POST",
      path: "/api/workspaces/{id}/apps",
      scope: "workspaces:write",
      summary: "Create a workspace app",
      description:
        "Anybody with its `url` may open it, and gets the files as they are then. Browsers run its scripts without any rights on the API.",
      params,
      body: CreateAppBody,
      answers: { 201: AppView },
      errors: ["not_found", "invalid_path", "path_exists"],
      emits: "workspace.app_created",
    },
    deleteApp: {
      method: "DELETE",
      path: "/api/workspaces/{id}/apps/{app_id}",
      scope: "workspaces:write",
      summary: "Delete a workspace app",
      description: "Its address stops working; its files stay.",
      params: { ...params, app_id: AppId },
      answers: { 200: AppView },
      errors: ["not_found"],
      emits: "resource.deleted",
    },
  },
);
