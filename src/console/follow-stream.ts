/** Reads a stream of the service for as long as its page is open. */
import type { Signal } from "@preact/signals";
import { ApiError } from "../../sdk/typescript/troupe.ts";
import { sessionEnded, wordsOfError } from "./service.ts";
import { signedInAgain } from "./session.ts";

/** Refusals that another try does not change. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([403, 404]);
const RETRY_MS_OF_STREAMS = 5_000;

/** A person who looks elsewhere for a moment comes back to the same stream. */
const HIDDEN_STREAM_MS = 20_000;

interface FollowedStream<E> {
  /** `after`: the cursor of the last event that was taken; null at first. */
  readonly open: (until: AbortSignal, after: string | null) => AsyncIterable<E>;
  readonly take: (event: E) => Promise<void>;
  /** What is wrong now; null while events arrive. */
  readonly error: Signal<string | null>;
  readonly until: AbortSignal;
}

/**
 * The SDK resumes a stream that was cut, and gives up after about 40 s. The stream is then opened anew, when the browser
 * is online again at the latest after some seconds. A page that nobody sees holds no stream: a browser has six
 * connections to a host over HTTP/1.1, for all its tabs together. It goes on where it was when it is seen again.
 */
export async function followStream<E extends { readonly id?: string | undefined }>(
  followed: FollowedStream<E>,
): Promise<void> {
  const { open, take, error, until } = followed;
  let after: string | null = null;
  while (!until.aborted) {
    await whenSeen(until);
    const seen = new SeenPage(until);
    try {
      for await (const event of open(seen.signal, after)) {
        error.value = null;
        await take(event);
        after = event.id ?? after;
      }
      if (!seen.signal.aborted) return;
    } catch (cause) {
      if (until.aborted) return;
      if (seen.signal.aborted) continue;
      error.value = wordsOfError(cause);
      if (cause instanceof ApiError && FINAL_STATUSES.has(cause.status)) return;
      await (sessionEnded.value ? signedInAgain(until) : whenOnline(until));
    } finally {
      seen.end();
    }
  }
}

interface SureRead<T> {
  readonly read: () => Promise<T>;
  /** What is wrong while it does not succeed. */
  readonly error: Signal<string | null>;
  /** Whether the answer is of no use any more; asked before each try. */
  readonly isVain?: () => boolean;
  readonly until: AbortSignal;
}

/**
 * Reads until it succeeds. An event comes once: a read that it asks for must not be lost because the service is busy with
 * something else at that moment, such as taking over from a replica that has ended. Null if the record is gone or refused.
 */
export async function readSurely<T>({ read, error, isVain, until }: SureRead<T>): Promise<T | null> {
  let own: string | null = null;
  while (!until.aborted && isVain?.() !== true) {
    try {
      const value = await read();
      if (own !== null && error.value === own) error.value = null;
      return value;
    } catch (cause) {
      if (until.aborted) return null;
      error.value = own = wordsOfError(cause);
      if (cause instanceof ApiError && FINAL_STATUSES.has(cause.status)) return null;
      await (sessionEnded.value ? signedInAgain(until) : whenOnline(until));
    }
  }
  return null;
}

/** After some seconds, or when the browser says that it is online. */
const whenOnline = (until: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, RETRY_MS_OF_STREAMS);
    const now = (): void => {
      clearTimeout(timer);
      resolve();
    };
    addEventListener("online", now, { once: true });
    until.addEventListener("abort", now, { once: true });
  });

const whenSeen = (until: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (document.visibilityState === "hidden" && !until.aborted) return;
      document.removeEventListener("visibilitychange", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    until.addEventListener("abort", look, { once: true });
    look();
  });

/** Its signal is aborted with `until`, and when the page has been hidden for a while. */
class SeenPage {
  private readonly controller = new AbortController();
  private readonly until: AbortSignal;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(until: AbortSignal) {
    this.until = until;
    until.addEventListener("abort", this.abort);
    document.addEventListener("visibilitychange", this.look);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  end(): void {
    clearTimeout(this.timer);
    this.until.removeEventListener("abort", this.abort);
    document.removeEventListener("visibilitychange", this.look);
  }

  private readonly abort = (): void => this.controller.abort();

  private readonly look = (): void => {
    clearTimeout(this.timer);
    if (document.visibilityState === "hidden") this.timer = setTimeout(this.abort, HIDDEN_STREAM_MS);
  };
}
