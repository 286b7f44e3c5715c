/**
 * A model call in one of the formats that we speak ourselves: one request, whose stream is read as it arrives. No pipes
 * and no copies: each chunk of the socket is read and reported in one step.
 */
import type { ModelCall } from "../../../actors/job/ports.ts";
import type { MaybePromise } from "../../../actors/maybe-promise.ts";
import { MAX_ERROR_BYTES } from "../answer-limits.ts";
import { conversation } from "../conversation.ts";
import type { Target } from "../model-name.ts";
import { ProviderAnswer } from "../provider-faults.ts";
import { askProvider, firstBytes, PIECE_BYTES, slices } from "../provider-fetch.ts";
import { requestBody } from "../request-body.ts";
import type { AnswerSource, Listener } from "../stream-call.ts";
import { chatCompletions } from "./chat-completions.ts";
import { EventFrames } from "./event-frames.ts";
import { messages } from "./messages.ts";
import { responses } from "./responses.ts";
import type { WireFormat } from "./wire-format.ts";

export type WireTarget = Extract<Target, { readonly kind: "anthropic" | "openai" | "compatible" }>;

const FORMATS: Readonly<Record<WireTarget["kind"], WireFormat>> = {
  anthropic: messages,
  openai: responses,
  compatible: chatCompletions,
};

/** The call at this target, in the target's format. */
export function wireSource(call: ModelCall, target: WireTarget): AnswerSource {
  const format = FORMATS[target.kind];
  return async (listener) => {
    const stream = await openedWithSchema(call, target, format, listener);
    if (stream !== null) await read(stream, format, listener);
  };
}

/** Statuses with which providers reject an unsupported field. */
const REJECTED: ReadonlySet<number> = new Set([400, 422]);

/** Retries once without the schema if the provider may have rejected it: the answer is checked in any case. */
async function openedWithSchema(call: ModelCall, target: WireTarget, format: WireFormat, listener: Listener) {
  try {
    return await opened(call, target, format, listener);
  } catch (error) {
    const hasSchema = (call.outputSchema ?? null) !== null;
    if (!hasSchema || !(error instanceof ProviderAnswer) || !REJECTED.has(error.statusCode)) throw error;
    return await opened({ ...call, outputSchema: null }, target, format, listener);
  }
}

async function opened(
  { entries, system, tools, outputSchema = null, onSent }: ModelCall,
  target: WireTarget,
  format: WireFormat,
  { signal, onHeaders, charged, touch }: Listener,
) {
  const instructions = system.trim() === "" ? "" : system;
  const asked = requestBody(
    (base64) =>
      format.body({
        model: target.name,
        system: instructions,
        messages: conversation(entries),
        tools,
        outputSchema,
        base64,
      }),
    // With a schema there may be a retry, so the content must stay in memory.
    { charged, touch, onSent: outputSchema === null ? onSent : undefined },
  );
  const answer = await askProvider(target.baseUrl.replace(/\/+$/, "") + format.path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "text/event-stream",
      "accept-encoding": "identity",
      "user-agent": "troupe",
      ...format.headers(target.apiKey),
      ...asked.headers,
    },
    body: asked.body,
    signal,
  });
  if (answer.ok) {
    onSent?.();
    onHeaders?.(Object.fromEntries(answer.headers));
    return answer.body;
  }
  const body = answer.body === null ? "" : Buffer.from(await firstBytes(answer.body, MAX_ERROR_BYTES)).toString();
  throw new ProviderAnswer(answer.status, Object.fromEntries(answer.headers), body);
}

/** Bun's extension of readers: reads all arrived chunks, without a promise if there are any. */
interface ManyReader {
  readMany(): MaybePromise<{ readonly done: boolean; readonly value: readonly Uint8Array[] }>;
}

async function read(
  stream: ReadableStream<Uint8Array>,
  format: WireFormat,
  { sink, touch, isOver, charged }: Listener,
) {
  const reader = stream.getReader() as ReturnType<typeof stream.getReader> & ManyReader;
  const frames = format.reader(sink);
  const events = new EventFrames((frame) => frames.take(frame));
  try {
    while (!isOver()) {
      const read = reader.readMany();
      const { done, value: chunks } = read instanceof Promise ? await read : read;
      if (done) return frames.ended();
      touch();
      for (const chunk of chunks)
        for (let from = 0; from < chunk.length && !isOver(); from += PIECE_BYTES) {
          const piece = chunk.length <= PIECE_BYTES ? chunk : chunk.subarray(from, from + PIECE_BYTES);
          const turn = slices.take(charged(() => events.read(piece)));
          if (turn !== null) await turn;
        }
    }
  } finally {
    // No effect on a stream that has ended; closes one that was abandoned.
    reader.cancel().catch(() => {});
  }
}
