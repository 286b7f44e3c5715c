/**
 * The `messages` of a chat completion: what the agent is told (system and developer messages), the conversation so far,
 * and what is new, which is the last user's message or the results of the client's tools.
 */
import type { InputError } from "../../../actors/fault.ts";
import type { ToolResultBlock, ToolUseBlock } from "../../../actors/job/schema.ts";
import { isJsonObject, type JsonObject } from "../../../actors/schema.ts";
import { parseJsonObject } from "../../http/body/json-body.ts";
import type { GivenBlock, GivenContent } from "../../work/content-blocks.ts";
import type { GivenResult } from "../runs/client-results.ts";
import type { GivenPast } from "../runs/past-messages.ts";
import { callOfId } from "./call-id.ts";

/** A message as the client sends it, checked by `messageErrors`. */
export interface CompletionMessage {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool";
  readonly content?: string | readonly JsonObject[] | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

const CHAT_ROLES: readonly string[] = ["system", "developer", "user", "assistant", "tool"];

/** The errors of `messages`, each with its place. */
export function messageErrors(value: unknown, field: string): readonly InputError[] {
  if (!Array.isArray(value) || value.length === 0)
    return [{ path: `/${field}`, message: `${field} must be a list with at least one message` }];
  const errors = value.flatMap((message: unknown, at) => errorsOfMessage(message, `/${field}/${at}`));
  const last = (value as readonly CompletionMessage[]).at(-1)?.role;
  if (errors.length === 0 && last !== "user" && last !== "tool")
    return [
      { path: `/${field}/${value.length - 1}/role`, message: "The last message must be of the role user or tool" },
    ];
  return errors;
}

function errorsOfMessage(message: unknown, path: string): InputError[] {
  if (!isJsonObject(message)) return [{ path, message: "A message must be an object with a role" }];
  const { role, content = null, tool_calls: calls, tool_call_id: callId } = message;
  if (typeof role !== "string" || !CHAT_ROLES.includes(role))
    return [{ path: `${path}/role`, message: `role must be one of: ${CHAT_ROLES.join(", ")}` }];
  if (role === "tool" && typeof callId !== "string")
    return [{ path: `${path}/tool_call_id`, message: "A message of the role tool needs tool_call_id" }];
  if (role === "assistant" && calls !== undefined && calls !== null && !isCalls(calls))
    return [
      {
        path: `${path}/tool_calls`,
        message: 'tool_calls must be a list of {id, type: "function", function: {name, arguments}}',
      },
    ];
  if (content === null)
    return role === "assistant" ? [] : [{ path: `${path}/content`, message: "Missing required field: content" }];
  if (typeof content === "string") return [];
  if (!Array.isArray(content))
    return [{ path: `${path}/content`, message: "content must be a string or a list of parts" }];
  return content.flatMap((part: unknown, at) => errorsOfPart(part, role, `${path}/content/${at}`));
}

const isCalls = (calls: unknown): boolean =>
  Array.isArray(calls) &&
  calls.every(
    (call: unknown) =>
      isJsonObject(call) &&
      typeof call["id"] === "string" &&
      isJsonObject(call["function"]) &&
      typeof call["function"]["name"] === "string" &&
      typeof call["function"]["arguments"] === "string",
  );

function errorsOfPart(part: unknown, role: string, path: string): InputError[] {
  const type = isJsonObject(part) ? part["type"] : undefined;
  if (!isJsonObject(part)) return [{ path, message: "A part must be an object with a type" }];
  if (type === "text" || type === "refusal")
    return typeof part[type] === "string"
      ? []
      : [{ path: `${path}/${type}`, message: `Missing required field: ${type}` }];
  if (role === "user" && type === "image_url")
    return imageUrl(part) === null ? [{ path: `${path}/image_url`, message: "image_url must be {url}" }] : [];
  if (role === "user" && type === "file")
    return isJsonObject(part["file"]) &&
      (typeof part["file"]["file_data"] === "string" || typeof part["file"]["file_id"] === "string")
      ? []
      : [
          {
            path: `${path}/file`,
            message: "file must be {file_data} with a data URL, or {file_id} with the id of an upload",
          },
        ];
  const taken = role === "user" ? "text, image_url, file" : "text";
  return [{ path: `${path}/type`, message: `Parts of the role ${role} may be: ${taken}` }];
}

function imageUrl(part: JsonObject): string | null {
  const image = part["image_url"];
  const url = isJsonObject(image) ? image["url"] : image;
  return typeof url === "string" && url !== "" ? url : null;
}

/** What a request asks for. */
export interface AskedConversation {
  readonly instructions: string;
  readonly history: readonly GivenPast[];
  readonly asked:
    | { readonly kind: "message"; readonly content: GivenContent; readonly field: string }
    | { readonly kind: "results"; readonly jobId: string | null; readonly results: readonly GivenResult[] };
}

/** `places`: where each message is in the body. */
export function askedConversation(
  messages: readonly CompletionMessage[],
  places: readonly string[] = messages.map((_, at) => `messages/${at}`),
): AskedConversation {
  const instructions = messages.filter(({ role }) => role === "system" || role === "developer").map(textOf);
  const said = messages
    .map((message, at) => ({ message, at: places[at] ?? "" }))
    .filter(({ message }) => isTurn(message));
  const lastOther = said.findLastIndex(({ message }) => message.role !== "tool");
  const results = said.slice(lastOther + 1);
  if (results.length > 0) return { instructions: instructions.join("\n\n"), history: [], asked: askedResults(results) };
  const last = said.at(-1);
  const history = said.slice(0, -1).map(({ message, at }) => pastOf(message, at));
  const content = last === undefined ? "" : messageContent(last.message);
  const field = `${last?.at ?? "messages/0"}/content`;
  return { instructions: instructions.join("\n\n"), history, asked: { kind: "message", content, field } };
}

/** Fields that name the call of a result, other than `tool_call_id`. */
const CALL_FIELDS: Readonly<Record<string, string>> = { input: "call_id" };

const isTurn = ({ role }: CompletionMessage): boolean => role === "user" || role === "assistant" || role === "tool";

/** The results at the end of the messages; they belong to one run. */
function askedResults(
  messages: readonly { readonly message: CompletionMessage; readonly at: string }[],
): AskedConversation["asked"] {
  const named = messages.map(({ message }) => callOfId(message.tool_call_id ?? ""));
  const jobId = named[0]?.jobId ?? null;
  const isOneRun = named.every((call) => call?.jobId === jobId);
  const results = messages.map(({ message, at }, i) => ({
    kind: "result" as const,
    callId: named[i]?.callId ?? "",
    content: textOf(message),
    isError: false,
    field: `${at}/${CALL_FIELDS[at.split("/")[0] ?? ""] ?? "tool_call_id"}`,
  }));
  return { kind: "results", jobId: isOneRun ? jobId : null, results };
}

/** The text of a message; images and files left out. */
export function textOf({ content }: Pick<CompletionMessage, "content">): string {
  if (typeof content === "string") return content;
  return (content ?? []).flatMap((part) => (typeof part["text"] === "string" ? [part["text"]] : [])).join("\n\n");
}

function messageContent({ content }: CompletionMessage): GivenContent {
  if (typeof content === "string" || content === undefined || content === null) return content ?? "";
  const blocks = content.map(messageBlock);
  const isText = blocks.every(({ type }) => type === "text");
  return isText ? textOf({ content }) : blocks;
}

function messageBlock(part: JsonObject): GivenBlock {
  if (part["type"] === "text") return { type: "text", text: String(part["text"]) };
  if (part["type"] === "image_url") return { type: "image", source: contentSource(imageUrl(part) ?? "") };
  const file = part["file"] as JsonObject;
  const name = typeof file["filename"] === "string" ? { name: file["filename"] } : {};
  const data = file["file_data"];
  const source =
    typeof data === "string" ? contentSource(data) : ({ kind: "upload", file_id: String(file["file_id"]) } as const);
  return { type: "file", source, ...name };
}

/** A data URL has the content; any other is fetched by the guarded client. */
export const contentSource = (url: string) =>
  url.startsWith("data:") ? ({ kind: "data", url } as const) : ({ kind: "url", url } as const);

function pastOf(message: CompletionMessage, at: string): GivenPast {
  const { role, tool_calls: calls } = message;
  if (role === "user") return { role, content: messageContent(message), field: `${at}/content` };
  if (role === "tool") return { role: "assistant", blocks: [resultBlock(message)] };
  const text = textOf(message);
  const said = text === "" ? [] : [{ type: "text" as const, text }];
  return { role: "assistant", blocks: [...said, ...(calls ?? []).map(callBlock)] };
}

const resultBlock = (message: CompletionMessage): ToolResultBlock => ({
  type: "tool_result",
  tool_use_id: message.tool_call_id ?? "",
  content: textOf(message),
  is_error: false,
});

const callBlock = ({
  id,
  function: { name, arguments: text },
}: NonNullable<CompletionMessage["tool_calls"]>[number]): ToolUseBlock => ({
  type: "tool_use",
  id,
  name,
  input: callInput(text),
});

/** The arguments as an object. A text that is not a JSON object, or that a body could not contain, is kept as it is. */
function callInput(text: string): JsonObject {
  const object = parseJsonObject(text);
  return object.ok ? object.value : { arguments: text };
}
