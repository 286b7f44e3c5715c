/** A message of a client: its check, and its content in the service's own form. */
import type { InputError } from "../../../actors/fault.ts";
import { FreeObject, isJsonObject, type Json, type JsonObject, Type } from "../../../actors/schema.ts";
import { checkedField } from "../../http/contract/body-schema.ts";
import { A2aPushBody } from "./push.ts";

/** Characters of a client's ids. */
const A2A_ID_CHARACTERS = 256;
const MESSAGE_PARTS = 64;

/** A part has one of the first four. */
export interface ClientPart {
  readonly text?: string;
  readonly raw?: string;
  readonly url?: string;
  readonly data?: Json;
  readonly filename?: string;
  readonly mediaType?: string;
}
export interface ClientMessage {
  readonly messageId: string;
  readonly contextId?: string;
  readonly taskId?: string;
  readonly role: string;
  readonly parts: readonly ClientPart[];
}

const PART_CONTENTS = ["text", "raw", "url", "data"] as const;

/** The errors of a message; `field` is its name. */
function clientMessageErrors(value: unknown, field: string): readonly InputError[] {
  if (!isJsonObject(value)) return [{ path: `/${field}`, message: `${field} must be an object` }];
  const errors: InputError[] = [];
  const add = (at: string, message: string): void => {
    errors.push({
      path: `/${field}/${at.replaceAll(/[.[]/g, "/").replaceAll("]", "")}`,
      message: `${field}.${at} ${message}`,
    });
  };
  const { messageId, role, parts } = value;
  if (!isClientId(messageId) || messageId === "")
    add("messageId", `must be a string of 1 to ${A2A_ID_CHARACTERS} characters`);
  if (role !== "ROLE_USER") add("role", "must be ROLE_USER");
  for (const name of ["contextId", "taskId"] as const)
    if (value[name] !== undefined && !isClientId(value[name]))
      add(name, `must be a string of at most ${A2A_ID_CHARACTERS} characters`);
  if (!Array.isArray(parts) || parts.length === 0 || parts.length > MESSAGE_PARTS)
    add("parts", `must be an array of 1 to ${MESSAGE_PARTS} parts`);
  else for (const [i, part] of parts.entries()) partError(part, (at, words) => add(`parts[${i}]${at}`, words));
  return errors;
}

const isClientId = (value: unknown): value is string => typeof value === "string" && value.length <= A2A_ID_CHARACTERS;

function partError(part: unknown, add: (at: string, message: string) => void): void {
  if (!isJsonObject(part)) return add("", "must be an object");
  const given = PART_CONTENTS.filter((name) => part[name] !== undefined);
  const [content] = given;
  if (given.length !== 1 || content === undefined)
    return add("", `must have exactly one of ${PART_CONTENTS.join(", ")}`);
  if (content !== "data" && typeof part[content] !== "string") return add(`.${content}`, "must be a string");
  for (const name of ["filename", "mediaType"] as const)
    if (part[name] !== undefined && typeof part[name] !== "string") add(`.${name}`, "must be a string");
  if (content === "raw" && (part["mediaType"] ?? "") === "") add(".mediaType", "is required beside raw");
}

const MessageField = checkedField<ClientMessage>(
  {
    type: "object",
    description: "A message of A2A: messageId, role, parts; contextId continues a chat, taskId answers a task",
  },
  clientMessageErrors,
);

/** The body of SendMessage and SendStreamingMessage. Unknown fields are ignored, as protocol buffers do. */
export const SendA2aBody = Type.Object({
  message: MessageField,
  configuration: Type.Optional(
    Type.Object({
      historyLength: Type.Optional(Type.Integer({ minimum: 0 })),
      returnImmediately: Type.Optional(Type.Boolean()),
      taskPushNotificationConfig: Type.Optional(A2aPushBody),
    }),
  ),
  metadata: Type.Optional(Type.Unsafe<JsonObject>(FreeObject)),
});

/** The same for operations that both transports call: they have checked it, and a message may be long. */
const CheckedMessage = checkedField<ClientMessage>({ type: "object", description: "A checked message" }, () => []);
export const BeginTaskBody = Type.Object({ ...SendA2aBody.properties, message: CheckedMessage });

/** A message for a task. */
export const TaskMessageBody = Type.Object({ message: CheckedMessage });

/** A block of a message in the service's own form. */
type OwnBlock =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image" | "file";
      readonly source: { readonly kind: "url" | "data"; readonly url: string };
      readonly name?: string;
    };

/** The content of the parts: text as it is, other data as text of JSON. */
export function partsContent(parts: readonly ClientPart[]): string | readonly OwnBlock[] {
  const blocks = parts.map(partBlock);
  const [first] = blocks;
  return blocks.length === 1 && first?.type === "text" ? first.text : blocks;
}

function partBlock({ text, raw, url, data, filename = "", mediaType = "" }: ClientPart): OwnBlock {
  if (text !== undefined) return { type: "text", text };
  if (raw === undefined && url === undefined) return { type: "text", text: JSON.stringify(data) };
  const type = mediaType.startsWith("image/") ? "image" : "file";
  const source =
    raw === undefined
      ? { kind: "url" as const, url: url ?? "" }
      : { kind: "data" as const, url: `data:${mediaType};base64,${raw}` };
  return { type, source, ...(filename === "" ? {} : { name: filename }) };
}
