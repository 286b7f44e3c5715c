/** A job's transcript: each block of its content as the data of a `transcript.event` of its stream (SSE-8), and back. */
import type { Json, JsonObject } from "../schema.ts";
import type { Block } from "./schema.ts";

export function transcriptEventOf(block: Block): JsonObject {
  switch (block.type) {
    case "text":
      return { kind: "assistant_text", text: block.text };
    case "tool_use":
      return { kind: "tool_use", id: block.id, name: block.name, input: block.input };
    case "tool_result":
      return { kind: "tool_result", toolUseId: block.tool_use_id, content: block.content, isError: block.is_error };
  }
}

/** The block of an event's data; null where it is none. */
export function blockOf(data: JsonObject): Block | null {
  const { kind } = data;
  if (kind === "assistant_text") return { type: "text", text: textIn(data["text"]) };
  if (kind === "tool_use") {
    return { type: "tool_use", id: textIn(data["id"]), name: textIn(data["name"]), input: data["input"] as JsonObject };
  }
  if (kind !== "tool_result") return null;
  const [id, content] = [textIn(data["toolUseId"]), textIn(data["content"])];
  return { type: "tool_result", tool_use_id: id, content, is_error: data["isError"] === true };
}

const textIn = (value: Json | undefined): string => (typeof value === "string" ? value : "");
