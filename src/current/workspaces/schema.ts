/** A workspace as the current surface shows it (GEN-8). */
import { Nullable, Type } from "../../../actors/schema.ts";
import type { Workspace } from "../../../actors/organization/schema.ts";
import { Id, listOf, noun, Text } from "../../http/noun.ts";
import type { Shown } from "../../http/operation.ts";
import { RECORD, recordView } from "../record.ts";

export const WorkspaceView = noun("Workspace", "Where work of an organization happens", {
  id: Id("wsp", "The workspace's id"),
  name: Text("What people call it", "Default"),
  description: Nullable(Type.String()),
  created_by: Id("usr", "Who made it"),
  ...RECORD,
});
export const WorkspaceList = listOf("WorkspaceList", "workspaces", WorkspaceView);

/** Nothing can be done to a workspace yet, so it has no verbs. */
export const workspaceView = (workspace: Workspace): Shown<typeof WorkspaceView> => ({
  id: workspace.id,
  name: workspace.name,
  description: workspace.description,
  created_by: workspace.createdBy,
  ...recordView(
    workspace,
    {
      self: `/api/workspaces/${workspace.id}`,
      chats: `/api/chats?workspace_id=${workspace.id}`,
      jobs: `/api/jobs?workspace_id=${workspace.id}`,
      tasks: `/api/tasks?workspace_id=${workspace.id}`,
    },
    [],
  ),
});
