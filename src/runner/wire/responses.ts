/** OpenAI's responses: the request. */
import { isPdf, isTextFile, spokenFile, UnspeakableFile, type UserContent } from "../content.ts";
import type { SpokenMessage } from "../conversation.ts";
import { keyFields } from "../prompt-caching.ts";
import { isClosed } from "./closed-schema.ts";
import { ResponseEvents } from "./response-events.ts";
import { responsesSettings } from "./setting-fields.ts";
import type { Base64, WireCall, WireFormat } from "./wire-format.ts";

export const responses: WireFormat = {
  resultFiles: true,
  path: "/responses",
  body: responsesBody,
  reader: (sink) => new ResponseEvents(sink),
};

function responsesBody(call: WireCall): object {
  const { model, system, messages, tools, outputSchema, caching, concessions, base64 } = call;
  return {
    model,
    ...(system === "" ? {} : { instructions: system }),
    input: messages.flatMap((message) => responseItems(message, base64)),
    // OpenAI must store nothing, so it gets its reasoning back from us.
    store: false,
    ...responsesSettings(call),
    ...keyFields(model, caching),
    ...(reasons(model) && !concessions.has("no_encrypted_reasoning")
      ? { include: ["reasoning.encrypted_content"] }
      : {}),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, inputSchema }) => ({
            type: "function",
            name,
            description,
            parameters: inputSchema,
            // Strict mode would require every schema to list all of its properties as required.
            strict: false,
          })),
          tool_choice: "auto",
        }),
    ...(outputSchema === null
      ? {}
      : {
          text: {
            format: { type: "json_schema", name: "output", schema: outputSchema, strict: isClosed(outputSchema) },
          },
        }),
    stream: true,
  };
}

/** OpenAI refuses to encrypt the reasoning of a model that does not reason. */
const reasons = (model: string): boolean => !/^(?:gpt-3|gpt-4|chatgpt|gpt-5(?:\.\d)?-chat)/.test(model);

function responseItems(message: SpokenMessage, base64: Base64): object[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: responseUserContent(message.content, base64) }];
    case "assistant":
      return message.parts.flatMap((part) => [
        ...((part.before ?? []) as unknown as object[]),
        part.kind === "text"
          ? { ...part.fields, role: "assistant", content: part.text }
          : {
              ...part.fields,
              type: "function_call",
              call_id: part.id,
              name: part.name,
              arguments: JSON.stringify(part.input),
            },
      ]);
    case "tool":
      return message.results.map(({ id, text, isError, files }) => ({
        type: "function_call_output",
        call_id: id,
        // The format has no mark for an error.
        output: isError
          ? JSON.stringify({ error: text })
          : files === undefined
            ? text
            : responseUserContent([{ type: "text", text }, ...files], base64),
      }));
  }
}

function responseUserContent(content: UserContent, base64: Base64): object[] {
  if (typeof content === "string") return [{ type: "input_text", text: content }];
  return content.map((part, index) => {
    if (part.type === "text") return { type: "input_text", text: part.text };
    const { type, mediaType, name = `part-${index}.pdf`, data } = part;
    if (type === "image") return { type: "input_image", image_url: `data:${mediaType};base64,${base64(data)}` };
    if (isTextFile(part)) return { type: "input_text", text: spokenFile(part) };
    if (!isPdf(part)) throw new UnspeakableFile(part);
    return { type: "input_file", filename: name, file_data: `data:${mediaType};base64,${base64(data)}` };
  });
}
