/** The body of a response, never more of it than the limit, at the pace of whoever reads it. */
import type { Deadline } from "./deadline.ts";
import { type EgressFailure, EgressInterrupted, errorOf, failed } from "./failure.ts";

export interface WholeBody {
  readonly kind: "body";
  readonly bytes: Uint8Array;
  /** Whether there was more than the limit; the rest was not read. */
  readonly truncated: boolean;
}

type Source = ReadableStream<Uint8Array>;

/** Reads to the end or to the limit, where it closes the connection. */
export async function readBody(
  response: Response,
  maxBytes: number,
  deadline: Deadline,
): Promise<WholeBody | EgressFailure> {
  if (isWithin(response, maxBytes)) return readWhole(response, deadline);
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  try {
    for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read()) {
      const chunk = next.value.subarray(0, maxBytes - size);
      chunks.push(chunk);
      size += chunk.length;
      if (chunk.length === next.value.length) continue;
      await reader?.cancel();
      return { kind: "body", bytes: Buffer.concat(chunks, size), truncated: true };
    }
    return { kind: "body", bytes: Buffer.concat(chunks, size), truncated: false };
  } catch (cause) {
    return failed(deadline.reason ?? errorOf(cause));
  } finally {
    deadline.release();
  }
}

/** Whether it says how long it is: then it is no longer, whatever is sent. */
const isWithin = ({ headers }: Response, maxBytes: number): boolean =>
  Number(headers.get("content-length") ?? Number.POSITIVE_INFINITY) <= maxBytes && !headers.has("transfer-encoding");

/** In one piece: a stream of its own costs more than a short body. */
async function readWhole(response: Response, deadline: Deadline): Promise<WholeBody | EgressFailure> {
  try {
    return { kind: "body", bytes: await response.bytes(), truncated: false };
  } catch (cause) {
    return failed(deadline.reason ?? errorOf(cause));
  } finally {
    deadline.release();
  }
}

/**
 * The body as it comes: read only when the consumer pulls, and errored with `EgressInterrupted` at
 * the limit, at the deadline and when the connection breaks. Cancelling it closes the connection.
 */
export function boundedStream(source: Source | null, maxBytes: number, deadline: Deadline): Source {
  const reader = source?.getReader();
  let left = maxBytes;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = await reader?.read();
          if (next === undefined || next.done) {
            deadline.release();
            controller.close();
          } else if (next.value.length > left) {
            controller.error(new EgressInterrupted("too_large"));
            deadline.release();
            await reader?.cancel();
          } else {
            left -= next.value.length;
            controller.enqueue(next.value);
          }
        } catch (cause) {
          deadline.release();
          controller.error(new EgressInterrupted(deadline.reason ?? errorOf(cause)));
        }
      },
      async cancel() {
        deadline.release();
        await reader?.cancel().catch(() => {}); // broken already
      },
    },
    { highWaterMark: 0 },
  );
}
