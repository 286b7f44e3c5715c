/**
 * Reads the frames of a provider's event stream from its bytes as they arrive. Of `event` only `error` matters: all
 * other names are repeated in `data`.
 *
 *   bytes ─▶ text ─▶ lines ─▶ the data of a frame, at its blank line ─▶ JSON, checked before it is parsed
 *
 * `[DONE]` is the end: nothing after it is read. Throws `AnswerRefused` beyond a limit, the provider's fault for an
 * `error` event, and `UnreadableFrame` for a frame that is not JSON. An incomplete frame at the end of the stream is
 * ignored. Costs are linear, however the bytes are split.
 */
import { NumberLimitError, parseExact } from "../../../actors/exact-json.ts";
import { JsonShape } from "../../../actors/json-shape.ts";
import {
  AnswerRefused,
  MAX_MODEL_ANSWER_BYTES,
  MAX_FRAME_BYTES,
  MAX_FRAME_DEPTH,
  MAX_FRAME_VALUES,
  VALUE_COST,
} from "../answer-limits.ts";
import { frameFault } from "../provider-faults.ts";
import { NUMBER_WORDS, UnreadableFrame } from "./frame.ts";

const EVENT_FRAME_LIMITS = { depth: MAX_FRAME_DEPTH, values: MAX_FRAME_VALUES };
/** A JSON text up to this length is within the limits of depth and values: each level takes two characters. */
const PLAIN_CHARS = 2 * MAX_FRAME_DEPTH;
/** Marks the end of a stream of chat completions; proxies send it in the other formats too. */
const DONE_MARK = "[DONE]";
const LETTER_E = 0x65;
const SPACE_CHARACTER = 0x20;
const MORE_FOLLOWS = { stream: true };

export class EventFrames {
  private readonly take: (frame: unknown) => void;
  private readonly decoder = new TextDecoder();
  private answerBytes = 0;
  /** Characters of the open frame, without the open line. */
  private frameChars = 0;
  /** The pieces of the open line, and their length. */
  private line: string[] = [];
  private lineChars = 0;
  private data: string | null = null;
  private isAfterReturn = false;
  private cost = 0;
  private isError = false;
  /** `[DONE]` has been read. */
  isDone = false;

  /** `take` gets each frame, parsed. */
  constructor(take: (frame: unknown) => void) {
    this.take = take;
  }

  /** Reads the next bytes; answers their cost. */
  read(bytes: Uint8Array): number {
    if (this.isDone) return 0;
    this.answerBytes += bytes.length;
    if (this.answerBytes > MAX_MODEL_ANSWER_BYTES)
      throw new AnswerRefused(`it has more than ${MAX_MODEL_ANSWER_BYTES} bytes`);
    this.cost = bytes.length;
    this.lines(this.withoutReturns(this.decoder.decode(bytes, MORE_FOLLOWS)));
    return this.cost;
  }

  /** Normalizes line ends to line feeds. */
  private withoutReturns(text: string): string {
    const rest = this.isAfterReturn && text.startsWith("\n") ? text.slice(1) : text;
    if (text !== "") this.isAfterReturn = text.endsWith("\r");
    return rest.includes("\r") ? rest.replaceAll("\r\n", "\n").replaceAll("\r", "\n") : rest;
  }

  private lines(text: string): void {
    let from = 0;
    for (;;) {
      const end = text.indexOf("\n", from);
      if (end < 0) break;
      this.endLine(text, from, end);
      if (this.isDone) return;
      from = end + 1;
    }
    if (from === text.length) return;
    this.line.push(from === 0 ? text : text.slice(from));
    this.lineChars += text.length - from;
    this.checkLength(this.lineChars);
  }

  /** Ends the open line with the text between the two offsets. */
  private endLine(text: string, from: number, end: number): void {
    if (this.lineChars === 0) return this.wholeLine(text, from, end);
    this.line.push(text.slice(from, end));
    const line = this.line.join("");
    this.line = [];
    this.lineChars = 0;
    this.wholeLine(line, 0, line.length);
  }

  /** Copies only the data: most frames have one line. */
  private wholeLine(text: string, from: number, end: number): void {
    if (from === end) return this.endFrame();
    this.checkLength(end - from);
    this.frameChars += end - from;
    // The line must be long enough for the colon, which must not be found in the next line.
    if (end - from < 5 || !text.startsWith("data:", from)) {
      if (text.charCodeAt(from) === LETTER_E) this.isError = isErrorName(text, from, end);
      return;
    }
    const hasSpace = from + 5 < end && text.charCodeAt(from + 5) === SPACE_CHARACTER;
    const data = text.slice(hasSpace ? from + 6 : from + 5, end);
    this.data = this.data === null ? data : `${this.data}\n${data}`;
  }

  private endFrame(): void {
    const { data, isError } = this;
    this.data = null;
    this.isError = false;
    this.frameChars = 0;
    if (data === null || data === "") return;
    if (data.startsWith(DONE_MARK) && data.trim() === DONE_MARK) {
      this.isDone = true;
      return;
    }
    this.look(data);
    if (isError) throw frameFault(parsedOrText(data));
    this.take(parseFrame(data));
  }

  private look(data: string): void {
    if (data.length <= PLAIN_CHARS) {
      // Values are not counted: a frame this short has about one value per twenty characters.
      this.cost += data.length;
      return;
    }
    const shape = new JsonShape();
    shape.takeText(data);
    this.cost += VALUE_COST * shape.values;
    if (!shape.isWithin(EVENT_FRAME_LIMITS))
      throw new AnswerRefused(
        `one of its frames has more than ${MAX_FRAME_VALUES} values or is nested deeper than ${MAX_FRAME_DEPTH} levels`,
      );
  }

  private checkLength(chars: number): void {
    if (this.frameChars + chars > MAX_FRAME_BYTES)
      throw new AnswerRefused(`one of its frames has more than ${MAX_FRAME_BYTES} bytes`);
  }
}

/** Some servers send arguments as a value. Only such frames cost the search for long numbers. */
const hasArguments = (data: string): boolean => data.includes('"arguments"') || data.includes('"input"');

function parseFrame(data: string): unknown {
  try {
    return hasArguments(data) ? parseExact(data) : JSON.parse(data);
  } catch (cause) {
    if (cause instanceof NumberLimitError) throw new AnswerRefused(NUMBER_WORDS);
    // Parsing is the only test for JSON. Drop the parser's message: it could quote the prompt.
    throw new UnreadableFrame("a frame is not JSON");
  }
}

function parsedOrText(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}

/** Whether the line names an error event; the names of others are not copied. */
function isErrorName(text: string, from: number, end: number): boolean {
  const hasSpace = text.charCodeAt(from + 6) === SPACE_CHARACTER;
  const at = hasSpace ? from + 7 : from + 6;
  return text.startsWith("error", at) && text.slice(from, end).trim() === (hasSpace ? "event: error" : "event:error");
}
