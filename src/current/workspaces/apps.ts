/** Operations on the apps of a workspace on the current surface (WSP-14). */
import { ok } from "../../../actors/fault.ts";
import { newId, randomText } from "../../../actors/ids.ts";
import { isoTime } from "../../../actors/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { parseDirectory, parsePath } from "../../../actors/workspace/path.ts";
import { workspaceRef } from "../../../actors/workspace/schema.ts";
import { created, done } from "../../http/commit/commit.ts";
import { operation } from "../../operations/operation.ts";
import { AppId, workspaceParams } from "../path-ids.ts";
import { AppList, AppView, appView, CreateAppBody } from "./app-schema.ts";

export const appOperations = {
  listApps: operation(
    {
      method: "GET",
      path: "/api/workspaces/{id}/apps",
      scope: "workspaces:read",
      summary: "List the apps of a workspace",
      description: "Returns all of them: a workspace has at most 20.",
      params: workspaceParams,
      answers: { 200: AppList },
    },
    async ({ system, appPlaces }, { principal }, { params: { id } }) => {
      const workspace = await system.dispatch(workspaceRef(principal.organizationId, id), { kind: "read_workspace" });
      if (!workspace.ok) return workspace;
      return ok({ apps: (workspace.value.apps ?? []).map((app) => appView(app, appPlaces.urlOf(app.label))) });
    },
  ),

  createApp: operation(
    {
      method: "POST",
      path: "/api/workspaces/{id}/apps",
      scope: "workspaces:write",
      summary: "Create a workspace app",
      description:
        "Anyone with the `url` can open the app, and gets the current files. Its scripts have no access to the API.",
      params: workspaceParams,
      body: CreateAppBody,
      answers: { 201: AppView },
      errors: ["invalid_path", "path_exists"],
      emits: "workspace.app_created",
    },
    async ({ clock, appPlaces }, change, { params: { id }, body }) => {
      const { organizationId, userId } = change.principal;
      const { name, slug, entry = "index.html" } = body;
      const path = parseDirectory(body.path ?? slug);
      if (!path.ok) return path;
      // In the form in which it is served: relative, without empty parts and `.`.
      const first = parsePath(entry, "entry");
      if (!first.ok) return first;
      const app = {
        id: newId("app"),
        name,
        slug,
        label: `${slug}-${randomText(SECRET_CHARACTERS, ALPHABET)}`,
        path: path.value.text,
        entry: first.value.text,
        createdBy: userId,
        createdAt: isoTime(clock.now()),
      };
      const directoryField = body.path === undefined ? "slug" : "path";
      const command = { kind: "create_app", app, directoryField } as const;
      return change.commit([ask(workspaceRef(organizationId, id), command)], (made) =>
        created(appView(made, appPlaces.urlOf(made.label))),
      );
    },
  ),

  deleteApp: operation(
    {
      method: "DELETE",
      path: "/api/workspaces/{id}/apps/{app_id}",
      scope: "workspaces:write",
      summary: "Delete a workspace app",
      description: "Its address stops working; its files stay.",
      params: { ...workspaceParams, app_id: AppId },
      answers: { 200: AppView },
      emits: "resource.deleted",
    },
    ({ appPlaces }, change, { params: { id, app_id: appId } }) => {
      const ref = workspaceRef(change.principal.organizationId, id);
      return change.commit([ask(ref, { kind: "delete_app", appId })], (gone) =>
        done(appView(gone, appPlaces.urlOf(gone.label))),
      );
    },
  ),
};

/** Characters allowed in host names, in one case. With the slug, a label stays under 63 characters. */
const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";

/** 62 bits, so that an app cannot be found by guessing. */
const SECRET_CHARACTERS = 12;
