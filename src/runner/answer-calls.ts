/**
 * The tool calls of one answer while they are streamed: limits their number and the length and depth of their arguments
 * before anything parses them. Throws `AnswerRefused`.
 */
import { cutText } from "../../actors/cut-text.ts";
import { JsonShape } from "../../actors/json-shape.ts";
import type { ToolUseBlock } from "../../actors/job/schema.ts";
import {
  AnswerRefused,
  MAX_ANSWER_CALLS,
  MAX_ID_CHARS,
  MAX_INPUT_CHARS,
  MAX_INPUT_VALUES,
  MAX_CALLED_NAME_CHARS,
} from "./answer-limits.ts";
import { cleanText } from "../../actors/clean-text.ts";
import { visibleText } from "../../actors/visible-text.ts";
import { toolInput } from "./tool-input.ts";

/** A complete tool call as a provider sends it. `input`: the parsed arguments, or their text if they are not JSON. */
export interface CallMade {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** Further fields that the provider wants back with the call. */
  readonly fields?: object | undefined;
}

interface StreamedInput {
  readonly shape: JsonShape;
  chars: number;
}

export class AnswerCalls {
  private readonly inputs = new Map<string, StreamedInput>();
  private started = 0;
  private finished = 0;
  private values = 0;

  get hasBegun(): boolean {
    return this.started > 0 || this.inputs.size > 0;
  }

  start(): void {
    this.started = this.within(this.started + 1);
  }

  delta(id: string, text: string): void {
    const input = this.inputs.get(id) ?? { shape: new JsonShape(), chars: 0 };
    this.inputs.set(id, input);
    this.within(this.inputs.size);
    const before = input.shape.values;
    input.chars += text.length;
    input.shape.takeText(text);
    this.values += input.shape.values - before;
    if (input.chars > MAX_INPUT_CHARS)
      throw new AnswerRefused(`the arguments of a call have more than ${MAX_INPUT_CHARS} characters`);
    if (this.values > MAX_INPUT_VALUES)
      throw new AnswerRefused(`the arguments of its calls have more than ${MAX_INPUT_VALUES} values`);
  }

  /** An id that is too long is dropped: the job assigns one. */
  block({ id, name, input }: CallMade): ToolUseBlock {
    this.finished = this.within(this.finished + 1);
    return {
      type: "tool_use",
      id: id.length > MAX_ID_CHARS ? "" : cleanText(id),
      name: visibleText(cleanText(cutText(name, MAX_CALLED_NAME_CHARS))),
      input: toolInput(input),
    };
  }

  private within(calls: number): number {
    if (calls > MAX_ANSWER_CALLS) throw new AnswerRefused(`it has more than ${MAX_ANSWER_CALLS} tool calls`);
    return calls;
  }
}
