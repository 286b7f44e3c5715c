/** The blocks of a message: what a model thought and what its text cites v1 does not know (CHAT-3, V1-3). */
import { ReasoningBlock, TextBlock, ToolResultBlock, ToolUseBlock } from "../../../actors/job/schema.ts";
import { AttachmentBlock } from "../../../actors/upload/terms.ts";
import { Type } from "../../../actors/schema.ts";

const PlainText = Type.Object({ type: Type.Literal("text"), text: Type.String() });

/** As v1 has them. */
export const PlainBlockView = Type.Union([PlainText, ReasoningBlock, ToolUseBlock, ToolResultBlock], {
  $id: "PlainBlock",
  title: "Plain block",
  description: "A piece of a message: text, a call of a tool, or what the tool answered",
});

export const BlockView = Type.Union([TextBlock, ReasoningBlock, ToolUseBlock, ToolResultBlock], {
  $id: "Block",
  title: "Block",
  description:
    "A piece of a message: text with what it cites, what the model thought before it, a call of a tool, or what the tool answered",
});

/** An image or a file that a user has sent, without its bytes (FILE-5). */
export const AttachmentView = Type.Object(AttachmentBlock.properties, {
  $id: "Attachment",
  title: "Attachment",
  description: "An image or a file of a message",
});
