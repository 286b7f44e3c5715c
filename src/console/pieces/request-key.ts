/** Keys for requests that may be sent again: the same body under the same key is done once (IDEM-1). Without a browser. */
import { ApiError } from "../../../sdk/typescript/troupe.ts";

interface KeyedTry<B> {
  /** What the person has written or chosen, as text. */
  readonly written: string;
  readonly body: B;
  readonly key: string;
}

/** Sends what `written` names. `bodyOf` is called for its first try only. */
type SendKeyed<B> = <T>(written: unknown, bodyOf: () => B, send: (body: B, key: string) => Promise<T>) => Promise<T>;

/**
 * Another try to send the same thing has the body and the key of the first one, because its answer may have been lost.
 * After a refusal the key is new: the service has stored the refusal under the old one, and would repeat it although its
 * cause is gone.
 */
export function keyedSender<B>(): SendKeyed<B> {
  let last: KeyedTry<B> | null = null;
  return async (written, bodyOf, send) => {
    const text = JSON.stringify(written);
    const attempt = last?.written === text ? last : { written: text, body: bodyOf(), key: crypto.randomUUID() };
    last = attempt;
    try {
      const answer = await send(attempt.body, attempt.key);
      last = null;
      return answer;
    } catch (error) {
      if (isNothingDone(error)) last = null;
      throw error;
    }
  };
}

/** Whether the error says that nothing was done, and that nothing is being done under the key. */
const isNothingDone = (error: unknown): boolean =>
  error instanceof ApiError && error.status < 500 && error.code !== "idempotency_in_progress";
