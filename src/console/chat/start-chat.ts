/** New chats: one with an agent, in the person's workspace, and one in which a message is said again. */
import type { Agent, Attachment, ContentBlockInput } from "../../../sdk/typescript/troupe.ts";
import { service } from "../service.ts";
import type { ShownMessage, Thread } from "./thread.ts";

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

/** Creates a chat, and answers its id. `workspaceId`: null for the one that the person has selected. */
export async function startChat(agentId: string, workspaceId: string | null = null): Promise<string> {
  const workspace_id = workspaceId ?? (await activeWorkspaceId());
  return (await service.createChat({ agent_id: agentId, workspace_id })).id;
}

/**
 * Has the agent answer `text` in place of the message, with its files, and answers the id of the new chat. What is there
 * stays as it is.
 */
export async function sayAgain(chatId: string, { id, attachments }: ShownMessage, text: string): Promise<string> {
  const content = attachments.length === 0 ? text : contentWithFiles(text, attachments);
  return (await service.forkChat(chatId, { from_message_id: id, content })).chat.id;
}

/** The same for the message that `answer` is to. Throws if it is not there any more. */
export async function answerAgain(thread: Thread, { jobId }: ShownMessage): Promise<string> {
  const asked = await thread.find(({ role, jobId: of }) => role === "user" && of === jobId);
  if (asked === undefined) throw new Error("The message of this answer is not in the chat any more.");
  return sayAgain(thread.chatId, asked, asked.content);
}

/** Results of tools have files of another kind, and are in no message of a person. */
const contentWithFiles = (text: string, files: readonly Attachment[]): ContentBlockInput[] => [
  ...(text.trim() === "" ? [] : [{ type: "text", text } as const]),
  ...files.flatMap(({ type, source, name }) =>
    source.kind === "tool" ? [] : [{ type, source, ...(name === null ? {} : { name }) }],
  ),
];
