/** The blocks of a message, which both surfaces show alike, but for what a model thought, which v1 does not know (CHAT-3, V1-3). */
import { ReasoningBlock, TextBlock, ToolResultBlock, ToolUseBlock } from "../../../actors/job/schema.ts";
import { Type } from "../../../actors/schema.ts";

export const BlockView = Type.Union([TextBlock, ReasoningBlock, ToolUseBlock, ToolResultBlock], {
  $id: "Block",
  title: "Block",
  description:
    "A piece of a message: text, what the model thought before it, a call of a tool, or what the tool answered",
});
