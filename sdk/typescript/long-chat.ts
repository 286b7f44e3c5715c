/** Keeps a fact in a long conversation, compacts the rest, and edits an earlier message in a fork. */
import { type Chat, Troupe } from "./troupe.ts";

const troupe = new Troupe({ baseUrl: process.env["TROUPE_URL"] ?? "", token: process.env["TROUPE_TOKEN"] ?? "" });

const agent = await troupe.createAgent({ name: "Ada", system_prompt: "Be brief." });
const { workspaces } = await troupe.listWorkspaces();
const { id: chat } = await troupe.createChat({ agent_id: agent.id, workspace_id: workspaces[0]?.id ?? "" });

/** Prints what is answered: the events after those that the request's answer has seen, until the turn has ended. */
async function turn({ chat: { id, last_seq } }: { readonly chat: Chat }): Promise<void> {
  for await (const event of troupe.streamChatEvents(id, { after: String(last_seq), wait: "end" }))
    if (event.event === "message.completed") console.log(event.data.content);
}

const first = await troupe.sendMessage(chat, { content: "My name is Grace" });
await turn(first);
await turn(await troupe.sendMessage(chat, { content: "Count to three" }));

// The pinned message stays as it was said; a summary stands for the others.
await troupe.updateMessage(chat, first.message.id, { pinned: true });
await turn(await troupe.compactChat(chat, { instructions: "Keep all numbers." }));
const { summary } = await troupe.getChat(chat);
console.log(`The summary stands for ${summary?.messages} messages`);

// This chat stays as it is: the new one has another message in the place of the first.
await turn(await troupe.forkChat(chat, { from_message_id: first.message.id, content: "My name is Ada" }));
