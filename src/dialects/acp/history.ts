/** The messages of a chat as updates of a session: what an editor shows of an earlier conversation. */
import type { Json, JsonObject } from "../../../actors/schema.ts";
import { callKind, callLocations, callTitle } from "./editor-tools.ts";
import { acpCallId, textContent } from "./run-frames.ts";

/** A message as the current surface shows it. */
export interface PastAcpMessage extends JsonObject {
  readonly id: string;
  readonly role: string;
  readonly content: string;
  readonly blocks: readonly JsonObject[];
  readonly job_id: string | null;
}

export function pastUpdates(message: PastAcpMessage): readonly JsonObject[] {
  const { role, blocks, content } = message;
  if (role === "user") {
    const said = blocks.length === 0 ? [{ type: "text", text: content }] : blocks;
    return said.map((block) => chunk("user_message_chunk", message, pastContent(block)));
  }
  if (role === "assistant") return blocks.map((block) => answerUpdate(message, block));
  return [chunk("agent_thought_chunk", message, { type: "text", text: content })];
}

const chunk = (sessionUpdate: string, { id: messageId }: PastAcpMessage, content: JsonObject): JsonObject => ({
  sessionUpdate,
  messageId,
  content,
});

/** An image or a file is stored without its bytes: its name stands for it. */
function pastContent({ type, text, name, media_type: mimeType }: JsonObject): JsonObject {
  if (type === "text") return { type, text: String(text) };
  return {
    type: "text",
    text: `[${nameOf(name) ?? String(type)}${mimeType === undefined ? "" : `, ${String(mimeType)}`}]`,
  };
}

function answerUpdate(message: PastAcpMessage, block: JsonObject): JsonObject {
  const { type, text, id, name, input, tool_use_id: callId, content, is_error: isError } = block;
  if (type === "tool_use") {
    const given = input as JsonObject;
    return {
      sessionUpdate: "tool_call",
      toolCallId: acpCallId(message.job_id ?? "", String(id)),
      title: callTitle(String(name), given),
      kind: callKind(String(name)),
      status: "completed",
      locations: callLocations(given),
      rawInput: given,
    };
  }
  if (type === "tool_result")
    return {
      sessionUpdate: "tool_call_update",
      toolCallId: acpCallId(message.job_id ?? "", String(callId)),
      status: isError === true ? "failed" : "completed",
      content: [textContent(String(content))],
    };
  const kind = type === "reasoning" ? "agent_thought_chunk" : "agent_message_chunk";
  return chunk(kind, message, { type: "text", text: String(text) });
}

const nameOf = (name: Json | undefined): string | null => (typeof name === "string" ? name : null);
