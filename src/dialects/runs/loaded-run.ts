/** Records that a run needs before it can begin, looked up where its first read is, so that nothing waits for them later. */
import type { FoundMessage } from "../../../actors/chat/protocol.ts";
import { chatRef } from "../../../actors/chat/schema.ts";
import type { Outcome } from "../../../actors/fault.ts";
import { newId } from "../../../actors/ids.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { Services } from "../../operations/services.ts";

/** The chat, and whether the message was sent to it. `opensChat`: the chat is that of this message alone. */
export const findMessage = (
  { system }: Pick<Services, "system">,
  { organizationId }: Pick<Principal, "organizationId">,
  { chatId, ...of }: { readonly chatId: string; readonly messageId: string; readonly opensChat: boolean },
): Promise<Outcome<FoundMessage>> => system.dispatch(chatRef(organizationId, chatId), { kind: "find_message", ...of });

/**
 * A new chat's id, looked up already, so that opening the chat does not have to wait for that. Call this beside another
 * read. Open the chat only when it has resolved: during the look-up the chat refuses long messages.
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
