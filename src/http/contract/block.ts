/** The blocks of a message. v1 does not know reasoning and citations (CHAT-3, V1-3). */
import { ReasoningBlock, TextBlock, ToolResultBlock, ToolUseBlock } from "../../../actors/job/schema.ts";
import { AttachmentBlock } from "../../../actors/upload/terms.ts";
import { Type } from "../../../actors/schema.ts";

const PlainText = Type.Object({ type: Type.Literal("text"), text: Type.String() });
/** What a provider wants back is not shown. */
const ShownText = Type.Omit(TextBlock, ["provider_state"]);
const ShownCall = Type.Omit(ToolUseBlock, ["provider_state"]);

const PlainResult = Type.Omit(ToolResultBlock, ["attachments"]);

/** The blocks in the form of v1. */
export const PlainBlockView = Type.Union([PlainText, ReasoningBlock, ShownCall, PlainResult], {
  $id: "PlainBlock",
  title: "Plain block",
  description: "A piece of a message: text, a call of a tool, or what the tool answered",
});

/** An image or a file of a user or of a tool, without its bytes (FILE-5, FILE-10). */
export const AttachmentView = Type.Object(AttachmentBlock.properties, {
  $id: "Attachment",
  title: "Attachment",
  description: "An image or a file of a message, or of what a tool answered",
});

const ShownResult = Type.Object({
  ...PlainResult.properties,
  attachments: Type.Optional(
    Type.Array(AttachmentView, { description: "Images and files beside the text, which models that read them get" }),
  ),
});

export const BlockView = Type.Union([ShownText, ReasoningBlock, ShownCall, ShownResult], {
  $id: "Block",
  title: "Block",
  description:
    "A piece of a message: text with what it cites, what the model thought before it, a call of a tool, or what the tool answered",
});
