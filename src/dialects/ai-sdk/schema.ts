/** The body of AI SDK's chat clients (`DefaultChatTransport`), as far as the service reads it. */
import { OneOf, type Static, Type } from "../../../actors/schema.ts";
import { MIB } from "../../../actors/units.ts";
import { pathId } from "../../http/contract/field.ts";
import { Id, Text } from "../../http/contract/noun.ts";

/** Characters of an id that a client chooses. */
const UI_ID_CHARACTERS = 256;
const UiId = Type.String({ minLength: 1, maxLength: UI_ID_CHARACTERS });

const UiPart = Type.Object({
  type: Type.String(),
  text: Type.Optional(Type.String()),
  url: Type.Optional(Type.String()),
  mediaType: Type.Optional(Type.String()),
  filename: Type.Optional(Type.String()),
  providerReference: Type.Optional(Type.Record(Type.String(), Type.String())),
  toolCallId: Type.Optional(Type.String()),
  state: Type.Optional(Type.String()),
  providerExecuted: Type.Optional(Type.Boolean()),
  output: Type.Optional(Type.Unknown()),
  errorText: Type.Optional(Type.String()),
  approval: Type.Optional(
    Type.Object({ id: Type.String(), approved: Type.Optional(Type.Boolean()), reason: Type.Optional(Type.String()) }),
  ),
});
export type UiPart = Static<typeof UiPart>;

const UiMessageBody = Type.Object({
  id: UiId,
  role: OneOf(["system", "user", "assistant"] as const),
  parts: Type.Array(UiPart),
});
export type UiMessageBody = Static<typeof UiMessageBody>;

export const UiChatBody = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: UI_ID_CHARACTERS, description: "The chat, in the client's words" }),
    messages: Type.Array(UiMessageBody, { description: "Only the last one is taken: the history is the service's" }),
    trigger: Type.Optional(OneOf(["submit-message", "regenerate-message"] as const)),
    messageId: Type.Optional(Type.Union([Type.String({ maxLength: UI_ID_CHARACTERS }), Type.Null()])),
  },
  { examples: [{ id: "chat-1", messages: [{ id: "m-1", role: "user", parts: [{ type: "text", text: "Hello" }] }] }] },
);
export type UiChatBody = Static<typeof UiChatBody>;

/** Bytes of a request: a client sends all messages of its chat, with their images. */
export const UI_CHAT_BYTES = 32 * MIB;

export const UiAgentId = pathId("agent", /^[A-Za-z0-9_-]{1,64}$/, Id("agt", "The agent's id"));
export const UiChatId = pathId("chat", /^[^]{1,256}$/, Text("The chat, in the client's words", "chat-1"));
