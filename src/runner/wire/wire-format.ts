/**
 * The port of a provider's format: how a call is asked, and how the frames of its answer are read.
 * Three formats implement it (`chat-completions`, `messages`, `responses`); one suite runs on them
 * and on the AI SDK (`test/runner/wire`).
 */
import type { ToolDescription } from "../../../actors/job/ports.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import type { AnswerSink } from "../answer.ts";
import type { Message } from "../conversation.ts";

export interface WireCall {
  /** As the provider names it. */
  readonly model: string;
  /** "" where there are no instructions. */
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescription[];
  /** JSON Schema that the provider is to keep the answer to; null: none. */
  readonly outputSchema: JsonObject | null;
  /** What stands in the body for the base64 of these bytes: text without anything that JSON escapes. */
  readonly base64: Base64;
}

export type Base64 = (data: Uint8Array) => string;

/** What takes the frames of one answer. Synchronous; throws the provider's fault. */
export interface FrameReader {
  take(frame: unknown): void;
  /** The stream has ended as it should. What was still waited for can be reported now. */
  ended(): void;
}

export interface WireFormat {
  /** Below the provider's address with its version. */
  readonly path: string;
  headers(apiKey: string | null): Readonly<Record<string, string>>;
  /** The body, to be written as JSON; fields that are undefined are left out. */
  body(call: WireCall): object;
  reader(sink: AnswerSink): FrameReader;
}
