/** The input of a run of AG-UI, as far as the service reads it. */
import { type Json, type JsonObject, OneOf, type Static, Type } from "../../../actors/schema.ts";
import { MIB } from "../../../actors/units.ts";

/** Characters of an id that a client chooses. */
const AG_UI_ID_CHARACTERS = 256;
/** Bytes of a request: a client sends all messages of its thread, with their images. */
export const AG_UI_BYTES = 32 * MIB;

const AgUiId = Type.String({ minLength: 1, maxLength: AG_UI_ID_CHARACTERS });
const AG_UI_ROLES = ["developer", "system", "assistant", "user", "tool", "activity", "reasoning"] as const;
const AgUiMessage = Type.Object({
  id: AgUiId,
  role: OneOf(AG_UI_ROLES),
  content: Type.Optional(Type.Unknown()),
  toolCalls: Type.Optional(Type.Array(Type.Object({ id: Type.String() }))),
  toolCallId: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
});
/** A message as the client has sent it: a snapshot gives it back unchanged. */
export type AgUiMessage = Static<typeof AgUiMessage> & JsonObject;

export const AgUiInput = Type.Object(
  {
    threadId: Type.String({
      minLength: 1,
      maxLength: AG_UI_ID_CHARACTERS,
      description: "The chat, in the client's words",
    }),
    runId: AgUiId,
    messages: Type.Array(Type.Unsafe<AgUiMessage>({ ...AgUiMessage, additionalProperties: true })),
    tools: Type.Optional(
      Type.Array(
        Type.Object({ name: Type.String(), description: Type.String(), parameters: Type.Optional(Type.Unknown()) }),
      ),
    ),
    context: Type.Optional(Type.Array(Type.Object({ description: Type.String(), value: Type.String() }))),
    state: Type.Optional(Type.Unsafe<Json>(Type.Unknown())),
    resume: Type.Optional(
      Type.Array(
        Type.Object({
          interruptId: Type.String(),
          status: OneOf(["resolved", "cancelled"] as const),
          payload: Type.Optional(Type.Unknown()),
        }),
      ),
    ),
  },
  { examples: [{ threadId: "thread-1", runId: "run-1", messages: [{ id: "m-1", role: "user", content: "Hello" }] }] },
);
export type AgUiInput = Static<typeof AgUiInput>;
