/** The body and the answers of an execution on v1. */
import { type Static, Type } from "../../../actors/schema.ts";
import { NOT_BLANK } from "../../http/validation.ts";

const ID_CHARACTERS = 256;

/** `POST /agents/{id}/execute`. */
export const ExecuteBody = Type.Object({
  message: Type.String({ pattern: NOT_BLANK }),
  spaceId: Type.Optional(Type.String({ maxLength: ID_CHARACTERS, description: "The workspace of a new chat" })),
  sessionId: Type.Optional(Type.String({ maxLength: ID_CHARACTERS, description: "The session to continue" })),
  chatId: Type.Optional(Type.String({ maxLength: ID_CHARACTERS, description: "The chat to continue" })),
  stream: Type.Optional(Type.Boolean({ default: false })),
});
export type ExecuteBody = Static<typeof ExecuteBody>;

/** The names under which an execution is found again. */
export interface ExecutionNames {
  readonly executionId: string;
  readonly chatId: string;
  readonly sessionId: string;
}

/** The answer with `stream: false`. */
export interface ExecutionResult extends ExecutionNames {
  readonly success: boolean;
  readonly result: string;
  /** Of the demo provider only (RUN-1). */
  readonly notice?: string;
}

/** Said when the answer cannot wait for the job: because the service restarts, or the time is up. */
export const GOES_ON_NOTICE = "The execution goes on, and its answer will be in the chat. Do not execute it again.";

/** Said wherever the demo provider answers, because it is easily taken for a model (RUN-1). */
export const DEMO_NOTICE = "This answer comes from the built-in demo provider, which is not a language model.";

/** The notice of a model, to be spread into an answer. */
export const noticeOf = (isDemo: boolean): { readonly notice?: string } => (isDemo ? { notice: DEMO_NOTICE } : {});
