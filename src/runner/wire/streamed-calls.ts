/**
 * The tool calls of a chat completion. Servers mark the pieces of a call by `index`, by `id`, by both or by neither,
 * and some give several calls the same mark; a new call is then recognized by its name and the beginning of its
 * arguments. Calls are reported at the end of the answer, in the order of their indices.
 */
import type { JsonObject } from "../../../actors/schema.ts";
import { mergedFields } from "../merged-fields.ts";
import { fieldsBeside } from "./fields-beside.ts";
import type { AnswerSink } from "../answer.ts";
import { callArguments } from "./call-arguments.ts";
import { type Frame, optionalNumber, optionalObject, optionalText, textOf, UnreadableFrame } from "./frame.ts";

interface StreamedCall {
  readonly key: string;
  readonly index: number | undefined;
  id: string;
  name: string;
  input: string;
  /** What the provider wants back with the call. */
  fields: JsonObject;
}

const KNOWN: ReadonlySet<string> = new Set(["index", "id", "type", "function"]);
const KNOWN_OF_FUNCTION: ReadonlySet<string> = new Set(["name", "arguments"]);
const isUnknown = (name: string): boolean => !KNOWN.has(name);
const isUnknownOfFunction = (name: string): boolean => !KNOWN_OF_FUNCTION.has(name);

function keep(call: StreamedCall, fields: object): void {
  call.fields = mergedFields(call.fields, fields as JsonObject);
}

export class StreamedCalls {
  private readonly sink: AnswerSink;
  private readonly calls: StreamedCall[] = [];

  constructor(sink: AnswerSink) {
    this.sink = sink;
  }

  take(piece: Frame): void {
    const index = optionalNumber(piece, "index");
    const id = textOf(piece, "id").trim();
    const made = optionalObject(piece, "function");
    const name = made === undefined ? "" : textOf(made, "name").trim();
    const input = made === undefined ? "" : (optionalText(made, "arguments") ?? "");
    const known = this.known(index, id, name, input);
    const call = known ?? this.begin(index);
    if (call.id === "") call.id = id;
    if (call.name === "") call.name = name;
    if (Object.keys(piece).some(isUnknown)) keep(call, fieldsBeside(piece, isUnknown));
    if (made !== undefined && Object.keys(made).some(isUnknownOfFunction))
      keep(call, { function: fieldsBeside(made, isUnknownOfFunction) });
    if (input === "") return;
    call.input += input;
    this.sink.callInput(call.key, input);
  }

  /** Throws if a call never got a name. */
  end(): void {
    const hasIndices = this.calls.every((call) => call.index !== undefined);
    const calls = hasIndices ? this.calls.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0)) : this.calls;
    for (const { id, name, input, fields } of calls) {
      if (name === "") throw new UnreadableFrame("a tool call has no name");
      this.sink.call({ id, name, input: callArguments(input), fields });
    }
  }

  private begin(index: number | undefined): StreamedCall {
    this.sink.beginCall();
    const call = { key: String(this.calls.length), index, id: "", name: "", input: "", fields: {} };
    this.calls.push(call);
    return call;
  }

  /** The call that a piece continues; undefined if it begins a new one. */
  private known(index: number | undefined, id: string, name: string, input: string): StreamedCall | undefined {
    const call =
      index === undefined
        ? this.calls.findLast((one) => id === "" || one.id === id)
        : this.calls.findLast((one) => one.index === index);
    if (call === undefined) return undefined;
    const isNewName = name !== "" && call.name !== "" && (name !== call.name || index === undefined);
    const isNewId = id !== "" && call.id !== "" && id !== call.id && name !== "";
    if (!isNewName && !isNewId) return call;
    // A piece may repeat the name of its call; a piece of a new call also begins new arguments.
    const beginsAgain = call.input !== "" && (input === "" || /^\s*[{[]/.test(input));
    return name !== call.name || beginsAgain ? undefined : call;
  }
}
