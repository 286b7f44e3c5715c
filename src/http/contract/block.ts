/** The blocks of a message. v1 does not know reasoning and citations (CHAT-3, V1-3). */
import { ReasoningBlock, TextBlock, ToolResultBlock, ToolUseBlock } from "../../../actors/job/schema.ts";
import { AttachmentBlock, PlainTextBlock } from "../../../actors/upload/terms.ts";
import { Type } from "../../../actors/schema.ts";
import { noun } from "./noun.ts";

/** What a provider wants back is not shown. */
const { provider_state: _ofText, ...textProperties } = TextBlock.properties;
const { provider_state: _ofCall, ...callProperties } = ToolUseBlock.properties;
const { attachments: _, ...result } = ToolResultBlock.properties;

const ShownTextBlock = noun("TextBlock", "Text of the model, with its citations", textProperties);
const ShownCall = noun("ToolUseBlock", "A call of a tool", callProperties);
const PlainResult = noun("PlainToolResultBlock", "The result of a tool call, as text", result);

/** The blocks in the form of v1. */
export const PlainBlockView = Type.Union([PlainTextBlock, ReasoningBlock, ShownCall, PlainResult], {
  $id: "PlainBlock",
  title: "Plain block",
  description: "A piece of a message: text, reasoning, a call of a tool, or its result",
});

const ShownResult = noun("ToolResultBlock", "The result of a tool call", {
  ...result,
  attachments: Type.Optional(
    Type.Array(AttachmentBlock, { description: "Images and files beside the text, for models that can read them" }),
  ),
});

export const BlockView = Type.Union([ShownTextBlock, ReasoningBlock, ShownCall, ShownResult], {
  $id: "Block",
  title: "Block",
  description:
    "A piece of a message: text with its citations, the model's reasoning, a call of a tool, or the result of the call",
});
