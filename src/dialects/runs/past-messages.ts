/** The conversation that a client sends with its message, as the messages with which its chat is opened (DIA-5). */
import type { PastMessage } from "../../../actors/chat/protocol.ts";
import { contentText, type ToolResultBlock, type ToolUseBlock } from "../../../actors/job/schema.ts";
import { invalid, ok, type Outcome } from "../../../actors/fault.ts";
import type { MessageBlock } from "../../../actors/chat/schema.ts";
import type { Change } from "../../http/commit/commit.ts";
import { saidContent, usableContent } from "../../operations/said-content.ts";
import type { Services } from "../../operations/services.ts";
import { attachmentCount, type GivenContent, isBlankContent } from "../../work/content-blocks.ts";
import { FORK_BYTES, FORK_MESSAGES } from "../../work/forking.ts";

/** An earlier message, or a part of an earlier answer: neighbouring ones of the agent become one answer. */
export type GivenPast =
  | { readonly role: "user"; readonly content: GivenContent; readonly field: string }
  | {
      readonly role: "assistant";
      readonly blocks: readonly ({ readonly type: "text"; readonly text: string } | ToolUseBlock | ToolResultBlock)[];
    };

/** Images and files of all earlier messages together: each is found, or fetched, before the run begins. */
const PAST_ATTACHMENTS = 80;

/** The newest messages, oldest first, with the content of users pinned. A message that says nothing is left out. */
export async function pastMessages(
  services: Services,
  change: Change,
  given: readonly GivenPast[],
): Promise<Outcome<readonly PastMessage[]>> {
  const newest = keptPast(given.filter((message) => message.role === "assistant" || !isBlankContent(message.content)));
  const usable = usablePast(newest);
  if (!usable.ok) return usable;
  const past: PastMessage[] = [];
  for (const message of newest) {
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

/** The newest messages, as many as a fork takes over (CHAT-13). */
function keptPast(given: readonly GivenPast[]): readonly GivenPast[] {
  const least = Math.max(0, given.length - FORK_MESSAGES);
  let bytes = 0;
  let from = given.length;
  for (; from > least; from--) {
    bytes += textBytes(given[from - 1]);
    if (bytes > FORK_BYTES) break;
  }
  return given.slice(from);
}

/** Bytes of a message without its images and files. */
function textBytes(message: GivenPast | undefined): number {
  const said = message?.role === "user" ? message.content : (message?.blocks ?? "");
  return Buffer.byteLength(
    typeof said === "string" ? said : JSON.stringify(said.filter(({ type }) => type !== "image" && type !== "file")),
  );
}

/** Refuses earlier messages of users that cannot be kept, before anything is fetched. */
function usablePast(given: readonly GivenPast[]): Outcome<null> {
  let attached = 0;
  for (const message of given) {
    if (message.role === "assistant") continue;
    const { content, field } = message;
    const usable = usableContent(content, field);
    if (!usable.ok) return usable;
    attached += attachmentCount(content);
    if (attached > PAST_ATTACHMENTS)
      return invalid(`/${field}`, `The earlier messages have more than ${PAST_ATTACHMENTS} images and files together`);
  }
  return ok(null);
}

function addAnswer(past: PastMessage[], blocks: readonly MessageBlock[]): void {
  const last = past.at(-1);
  const all = last?.role === "assistant" ? [...last.blocks, ...blocks] : blocks;
  const answer: PastMessage = { role: "assistant", content: contentText(all), blocks: all };
  if (last?.role === "assistant") past[past.length - 1] = answer;
  else past.push(answer);
}
