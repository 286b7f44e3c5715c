/** The `input` of a response as messages: a text, or items. */
import type { InputError } from "../../../actors/fault.ts";
import { isJsonObject, type JsonObject } from "../../../actors/schema.ts";
import type { CompletionMessage } from "./chat-messages.ts";

/** A message, and its place in the body. */
export interface InputMessage {
  readonly message: CompletionMessage;
  readonly place: string;
}

const MESSAGE_ROLES_OF_INPUT: readonly string[] = ["user", "assistant", "system", "developer"];

/** The errors of `input`, each with its place. */
export function inputErrors(value: unknown, field: string): readonly InputError[] {
  if (typeof value === "string") return value === "" ? [{ path: `/${field}`, message: "input must not be empty" }] : [];
  if (!Array.isArray(value) || value.length === 0)
    return [{ path: `/${field}`, message: "input must be a text, or a list with at least one item" }];
  return value.flatMap((item: unknown, at) => errorsOfItem(item, `/${field}/${at}`));
}

function errorsOfItem(item: unknown, path: string): InputError[] {
  if (!isJsonObject(item)) return [{ path, message: "An item must be an object" }];
  const { type = "message", role, content } = item;
  if (type === "function_call_output")
    return typeof item["call_id"] === "string"
      ? []
      : [{ path: `${path}/call_id`, message: "Missing required field: call_id" }];
  if (type === DECISION) return errorsOfDecision(item, path);
  if (type !== "message") return [];
  if (typeof role !== "string" || !MESSAGE_ROLES_OF_INPUT.includes(role))
    return [{ path: `${path}/role`, message: `role must be one of: ${MESSAGE_ROLES_OF_INPUT.join(", ")}` }];
  if (typeof content === "string") return [];
  if (!Array.isArray(content))
    return [{ path: `${path}/content`, message: "content must be a text or a list of parts" }];
  return content.flatMap((part: unknown, at) => {
    const known = isJsonObject(part) && completionPart(part) !== null;
    return known ? [] : [{ path: `${path}/content/${at}`, message: `Parts may be: ${Object.keys(PARTS).join(", ")}` }];
  });
}

const DECISION = "mcp_approval_response";

function errorsOfDecision({ approval_request_id: id, approve }: JsonObject, path: string): InputError[] {
  if (typeof id !== "string")
    return [{ path: `${path}/approval_request_id`, message: "Missing required field: approval_request_id" }];
  return typeof approve === "boolean" ? [] : [{ path: `${path}/approve`, message: "approve must be true or false" }];
}

/** A decision about a call, and its place in the body. */
export interface InputDecision {
  readonly requestId: string;
  readonly isApproved: boolean;
  readonly reason: string | null;
  readonly field: string;
}

/** The decisions at the end of the input; earlier ones are of the past. */
export function decisionsOfInput(input: string | readonly JsonObject[]): readonly InputDecision[] {
  if (typeof input === "string") return [];
  const last = input.findLastIndex(({ type }) => type !== DECISION);
  return input.slice(last + 1).map(({ approval_request_id: id, approve, reason }, at) => ({
    requestId: String(id),
    isApproved: approve === true,
    reason: typeof reason === "string" && reason !== "" ? reason : null,
    field: `input/${last + 1 + at}/approval_request_id`,
  }));
}

const PARTS: Readonly<Record<string, (part: JsonObject) => JsonObject | null>> = {
  input_text: ({ text }) => (typeof text === "string" ? { type: "text", text } : null),
  output_text: ({ text }) => (typeof text === "string" ? { type: "text", text } : null),
  text: ({ text }) => (typeof text === "string" ? { type: "text", text } : null),
  refusal: ({ refusal }) => (typeof refusal === "string" ? { type: "text", text: refusal } : null),
  input_image: ({ image_url: url }) => (typeof url === "string" ? { type: "image_url", image_url: { url } } : null),
  input_file: ({ file_data: data, file_url: url, file_id: id, filename }) => {
    const given =
      typeof data === "string" ? { file_data: data } : typeof url === "string" ? { file_data: url } : { file_id: id };
    return Object.values(given)[0] === undefined ? null : { type: "file", file: { ...given, filename } as JsonObject };
  },
};

const completionPart = (part: JsonObject): JsonObject | null => PARTS[String(part["type"])]?.(part) ?? null;

/** Items that say something; reasoning, references and calls that the service made are known to it. */
export function messagesOfInput(input: string | readonly JsonObject[]): readonly InputMessage[] {
  if (typeof input === "string") return [{ message: { role: "user", content: input }, place: "input" }];
  return input.flatMap((item, at): readonly InputMessage[] => {
    const message = messageOfItem(item);
    return message === null ? [] : [{ message, place: `input/${at}` }];
  });
}

function messageOfItem(item: JsonObject): CompletionMessage | null {
  const { type = "message", call_id: callId } = item;
  if (type === "function_call") {
    const { name, arguments: given } = item;
    const call = { id: String(callId), function: { name: String(name), arguments: String(given) } };
    return { role: "assistant", content: null, tool_calls: [call] };
  }
  if (type === "function_call_output") {
    const { output } = item;
    const content = typeof output === "string" ? output : messageParts(output);
    return { role: "tool", tool_call_id: String(callId), content };
  }
  if (type !== "message") return null;
  return { role: item["role"] as CompletionMessage["role"], content: messageParts(item["content"]) };
}

function messageParts(content: unknown): string | readonly JsonObject[] {
  if (typeof content === "string") return content;
  const parts: readonly JsonObject[] = Array.isArray(content) ? (content as readonly JsonObject[]) : [];
  return parts.flatMap((part) => {
    const known = completionPart(part);
    return known === null ? [] : [known];
  });
}
