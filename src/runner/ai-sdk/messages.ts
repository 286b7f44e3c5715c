/** The conversation in the format of the AI SDK. */
import type { FilePart, ModelMessage, TextPart, ToolResultPart } from "ai";
import { type MessagePart, type DataPart, isTextFile, spokenFile } from "../content.ts";
import type { SpokenMessage, SpokenResult } from "../conversation.ts";

type SaidPart = Exclude<Extract<ModelMessage, { readonly role: "assistant" }>["content"], string>[number];

/** What a provider of the SDK accepts beyond images and PDFs. */
export interface Takes {
  /**
   * Whether it accepts text files, as documents that its answers can cite. Every provider accepts text, few accept text
   * files.
   */
  readonly textFiles: boolean;
  /** Whether it accepts images and PDFs in results of tools: some would send them as text. */
  readonly resultFiles: boolean;
}

export function modelMessages(messages: readonly SpokenMessage[], takes: Takes): ModelMessage[] {
  return messages.map((message): ModelMessage => {
    switch (message.role) {
      case "user":
        return {
          role: "user",
          content:
            typeof message.content === "string"
              ? message.content
              : message.content.map((part) => sdkUserPart(part, takes)),
        };
      case "assistant":
        return {
          role: "assistant",
          content: message.parts.flatMap((part) => [
            ...((part.before ?? []) as unknown as SaidPart[]),
            part.kind === "text"
              ? { type: "text" as const, text: part.text, ...part.fields }
              : {
                  type: "tool-call" as const,
                  toolCallId: part.id,
                  toolName: part.name,
                  input: part.input,
                  ...part.fields,
                },
          ]),
        };
      case "tool":
        return { role: "tool", content: message.results.map((result) => resultPart(result, takes)) };
    }
  });
}

function sdkUserPart(part: MessagePart, { textFiles }: Takes): TextPart | FilePart {
  if (part.type === "text") return { type: "text", text: part.text };
  if (!isTextFile(part)) return filePart(part, part.mediaType);
  return textFiles ? filePart(part, "text/plain") : { type: "text", text: spokenFile(part) };
}

const filePart = ({ name, data, citations }: DataPart, mediaType: string): FilePart => ({
  type: "file",
  mediaType,
  data,
  ...(name === undefined ? {} : { filename: name }),
  ...(citations === true ? { providerOptions: { anthropic: { citations: { enabled: true } } } } : {}),
});

const resultPart = ({ id, name, text, isError, files }: SpokenResult, takes: Takes): ToolResultPart => ({
  type: "tool-result",
  toolCallId: id,
  toolName: name,
  output:
    files === undefined
      ? { type: isError ? "error-text" : "text", value: text }
      : { type: "content", value: [{ type: "text", text }, ...files.map((file) => resultFile(file, takes))] },
});

function resultFile(file: DataPart, takes: Takes) {
  const part = sdkUserPart(file, takes);
  return part.type === "text" ? part : { ...part, data: { type: "data" as const, data: file.data } };
}
