/** The conversation in the words of the AI SDK. */
import type { ModelMessage, ToolResultPart } from "ai";
import type { Message, SpokenResult } from "../conversation.ts";

export function modelMessages(messages: readonly Message[]): ModelMessage[] {
  return messages.map((message): ModelMessage => {
    switch (message.role) {
      case "user":
        return { role: "user", content: message.text };
      case "assistant":
        return {
          role: "assistant",
          content: message.parts.map((part) =>
            part.kind === "text"
              ? { type: "text", text: part.text }
              : { type: "tool-call", toolCallId: part.id, toolName: part.name, input: part.input },
          ),
        };
      case "tool":
        return { role: "tool", content: message.results.map(resultPart) };
    }
  });
}

const resultPart = ({ id, name, text, isError }: SpokenResult): ToolResultPart => ({
  type: "tool-result",
  toolCallId: id,
  toolName: name,
  output: { type: isError ? "error-text" : "text", value: text },
});
