/** A message said again in a new chat, with its files: what is there stays as it is. */
import type { Attachment, ContentBlockInput } from "../../../sdk/typescript/troupe.ts";
import { service } from "../service.ts";
import type { ShownMessage, Thread } from "./thread.ts";

/** Has the agent answer `text` in place of the message, and answers the id of the new chat. */
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
