/**
 * The chats behind a client's chat. Its name gives the first one (`namedChatId`). An edited message, or an answer that
 * is written again, continues in a fork (`branch-run.ts`), which the first chat names in its metadata from then on.
 *
 *   chat-1 ─▶ cht_a ─ metadata.ai_sdk_branch ─▶ cht_c        cht_a ─fork─▶ cht_b ─fork─▶ cht_c
 */
import type { FoundMessage } from "../../../actors/chat/protocol.ts";
import { type Chat, chatRef } from "../../../actors/chat/schema.ts";
import { ok, type Outcome } from "../../../actors/fault.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { Services } from "../../operations/services.ts";
import { namedChatId } from "../runs/begin-run.ts";
import { findMessage, keyedMessage } from "../runs/keyed-run.ts";

/** Separates the ids of this protocol from those of others. It must never change. */
export const AI_SDK = "ai-sdk";
/** The field of a chat's metadata with the id of the chat that continues it. */
export const BRANCH_FIELD = "ai_sdk_branch";

export interface UiChatName {
  readonly agentId: string;
  /** The client's id of the chat. */
  readonly name: string;
}

/** The first chat of a client's chat, and the one that continues it. */
export interface UiChats {
  readonly first: Chat;
  readonly current: Chat;
}

/** The first chat, and whether the message with this id of the client was sent to it. */
export function findUiMessage(
  services: Pick<Services, "system">,
  by: Principal,
  { agentId, name, key }: UiChatName & { readonly key: string },
): Promise<Outcome<FoundMessage>> {
  const chatId = namedChatId(by, { protocol: AI_SDK, agentId, name });
  const { messageId } = keyedMessage(by, { protocol: AI_SDK, chatId, key });
  return findMessage(services, by, { chatId, messageId });
}

/** Null: the client has sent nothing in this chat. `place`: the first chat, if it has just been asked. */
export async function findUiChats(
  { system }: Pick<Services, "system">,
  by: Principal,
  { agentId, name }: UiChatName,
  place: FoundMessage | null = null,
): Promise<Outcome<UiChats | null>> {
  if (place?.chat === null) return ok(null);
  const read = (id: string) => system.dispatch(chatRef(by.organizationId, id), { kind: "read_chat" });
  const first = place === null ? await read(namedChatId(by, { protocol: AI_SDK, agentId, name })) : ok(place.chat);
  if (!first.ok) return first.fault.kind === "not_found" ? ok(null) : first;
  const branch = first.value.metadata[BRANCH_FIELD];
  const continued = typeof branch === "string" ? await read(branch) : first;
  // A branch that was deleted, or belongs to somebody else, does not count.
  if (!continued.ok && continued.fault.kind !== "not_found") return continued;
  const isOwn = continued.ok && continued.value.createdBy === by.userId && continued.value.agentId === agentId;
  return ok({ first: first.value, current: isOwn ? continued.value : first.value });
}
