/** A new chat with an agent, in the person's workspace. */
import type { Agent } from "../../../sdk/typescript/troupe.ts";
import { service } from "../service.ts";

/** An example for where there is no agent yet. */
export const FIRST_AGENT = { name: "Ada", system_prompt: "Be brief." };

/** Whether the person may talk to the agent. */
export const isUsableAgent = ({ status, source, install_state }: Agent): boolean =>
  status === "active" && (source === "private" || install_state === "installed");

/** The selected workspace, or the first one if none is selected. Throws without a workspace. */
export async function activeWorkspaceId(): Promise<string> {
  const { workspaces } = await service.listWorkspaces({});
  const workspace = workspaces.find(({ selected }) => selected) ?? workspaces[0];
  if (workspace === undefined) throw new Error("There is no workspace yet: create one first.");
  return workspace.id;
}

/** Creates it, and answers its id. `workspaceId`: null for the one that the person has selected. */
export async function startChat(agentId: string, workspaceId: string | null = null): Promise<string> {
  const workspace_id = workspaceId ?? (await activeWorkspaceId());
  return (await service.createChat({ agent_id: agentId, workspace_id })).id;
}
