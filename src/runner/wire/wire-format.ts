/**
 * The port of a provider's format: how to build the request of a call, and how to read the frames of its answer. Three
 * formats implement it (`chat-completions`, `messages`, `responses`); one suite runs on them and on the AI SDK
 * (`test/runner/wire`).
 */
import type { CallSettingName, SetSettings } from "../../../actors/job/model-settings.ts";
import type { Thinking } from "../../../actors/job/model-entry.ts";
import type { ToolDescription } from "../../../actors/job/ports.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import type { AnswerSink } from "../answer.ts";
import type { SpokenMessage } from "../conversation.ts";
import type { AskedCaching } from "../prompt-caching.ts";

/** Changes to a request because its provider has refused the normal form (`concessions.ts`). */
export type Concession =
  /** Nothing that the provider wanted back earlier. */
  | "no_state"
  /** Encrypted reasoning is not requested. */
  | "no_encrypted_reasoning"
  /** Words in place of reasoning that another model has not written. */
  | "stand_in_reasoning"
  /** Google's mark for calls that another model has made, in place of a signature. */
  | "stand_in_signature"
  /** The instructions are at the head of the first message. */
  | "no_system"
  /** The assistant says something between the results of tools and a message of the user. */
  | "answer_after_tools"
  /** The cache has the provider's own lifetime. */
  | "no_cache_lifetime"
  /** Nothing is asked of the provider's cache. */
  | "no_caching"
  /** The answer starts over. */
  | "no_prefill"
  /** No schema of the answer; only our own check applies. */
  | "no_schema"
  /** Arguments of calls may come at once, and not as they are written. */
  | "no_eager_arguments"
  /** The token counts of a stream are not requested. */
  | "no_stream_options"
  /** OpenAI's newer name of the answer's length. */
  | "max_completion_tokens"
  | SettingConcession;
/** The setting of the call is not sent. */
export type SettingConcession = `no_setting ${CallSettingName}`;

export interface WireCall {
  /** The provider's name of the model. */
  readonly model: string;
  /** "" if there are no instructions. */
  readonly system: string;
  readonly messages: readonly SpokenMessage[];
  readonly tools: readonly ToolDescription[];
  /** JSON Schema that the provider must follow in its answer, or null. */
  readonly outputSchema: JsonObject | null;
  readonly settings: SetSettings;
  /** What is asked of the provider's cache; null: nothing. */
  readonly caching: AskedCaching | null;
  /** The concessions for this provider. */
  readonly concessions: ReadonlySet<Concession>;
  /** The beginning of the answer, from which the model continues; "" if it starts over. */
  readonly prefill: string;
  /** Gives a placeholder for the base64 of these bytes: text without characters that JSON escapes. */
  readonly base64: Base64;
}

export type Base64 = (data: Uint8Array) => string;

/** Reads the frames of one answer. Synchronous; throws the provider's fault. */
export interface FrameReader {
  take(frame: unknown): void;
  /** The body is one JSON value with the complete answer, instead of the requested stream. */
  whole(answer: unknown): void;
  /**
   * The stream has ended normally. The reader can report what it still held back. `isMarked`: with `[DONE]`, so that
   * nothing is missing even if the provider has named no reason.
   */
  ended(isMarked: boolean): void;
}

export interface WireFormat {
  /** Whether results of tools can have images and files. */
  readonly resultFiles: boolean;
  /** The path below the provider's versioned address. */
  readonly path: string;
  /** The body, to be serialized as JSON; undefined fields are omitted. */
  body(call: WireCall): object;
  /** `thinking`: how the text of the model holds its reasoning. */
  reader(sink: AnswerSink, thinking: Thinking): FrameReader;
}
