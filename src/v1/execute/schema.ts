/** The body and the answers of an execution on v1. */
import { PARTIAL_ANSWER } from "../../../actors/job/partial-answer.ts";
import { BLOCKED_REASONS } from "../../../actors/job/schema.ts";
import { STOP_REASONS, type StopReason } from "../../../actors/job/stop-reason.ts";
import { OneOf, type Static, type TSchema, Type } from "../../../actors/schema.ts";
import { PlainBlockView } from "../../http/contract/block.ts";
import { Count, Id, noun, Text } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";
import { NOT_BLANK } from "../../http/contract/body-schema.ts";

const ID_CHARACTERS = 256;

/** `POST /agents/{id}/execute`. */
export const ExecuteBody = Type.Object(
  {
    message: Type.String({ pattern: NOT_BLANK }),
    spaceId: Type.Optional(Type.String({ maxLength: ID_CHARACTERS, description: "The workspace of a new chat" })),
    sessionId: Type.Optional(Type.String({ maxLength: ID_CHARACTERS, description: "The session to continue" })),
    chatId: Type.Optional(Type.String({ maxLength: ID_CHARACTERS, description: "The chat to continue" })),
    stream: Type.Optional(Type.Boolean({ default: false })),
  },
  { examples: [{ message: "Hello", stream: false }] },
);
export type ExecuteBody = Static<typeof ExecuteBody>;

const NAMES = {
  executionId: Text("The execution's id", "exec-1761955200000-x7k2m9"),
  chatId: Id("cht", "The chat that it is in"),
  sessionId: Id("ses", "Send it back to continue the conversation"),
};
/** The notice of the demo provider, and of an execution that continues (RUN-1). */
const Notice = Type.Optional(Text("A note about the answer", "This answer comes from the built-in demo provider."));

/** Why the model stopped; absent if the answer is complete (RUN-27). */
const StopReasonView = Type.Optional(
  OneOf(STOP_REASONS, {
    description: "Why the model stopped, such as `length`: the answer was cut. Absent if it stopped on its own",
  }),
);

/** The field of a stop reason, to spread into an answer. */
export const stopReasonOf = (reason: StopReason | null): { readonly stopReason?: StopReason } =>
  reason === null || reason === "stop" ? {} : { stopReason: reason };

/** The notice of an answer that is only a part, to spread into an answer. */
export function partialNotice(reason: StopReason | null): { readonly notice?: string } {
  const notice = reason === null ? undefined : PARTIAL_ANSWER[reason];
  return notice === undefined ? {} : { notice };
}

/** The ids by which a client finds an execution again. */
export type ExecutionNames = Readonly<Record<keyof typeof NAMES, string>>;

/** The answer with `stream: false`. */
export const ExecutionResult = noun("V1ExecutionResult", "The result of an execution", {
  success: Type.Boolean({ description: "Whether the agent completed its turn", examples: [true] }),
  ...NAMES,
  result: Type.Optional(Text("The agent's answer; absent if the execution is blocked without an answer", "Hello.")),
  error: Type.Optional(
    noun("V1ExecutionError", "Why the execution is blocked; absent otherwise", {
      code: OneOf(BLOCKED_REASONS, { description: "What it waits for" }),
      message: Text("In words", "The execution waits for a person to approve a tool call"),
    }),
  ),
  jobId: Type.Optional(
    Text(
      "While the execution is blocked: its job, which can be approved or resumed on the current surface",
      "job_V1StGXR8_Z5jdHi6B-myT",
    ),
  ),
  stopReason: StopReasonView,
  notice: Notice,
});
export type ExecutionResult = Shown<typeof ExecutionResult>;

const executionEvent = (name: string, description: string, data: TSchema): TSchema =>
  noun(`V1Execution${name[0]?.toUpperCase()}${name.slice(1)}Event`, description, { event: Type.Literal(name), data });

/** The events with `stream: true` (V1-3). */
export const ExecutionEvent = Type.Union(
  [
    executionEvent("meta", "The first event: the ids of the execution", Type.Object({ ...NAMES, notice: Notice })),
    executionEvent(
      "message",
      "A piece of the answer",
      Type.Union([
        Type.Object({
          messageType: Type.Literal("stream_event"),
          delta: Type.Object({ type: Type.Literal("text_delta"), text: Text("What is added", "Hel") }),
        }),
        Type.Object({
          messageType: Type.Literal("restarted", {
            description:
              "A step was restarted with different text: keep the text up to `position`, and append the next deltas",
          }),
          position: Count("Length to cut the text of all deltas to, in UTF-16 units"),
        }),
        Type.Object({
          messageType: Type.Literal("assistant"),
          message: Type.Object({ role: Type.Literal("assistant"), content: Type.Array(PlainBlockView) }),
        }),
      ]),
    ),
    executionEvent(
      "result",
      "The last event of an execution that has succeeded",
      Type.Object({
        sessionId: NAMES.sessionId,
        result: Type.Optional(Text("The whole answer; only if the stream had a `restarted` message", "Hello.")),
        usage: Type.Object({ input_tokens: Count("Tokens sent"), output_tokens: Count("Tokens received from models") }),
        stopReason: StopReasonView,
        notice: Notice,
      }),
    ),
    executionEvent(
      "error",
      "The last event of an execution that has failed",
      Type.Object({ message: Text("What went wrong", "The execution was cancelled") }),
    ),
  ],
  {
    $id: "V1ExecutionEvent",
    title: "V1ExecutionEvent",
    description: "An event of an execution: `meta`, then `message`s, then `result` or `error`",
  },
);

/** The notice when the answer cannot wait for the job, because the service restarts or the deadline has passed. */
export const GOES_ON_NOTICE = "The execution continues, and its answer will be in the chat. Do not execute it again.";

/** The notice of every demo answer, because the demo is easily mistaken for a model (RUN-1). */
export const DEMO_NOTICE = "This answer comes from the built-in demo provider, which is not a language model.";

/** The notice for a model, to spread into an answer. */
export const noticeOf = (isDemo: boolean): { readonly notice?: string } => (isDemo ? { notice: DEMO_NOTICE } : {});
