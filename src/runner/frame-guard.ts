/**
 * Checks the bytes of an event stream before anything parses them: the length of each line and frame, and the depth and
 * number of its values. Finds `[DONE]`, after which nothing belongs to the answer. One pass, without buffering. Throws
 * `AnswerRefused`.
 */
import { type JsonLimits, JsonShape } from "../../actors/json-shape.ts";
import {
  AnswerRefused,
  MAX_MODEL_ANSWER_BYTES,
  MAX_FRAME_BYTES,
  MAX_FRAME_DEPTH,
  MAX_FRAME_VALUES,
  VALUE_COST,
} from "./answer-limits.ts";

const FRAME_LIMITS: JsonLimits = { depth: MAX_FRAME_DEPTH, values: MAX_FRAME_VALUES };
const LINE_FEED_CODE = 0x0a;
const RETURN_CODE = 0x0d;
const SPACE_BYTE = 0x20;
const DATA_PREFIX = Buffer.from("data:");
const DONE_MARK_BYTES = Buffer.from("[DONE]");

export class FrameGuard {
  private readonly shape = new JsonShape();
  private answerBytes = 0;
  private frameBytes = 0;
  private lineBytes = 0;
  private isAfterReturn = false;
  /** How much of the line is `data:[DONE]`; -1 if it is another line. */
  private matched = 0;
  /** Where the frame with `[DONE]` ends in the bytes that were taken last; undefined before. */
  end: number | undefined;

  /** Checks the next bytes; answers the cost of parsing them. */
  take(bytes: Uint8Array): number {
    const { shape } = this;
    this.answerBytes += bytes.length;
    if (this.answerBytes > MAX_MODEL_ANSWER_BYTES)
      throw new AnswerRefused(`it has more than ${MAX_MODEL_ANSWER_BYTES} bytes`);
    let values = -shape.values;
    for (let at = 0; at < bytes.length; at++) {
      const code = bytes[at]!;
      const isPair = code === LINE_FEED_CODE && this.isAfterReturn;
      this.isAfterReturn = code === RETURN_CODE;
      if (isPair) continue;
      if (code === LINE_FEED_CODE || code === RETURN_CODE) {
        if (this.lineBytes === 0) {
          values += this.endFrame();
          continue;
        }
        if (this.matched === DATA_PREFIX.length + DONE_MARK_BYTES.length) {
          this.end = at + 1;
          break;
        }
        this.lineBytes = 0;
        this.matched = 0;
        shape.endLine();
      } else {
        this.lineBytes++;
        if (this.matched >= 0) this.match(code);
        shape.take(code);
        if (++this.frameBytes > MAX_FRAME_BYTES)
          throw new AnswerRefused(`one of its frames has more than ${MAX_FRAME_BYTES} bytes`);
      }
    }
    this.check();
    return bytes.length + VALUE_COST * (values + shape.values);
  }

  private match(code: number): void {
    const { matched } = this;
    const expected =
      matched < DATA_PREFIX.length ? DATA_PREFIX[matched] : DONE_MARK_BYTES[matched - DATA_PREFIX.length];
    if (code === expected) this.matched++;
    else if (
      code !== SPACE_BYTE ||
      (matched !== DATA_PREFIX.length && matched !== DATA_PREFIX.length + DONE_MARK_BYTES.length)
    )
      this.matched = -1;
  }

  /** Answers the number of values in the frame. */
  private endFrame(): number {
    const { values } = this.shape;
    this.check();
    this.shape.reset();
    this.frameBytes = 0;
    return values;
  }

  private check(): void {
    if (this.shape.isWithin(FRAME_LIMITS)) return;
    throw new AnswerRefused(
      `one of its frames has more than ${MAX_FRAME_VALUES} values or is nested deeper than ${MAX_FRAME_DEPTH} levels`,
    );
  }
}
