/** The blocks of a message, which both surfaces show alike (CHAT-3, V1-3). */
import { TextBlock, ToolResultBlock, ToolUseBlock } from "../../actors/job/schema.ts";
import { Type } from "../../actors/schema.ts";

export const BlockView = Type.Union([TextBlock, ToolUseBlock, ToolResultBlock], {
  $id: "Block",
  title: "Block",
  description: "A piece of a message: text, a call of a tool, or what the tool answered",
});
