/** The workspace in which the person works now. */
import { service } from "../service.ts";

/** The selected one, else the first. Throws if there is none. */
export async function activeWorkspaceId(): Promise<string> {
  const { workspaces } = await service.listWorkspaces({});
  const workspace = workspaces.find(({ selected }) => selected) ?? workspaces[0];
  if (workspace === undefined) throw new Error("There is no workspace yet: create one first.");
  return workspace.id;
}
