/**
 * Reads the body of an answer as it arrives. No pipes and no copies: each chunk of the socket is read and reported in
 * one step.
 *
 *   first character ─┬─ `{` or `[` ─▶ all of it, as one JSON value: the server has ignored `stream`
 *                    └─ another one ▶ frames, up to the end of the answer
 *
 * What follows the end is read without a look, so that the connection can be used again; a connection that stays open
 * is closed soon.
 */
import type { MaybePromise } from "../../../actors/maybe-promise.ts";
import { NumberLimitError, parseExact } from "../../../actors/exact-json.ts";
import { type JsonLimits, parseWithin } from "../../../actors/json-shape.ts";
import { AnswerRefused, MAX_FRAME_DEPTH, MAX_INPUT_VALUES, MAX_WHOLE_BYTES } from "../answer-limits.ts";
import { PASSED_PIECE_BYTES, readRest, slices } from "../provider-fetch.ts";
import type { AnswerListener } from "../stream-call.ts";
import { EventFrames } from "./event-frames.ts";
import { NUMBER_WORDS, UnreadableFrame } from "./frame.ts";
import type { FrameReader } from "./wire-format.ts";

const WHOLE: JsonLimits = { depth: MAX_FRAME_DEPTH, values: MAX_INPUT_VALUES };

interface AnswerBodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  /** Bun's extension of readers: reads all arrived chunks, without a promise if there are any. */
  readMany(): MaybePromise<{ readonly done: boolean; readonly value: readonly Uint8Array[] }>;
  cancel(): Promise<void>;
}

/** Rejects with the provider's fault. */
export async function readAnswer(
  stream: ReadableStream<Uint8Array>,
  frames: FrameReader,
  listener: Omit<AnswerListener, "sink">,
): Promise<void> {
  const reader = stream.getReader() as unknown as AnswerBodyReader;
  let hasEnded = false;
  try {
    hasEnded = await readAnswerBody(reader, frames, listener);
  } finally {
    if (hasEnded) void readRest(reader);
    // No effect on a stream that has ended; closes one that was abandoned.
    else reader.cancel().catch(() => {});
  }
}

/** Whether the answer has ended before its body. */
async function readAnswerBody(
  reader: AnswerBodyReader,
  frames: FrameReader,
  { touch, isOver, charged }: Omit<AnswerListener, "sink">,
): Promise<boolean> {
  const events = new EventFrames((frame) => frames.take(frame));
  let hasBegun = false;
  while (!isOver()) {
    const read = reader.readMany();
    const { done, value: chunks } = read instanceof Promise ? await read : read;
    if (done) {
      charged(() => frames.ended(false));
      return false;
    }
    touch();
    for (const chunk of chunks) {
      if (!hasBegun) {
        const first = chunk.find((byte) => !BLANK_BYTES.has(byte));
        if (first === OBJECT || first === LIST_START) {
          await readWholeAnswer(reader, { frames, chunks, touch, charged });
          return false;
        }
        hasBegun = first !== undefined;
      }
      for (let from = 0; from < chunk.length && !isOver(); from += PASSED_PIECE_BYTES) {
        const piece = chunk.length <= PASSED_PIECE_BYTES ? chunk : chunk.subarray(from, from + PASSED_PIECE_BYTES);
        const turn = slices.take(
          charged(() => {
            const cost = events.read(piece);
            if (events.isDone) frames.ended(true);
            return cost;
          }),
        );
        if (turn !== null) await turn;
        if (events.isDone) return true;
      }
    }
  }
  return true;
}

/** Blanks and the mark of byte order, which may come before a JSON value. */
const BLANK_BYTES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);
const OBJECT = 0x7b;
const LIST_START = 0x5b;

async function readWholeAnswer(
  reader: AnswerBodyReader,
  {
    frames,
    chunks: first,
    touch,
    charged,
  }: Pick<AnswerListener, "touch" | "charged"> & {
    readonly frames: FrameReader;
    readonly chunks: readonly Uint8Array[];
  },
): Promise<void> {
  const chunks = [...first];
  let size = chunks.reduce((sum, { length }) => sum + length, 0);
  for (;;) {
    if (size > MAX_WHOLE_BYTES) throw new AnswerRefused(`it has more than ${MAX_WHOLE_BYTES} bytes in one value`);
    const { done, value } = await reader.read();
    if (done || value === undefined) break;
    touch();
    chunks.push(value);
    size += value.length;
  }
  const turn = slices.take(size);
  if (turn !== null) await turn;
  charged(() => {
    const answer = parsedWhole(new TextDecoder().decode(Buffer.concat(chunks, size)));
    if (answer === undefined) throw new UnreadableFrame("the body is not JSON");
    frames.whole(answer);
  });
}

/** The numbers of arguments keep their digits. */
function parsedWhole(text: string): unknown {
  try {
    return parseWithin(text, WHOLE, parseExact);
  } catch (cause) {
    throw cause instanceof NumberLimitError ? new AnswerRefused(NUMBER_WORDS) : cause;
  }
}
