/** Records that a run needs before it can begin, looked up where its first read is, so that nothing waits for them later. */
import { type Chat, chatRef } from "../../../actors/chat/schema.ts";
import { notFound, ok, type Outcome } from "../../../actors/fault.ts";
import { newId } from "../../../actors/ids.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { Services } from "../../operations/services.ts";

/** The chat, with the message of this id looked up beside it: `beginRun` asks for it next. */
export async function chatWithMessage(
  { system }: Pick<Services, "system">,
  { organizationId }: Pick<Principal, "organizationId">,
  { chatId, messageId }: { readonly chatId: string; readonly messageId: string },
): Promise<Outcome<Chat>> {
  const found = await system.dispatch(chatRef(organizationId, chatId), {
    kind: "find_message",
    messageId,
    opensChat: false,
  });
  if (!found.ok) return found;
  return found.value.chat === null ? notFound("chat") : ok(found.value.chat);
}

/**
 * The id of a new chat, after a look-up has shown that there is no such chat. Ask for it beside another read: then the
 * chat's opening waits for nothing. Open the chat only afterwards: while it is looked up, it refuses long messages.
 */
export async function freshChat(
  { system }: Pick<Services, "system">,
  { organizationId }: Pick<Principal, "organizationId">,
): Promise<string> {
  const id = newId("cht");
  // A failed look-up is repeated, and reported, by the command that opens the chat.
  await system.dispatch(chatRef(organizationId, id), { kind: "read_chat" });
  return id;
}
