/** A workspace on the current surface: the view, and the bodies that create or change one (WSP-1, GEN-8). */
import type { Principal } from "../../../actors/organization/principal.ts";
import { Nullable, Type } from "../../../actors/schema.ts";
import type { Totals, Workspace } from "../../../actors/workspace/schema.ts";
import { NOT_BLANK } from "../../http/contract/body-schema.ts";
import { Count, fieldsFrom, Id, listOf, noun, Text } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";
import type { AppPlaces } from "../../operations/app-places.ts";
import { AppView, appView } from "./app-schema.ts";
import { RepositoryView, repositoryView } from "./repository-schema.ts";
import { permittedActions, RECORD, recordView } from "../record.ts";

/** Characters of a name, and of a description. */
const WORKSPACE_NAME_CHARACTERS = 200;
const DESCRIPTION_CHARACTERS = 2_000;
/** Characters of the instructions for jobs in this workspace. */
const INSTRUCTIONS_CHARACTERS = 20_000;

const WorkspaceName = Type.String({ pattern: NOT_BLANK, maxLength: WORKSPACE_NAME_CHARACTERS });
const OptionalText = (maxLength: number) => Type.Optional(Nullable(Type.String({ maxLength })));
const MORE = {
  description: OptionalText(DESCRIPTION_CHARACTERS),
  instructions: OptionalText(INSTRUCTIONS_CHARACTERS),
};

/** `POST /api/workspaces` */
export const CreateWorkspaceBody = Type.Object(
  { name: WorkspaceName, ...MORE },
  { examples: [{ name: "Quarterly report", instructions: "Write in British English." }] },
);
/** `PATCH /api/workspaces/{id}` */
export const UpdateWorkspaceBody = Type.Object(
  { name: Type.Optional(WorkspaceName), ...MORE },
  { examples: [{ name: "Yearly report" }] },
);

const WORKSPACE = {
  id: Id("wsp", "The workspace's id"),
  name: Text("Display name", "Default"),
  description: Nullable(Type.String()),
  instructions: Nullable(Type.String({ description: "Instructions for the agents that work here" })),
  selected: Type.Boolean({ description: "Whether the caller has selected it" }),
  created_by: Id("usr", "The user who created it"),
  repos: Type.Array(RepositoryView),
  apps: Type.Array(AppView, { description: "Apps of the workspace" }),
  ...RECORD,
};
export const WorkspaceView = noun(
  "Workspace",
  "A place for the work of an organization, with its files, repositories and apps",
  WORKSPACE,
);
export const WorkspaceDetails = noun("WorkspaceDetails", "A workspace with its storage usage", {
  ...WORKSPACE,
  storage: noun("WorkspaceStorage", "Storage usage of a workspace", {
    bytes: Count("Bytes of all files, without their former versions"),
    files: Count("Number of files"),
  }),
});
export const WorkspaceList = listOf("WorkspaceList", "workspaces", WorkspaceView);

interface WorkspaceReader {
  readonly by: Principal;
  /** The workspace that the caller has selected. */
  readonly selectedId: string | null;
  /** The organization's first workspace, which cannot be deleted. */
  readonly defaultId: string | null;
  readonly appPlaces: Pick<AppPlaces, "urlOf">;
}

/** Whether this person may change and delete the workspace: its creator and owners may. */
export const ownsWorkspace = ({ createdBy }: Workspace, { role, userId }: Principal): boolean =>
  role === "owner" || createdBy === userId;

const workspaceFields = fieldsFrom(WorkspaceView);

export const workspaceView = (
  workspace: Workspace,
  { by, selectedId, defaultId, appPlaces }: WorkspaceReader,
): Shown<typeof WorkspaceView> => {
  const { id } = workspace;
  const self = `/api/workspaces/${id}`;
  return {
    ...workspaceFields(workspace),
    selected: selectedId === id,
    repos: (workspace.repos ?? []).map(repositoryView),
    apps: (workspace.apps ?? []).map((app) => appView(app, appPlaces.urlOf(app.label))),
    ...recordView(
      workspace,
      {
        self,
        files: `${self}/files`,
        repos: `${self}/repos`,
        apps: `${self}/apps`,
        chats: `/api/chats?workspace_id=${id}`,
        jobs: `/api/jobs?workspace_id=${id}`,
        tasks: `/api/tasks?workspace_id=${id}`,
      },
      permittedActions(by, "workspaces:write", [
        ...(ownsWorkspace(workspace, by) ? ["update", ...(id === defaultId ? [] : ["delete"])] : []),
        "select",
      ]),
    ),
  };
};

export const workspaceDetails = (
  workspace: Workspace,
  { bytes, files }: Pick<Totals, "bytes" | "files">,
  reader: WorkspaceReader,
): Shown<typeof WorkspaceDetails> => ({ ...workspaceView(workspace, reader), storage: { bytes, files } });
