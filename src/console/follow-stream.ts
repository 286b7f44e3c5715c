/** Reads a stream of the service for as long as its page is open. */
import type { Signal } from "@preact/signals";
import { ApiError } from "../../sdk/typescript/troupe.ts";
import { sessionEnded, wordsOfError } from "./service.ts";
import { signedInAgain } from "./session.ts";

/** Refusals that another try does not change. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([403, 404]);
const RETRY_MS_OF_STREAMS = 5_000;

interface FollowedStream<E> {
  readonly open: (until: AbortSignal) => AsyncIterable<E>;
  readonly take: (event: E) => Promise<void>;
  /** What is wrong now; null while events arrive. */
  readonly error: Signal<string | null>;
  readonly until: AbortSignal;
}

/**
 * The SDK resumes a stream that was cut, and gives up after about 40 s. The stream is then opened anew, when the browser
 * is online again at the latest after some seconds.
 */
export async function followStream<E>({ open, take, error, until }: FollowedStream<E>): Promise<void> {
  while (!until.aborted) {
    try {
      for await (const event of open(until)) {
        error.value = null;
        await take(event);
      }
      return;
    } catch (cause) {
      if (until.aborted) return;
      error.value = wordsOfError(cause);
      if (cause instanceof ApiError && FINAL_STATUSES.has(cause.status)) return;
      if (sessionEnded.value) {
        await signedInAgain(until);
        continue;
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, RETRY_MS_OF_STREAMS);
        const now = (): void => {
          clearTimeout(timer);
          resolve();
        };
        addEventListener("online", now, { once: true });
        until.addEventListener("abort", now, { once: true });
      });
    }
  }
}
