/** The conversation that a client sends with its message, as the messages with which its chat is opened (DIA-5). */
import type { PastMessage } from "../../../actors/chat/protocol.ts";
import { contentText, type ToolResultBlock, type ToolUseBlock } from "../../../actors/job/schema.ts";
import { ok, type Outcome } from "../../../actors/fault.ts";
import type { MessageBlock } from "../../../actors/chat/schema.ts";
import type { Change } from "../../http/commit/commit.ts";
import { saidContent } from "../../operations/said-content.ts";
import type { Services } from "../../operations/services.ts";
import type { GivenContent } from "../../work/content-blocks.ts";
import { FORK_MESSAGES } from "../../work/forking.ts";

/** An earlier message, or a part of an earlier answer: neighbouring ones of the agent become one answer. */
export type GivenPast =
  | { readonly role: "user"; readonly content: GivenContent; readonly field: string }
  | {
      readonly role: "assistant";
      readonly blocks: readonly ({ readonly type: "text"; readonly text: string } | ToolUseBlock | ToolResultBlock)[];
    };

/** The newest messages, oldest first, with the content of users pinned. */
export async function pastMessages(
  services: Services,
  change: Change,
  given: readonly GivenPast[],
): Promise<Outcome<readonly PastMessage[]>> {
  const past: PastMessage[] = [];
  for (const message of given.slice(-FORK_MESSAGES)) {
    if (message.role === "assistant") {
      addAnswer(past, message.blocks);
      continue;
    }
    const said = await saidContent(services, change, message.content, message.field);
    if (!said.ok) return said;
    const { text, blocks = [{ type: "text", text }] } = said.value;
    past.push({ role: "user", content: text, blocks });
  }
  return ok(past);
}

function addAnswer(past: PastMessage[], blocks: readonly MessageBlock[]): void {
  const last = past.at(-1);
  const all = last?.role === "assistant" ? [...last.blocks, ...blocks] : blocks;
  const answer: PastMessage = { role: "assistant", content: contentText(all), blocks: all };
  if (last?.role === "assistant") past[past.length - 1] = answer;
  else past.push(answer);
}
