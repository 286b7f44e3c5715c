/** The service that has sent this page, through its own SDK, with the session of the browser. */
import { signal } from "@preact/signals";
import { ApiError, ConnectionFailedError, Troupe } from "../../sdk/typescript/troupe.ts";

/** The path of the service on its host: empty, or as in `/troupe`. */
export const SERVICE_ROOT = document.querySelector<HTMLMetaElement>('meta[name="troupe-root"]')?.content ?? "";

/** The path of the console, without a slash at its end. */
export const CONSOLE_BASE = `${SERVICE_ROOT}/app`;

export const service = new Troupe({ baseUrl: location.origin + SERVICE_ROOT });

/** Whether the service has refused the session. The page stays as it is, with what is written in it. */
export const sessionEnded = signal(false);

/** The sign-in page, which leads back to this page. */
export const signInAddress = (): string => {
  const here = location.pathname.slice(SERVICE_ROOT.length) + location.search;
  return `${SERVICE_ROOT}/sign-in?next=${encodeURIComponent(here)}`;
};

const UNAUTHENTICATED = 401;

/** What went wrong, for people. */
export function wordsOfError(error: unknown): string {
  // Unknown, revoked or expired: each has a code of its own.
  if (error instanceof ApiError && error.status === UNAUTHENTICATED) {
    sessionEnded.value = true;
    return "Your session has ended.";
  }
  if (error instanceof ApiError)
    return error.requestId === null ? error.message : `${error.message} (request ${error.requestId})`;
  if (error instanceof ConnectionFailedError) return "The service cannot be reached. Check your connection.";
  return error instanceof Error ? error.message : String(error);
}

/** A name as a part of plain text, such as a question: it cannot change the direction of the text after it. */
export const isolated = (name: string): string => `\u2068${name.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, "")}\u2069`;

/** Whether the error is an intended end: the page has been left. */
export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === "AbortError";
