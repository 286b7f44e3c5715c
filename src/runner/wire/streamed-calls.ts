/**
 * The tool calls of a chat completion. Servers mark the pieces of a call by `index`, by `id`, by both or by neither,
 * and some give several calls the same mark; a new call is then recognized by its name and the beginning of its
 * arguments. Calls are reported at the end of the answer, in the order of their indices.
 */
import { type JsonObject, textOrEmpty } from "../../../actors/schema.ts";
import type { AnswerSink } from "../answer.ts";
import { fieldsBeside, isFrame, optionalText, UnreadableFrame, untrustedField, type WireFrame } from "./frame.ts";
import { mergedFields } from "../merged-fields.ts";
import { callArguments } from "./call-arguments.ts";

interface StreamedCall {
  readonly key: string;
  readonly index: number | undefined;
  id: string;
  name: string;
  input: string;
  /** The provider state of the call. */
  fields: JsonObject;
}

const KNOWN_CALL_FIELDS: ReadonlySet<string> = new Set(["index", "id", "type", "function"]);
const KNOWN_OF_FUNCTION: ReadonlySet<string> = new Set(["name", "arguments"]);
const isUnknownCallField = (name: string): boolean => !KNOWN_CALL_FIELDS.has(name);
const isUnknownOfFunction = (name: string): boolean => !KNOWN_OF_FUNCTION.has(name);

function keepCallFields(call: StreamedCall, fields: object): void {
  call.fields = mergedFields(call.fields, fields as JsonObject);
}

/** A piece of a call; missing parts are "". */
interface CallPiece {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly input: string;
  /** Whether it has the type, which only the first piece of a call needs. */
  readonly isTyped: boolean;
}

export class StreamedCalls {
  private readonly sink: AnswerSink;
  private readonly calls: StreamedCall[] = [];

  constructor(sink: AnswerSink) {
    this.sink = sink;
  }

  take(frame: WireFrame): void {
    const piece = pieceOf(frame);
    const call = this.known(piece) ?? this.begin(piece.index);
    if (call.id === "") call.id = piece.id;
    if (call.input === "") call.name = joinedName(call.name, piece.name);
    else if (call.name === "") call.name = piece.name;
    if (Object.keys(frame).some(isUnknownCallField)) keepCallFields(call, fieldsBeside(frame, isUnknownCallField));
    const made = untrustedField(frame, "function");
    if (isFrame(made) && Object.keys(made).some(isUnknownOfFunction))
      keepCallFields(call, { function: fieldsBeside(made, isUnknownOfFunction) });
    if (piece.input === "") return;
    call.input += piece.input;
    this.sink.callInput(call.key, piece.input);
  }

  /** Throws if a call never got a name, unless the answer `isCut`: it was cut before the name. */
  end(isCut: boolean): void {
    const hasIndices = this.calls.every((call) => call.index !== undefined);
    const calls = hasIndices ? this.calls.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0)) : this.calls;
    for (const { id, name, input, fields } of calls) {
      if (name !== "") this.sink.call({ id, name: name.trim(), input: callArguments(input), fields });
      else if (!isCut) throw new UnreadableFrame("a tool call has no name");
    }
  }

  private begin(index: number | undefined): StreamedCall {
    this.sink.beginCall();
    const call = { key: String(this.calls.length), index, id: "", name: "", input: "", fields: {} };
    this.calls.push(call);
    return call;
  }

  /** The call that a piece continues; undefined if it begins a new one. */
  private known({ index, id, name, input, isTyped }: CallPiece): StreamedCall | undefined {
    const call =
      index === undefined
        ? this.calls.findLast((one) => id === "" || one.id === id)
        : this.calls.findLast((one) => one.index === index);
    if (call === undefined) return undefined;
    const isNewName = name !== "" && call.name !== "" && (name !== call.name || index === undefined);
    const isNewId = id !== "" && call.id !== "" && id !== call.id && name !== "";
    if (!isNewName && !isNewId) return call;
    // A name may come in pieces before the arguments.
    const isSame = id === "" ? !isTyped : id === call.id;
    if (isSame && call.input === "") return call;
    // A piece may repeat the name of its call; a piece of a new call also begins new arguments.
    const beginsAgain = call.input !== "" && (input === "" || /^\s*[{[]/.test(input));
    return name !== call.name || beginsAgain ? undefined : call;
  }
}

function pieceOf(frame: WireFrame): CallPiece {
  const index = untrustedField(frame, "index");
  const place = typeof index === "string" && index !== "" ? Number(index) : index;
  const made = untrustedField(frame, "function");
  return {
    index: typeof place === "number" && Number.isFinite(place) ? place : undefined,
    id: (optionalText(frame, "id") ?? "").trim(),
    name: textOrEmpty(untrustedField(made, "name")),
    input: argumentsText(untrustedField(made, "arguments")),
    isTyped: textOrEmpty(untrustedField(frame, "type")) !== "",
  };
}

/** Some servers send the arguments as a value and not as its JSON. */
const argumentsText = (value: unknown): string =>
  isFrame(value) || Array.isArray(value) ? JSON.stringify(value) : textOrEmpty(value);

/** The name after its next piece, which may also repeat the whole name, or all of it so far. */
const joinedName = (name: string, piece: string): string => (piece.startsWith(name) ? piece : name + piece);
