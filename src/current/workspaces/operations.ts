/** Workspaces on the current surface: list, read, make, change, delete, select (WSP-1, WSP-6, GEN-8). */
import { definedFields } from "../../../actors/changes.ts";
import { ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { newId } from "../../../actors/ids.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { type Totals, type Workspace, workspaceRef } from "../../../actors/workspace/schema.ts";
import { created, done } from "../../http/commit/commit.ts";
import { IF_MATCH } from "../../http/contract/request-headers.ts";
import { operation } from "../../operations/operation.ts";
import type { Services } from "../../operations/services.ts";
import { pageOf, pageQuery, shownPage } from "../paging.ts";
import { workspaceParams } from "../path-ids.ts";
import { doneIf, updateRecord } from "../updating.ts";
import {
  CreateWorkspaceBody,
  ownsWorkspace,
  UpdateWorkspaceBody,
  WorkspaceDetails,
  workspaceDetails,
  WorkspaceList,
  WorkspaceView,
  workspaceView,
} from "./schema.ts";

export const workspaceOperations = {
  listWorkspaces: operation(
    {
      method: "GET",
      path: "/api/workspaces",
      scope: "workspaces:read",
      summary: "List workspaces",
      query: pageQuery("workspaces"),
      answers: { 200: WorkspaceList },
    },
    async ({ system, directory, readCommitted, appPlaces }, { principal: by }, { query }) => {
      const { organizationId } = by;
      const selection = await selectionOf({ system }, by);
      if (!selection.ok) return selection;
      const read = () => directory.pageWorkspaces(organizationId, pageOf(query));
      return shownPage("workspaces", readCommitted(organizationId, read), (one) =>
        workspaceView(one, { by, ...selection.value, appPlaces }),
      );
    },
  ),

  createWorkspace: operation(
    {
      method: "POST",
      path: "/api/workspaces",
      scope: "workspaces:write",
      summary: "Create a workspace",
      body: CreateWorkspaceBody,
      answers: { 201: WorkspaceDetails },
      emits: "workspace.created",
    },
    async ({ system, appPlaces }, change, { body: { name, description = null, instructions = null } }) => {
      const { principal: by } = change;
      const selection = await selectionOf({ system }, by);
      if (!selection.ok) return selection;
      const command = { kind: "create_workspace", name, description, instructions, createdBy: by.userId } as const;
      const ref = workspaceRef(by.organizationId, newId("wsp"));
      return change.commit([ask(ref, command)], (workspace) =>
        created(workspaceDetails(workspace, EMPTY_TOTALS, { by, ...selection.value, appPlaces })),
      );
    },
  ),

  getWorkspace: operation(
    {
      method: "GET",
      path: "/api/workspaces/{id}",
      scope: "workspaces:read",
      summary: "Read a workspace",
      params: workspaceParams,
      answers: { 200: WorkspaceDetails },
    },
    async ({ system, appPlaces }, { principal: by }, { params: { id } }) => {
      const ref = workspaceRef(by.organizationId, id);
      const read = await system.dispatchGroup([
        ask(ref, { kind: "read_workspace" }),
        ask(ref, { kind: "read_totals" }),
        ask(organizationRef(by.organizationId), { kind: "read_selection", userId: by.userId }),
      ]);
      if (!read.ok) return read;
      const [workspace, totals, selection] = read.value as [Workspace, Totals, Selection];
      return ok(workspaceDetails(workspace, totals, { by, ...selection, appPlaces }));
    },
  ),

  updateWorkspace: operation(
    {
      method: "PATCH",
      path: "/api/workspaces/{id}",
      scope: "workspaces:write",
      summary: "Update a workspace",
      description: "Omitted fields are unchanged.",
      params: workspaceParams,
      headers: IF_MATCH,
      body: UpdateWorkspaceBody,
      answers: { 200: WorkspaceDetails },
      errors: ["forbidden"],
      emits: "resource.updated",
    },
    async ({ system, appPlaces }, change, { params: { id }, headers, body }) => {
      const { principal: by } = change;
      const owned = await unlessTheirs(system, by, id);
      if (!owned.ok) return owned;
      const selection = await selectionOf({ system }, by);
      if (!selection.ok) return selection;
      const totals = await totalsOf(system, by, id);
      if (!totals.ok) return totals;
      const changes = definedFields(body);
      const command = { kind: "update_workspace", changes, version: headers["if-match"] ?? null } as const;
      const ref = workspaceRef(by.organizationId, id);
      return updateRecord(change, [ask(ref, { kind: "read_workspace" }), ask(ref, command)], (workspace) =>
        workspaceDetails(workspace, totals.value, { by, ...selection.value, appPlaces }),
      );
    },
  ),

  deleteWorkspace: operation(
    {
      method: "DELETE",
      path: "/api/workspaces/{id}",
      scope: "workspaces:write",
      summary: "Delete a workspace",
      description: "Deletes its files too; missions in it fail. The organization's first workspace cannot be deleted.",
      params: workspaceParams,
      answers: { 200: WorkspaceView },
      errors: ["forbidden"],
      emits: "resource.deleted",
    },
    async ({ system, appPlaces }, change, { params: { id } }) => {
      const { principal: by } = change;
      const selection = await selectionOf({ system }, by);
      if (!selection.ok) return selection;
      if (id === selection.value.defaultId)
        return refuse({ kind: "forbidden", message: "The organization's first workspace cannot be deleted" });
      const owned = await unlessTheirs(system, by, id);
      if (!owned.ok) return owned;
      const deleted = ask(workspaceRef(by.organizationId, id), { kind: "delete_workspace" });
      const telling = ask(organizationRef(by.organizationId), { kind: "workspace_deleted", workspaceId: id });
      return change.commit([deleted, telling], (workspace) =>
        done({ ...workspaceView(workspace, { by, ...selection.value, appPlaces }), allowed_actions: [] }),
      );
    },
  ),

  selectWorkspace: operation(
    {
      method: "POST",
      path: "/api/workspaces/{id}/select",
      scope: "workspaces:write",
      summary: "Set the active workspace",
      description: "Each user has an active workspace of their own.",
      params: workspaceParams,
      answers: { 200: WorkspaceDetails },
      emits: "workspace.selected",
    },
    async ({ system, appPlaces }, change, { params: { id } }) => {
      const { principal: by } = change;
      const totals = await totalsOf(system, by, id);
      if (!totals.ok) return totals;
      const selection = await selectionOf({ system }, by);
      if (!selection.ok) return selection;
      const { defaultId } = selection.value;
      const { organizationId, userId } = by;
      const select = { kind: "select_workspace", userId, workspaceId: id } as const;
      return change.commit(
        [
          ask(workspaceRef(organizationId, id), { kind: "read_workspace" }),
          ask(organizationRef(organizationId), select),
        ],
        (workspace, [, { isUnchanged }]) =>
          doneIf(!isUnchanged, workspaceDetails(workspace, totals.value, { by, selectedId: id, defaultId, appPlaces })),
      );
    },
  ),
};

/** A new workspace is empty. */
const EMPTY_TOTALS = { bytes: 0, files: 0 };

const totalsOf = (system: Services["system"], by: Principal, id: string): Promise<Outcome<Totals>> =>
  system.dispatch(workspaceRef(by.organizationId, id), { kind: "read_totals" });

/** Refuses callers who neither created the workspace nor own the organization (WSP-15). */
async function unlessTheirs(system: Services["system"], by: Principal, id: string): Promise<Outcome<null>> {
  const workspace = await system.dispatch(workspaceRef(by.organizationId, id), { kind: "read_workspace" });
  if (!workspace.ok) return workspace;
  if (ownsWorkspace(workspace.value, by)) return ok(null);
  const message = "Only the person who made the workspace and owners of the organization change or delete it";
  return refuse({ kind: "forbidden", message });
}

interface Selection {
  readonly selectedId: string | null;
  readonly defaultId: string | null;
}

const selectionOf = (
  { system }: Pick<Services, "system">,
  { organizationId, userId }: Principal,
): Promise<Outcome<Selection>> => system.dispatch(organizationRef(organizationId), { kind: "read_selection", userId });
