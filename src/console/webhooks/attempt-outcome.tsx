/** What an attempt came to, in words. */
import type { Delivery } from "../../../sdk/typescript/troupe.ts";
import { KnownTime } from "../format/time.tsx";

const ATTEMPT_ERROR_WORDS: Readonly<Record<NonNullable<Delivery["error"]>, string>> = {
  timeout: "no answer in time",
  dns_error: "the host has no address",
  tls_error: "the certificate was not accepted",
  connection_refused: "the host refused the connection",
  connection_reset: "the connection broke off",
  blocked_address: "the address is not allowed",
  http_error: "the receiver answered with an error",
};

export function AttemptOutcome({ delivery }: { readonly delivery: Delivery }) {
  const { status, http_status: code, error, duration_ms: ms, next_attempt_at: next } = delivery;
  const words = [
    ...(code === null ? [] : [`HTTP ${code}`]),
    ...(error === null || code !== null ? [] : [ATTEMPT_ERROR_WORDS[error]]),
    ...(ms === null ? [] : [`${ms.toLocaleString()} ms`]),
  ];
  return (
    <>
      <span class={`badge ${status}`}>{status}</span> {words.join(", ")}
      <KnownTime words=" next" at={next} />
    </>
  );
}
