/** Ends of runs without an answer, as OpenAI's errors. */
import type { BlockedReason, RunErrorCode } from "../../../actors/job/schema.ts";
import type { Interruption } from "../../http/stream/event-source.ts";
import { linksOfWait, type RunItemOf } from "../runs/run-item.ts";
import type { OpenAiError } from "./refusals.ts";

const serverError = (code: string, message: string): OpenAiError => ({
  message,
  type: "server_error",
  param: null,
  code,
});

const RUN_GOES_ON = "The run continues: send the request again to follow it";

export const STREAM_ERRORS: Readonly<Record<Interruption, OpenAiError>> = {
  shutdown: serverError("shutting_down", `The service is restarting. ${RUN_GOES_ON}`),
  failure: serverError("unavailable", `The stream was interrupted. ${RUN_GOES_ON}`),
  slow_consumer: serverError("slow_consumer", `The client reads too slowly. ${RUN_GOES_ON}`),
  expired: serverError("expired", `The stream was open for too long. ${RUN_GOES_ON}`),
  revoked: { message: "The token was revoked", type: "authentication_error", param: null, code: "invalid_api_key" },
};

/** The model began a step again with different text; text that was sent cannot be taken back. */
export const RESTARTED = serverError(
  "answer_restarted",
  "The model has begun this part of its answer again with different text: read the answer from its start",
);

/** A request that is not streamed is answered before its run is over. */
export const LATE = serverError("timeout", `The answer is not there yet. ${RUN_GOES_ON}`);

const BLOCKED_WORDS: Readonly<Record<BlockedReason | "review", string>> = {
  approval_required: "a person's approval of a tool call",
  input_required: "input",
  auth_required: "a person to sign in",
  tool_result_required: "the result of a tool that its client runs",
  budget_reached: "a budget: it is used up",
  interrupted: "a person's decision whether a tool call that was interrupted is made again",
  review: "a review of its result",
};

export const blockedError = ({ reason, ...wait }: Omit<RunItemOf<"blocked">, "kind">): OpenAiError =>
  reason === "budget_reached"
    ? { message: "The run has used up its budget", type: "insufficient_quota", param: null, code: "insufficient_quota" }
    : serverError(
        `blocked_${reason}`,
        `The run waits for ${BLOCKED_WORDS[reason]}. Continue it in Troupe.${linksOfWait(wait)}`,
      );

/** Errors of the input, which the same request would get again. */
const OF_INPUT: ReadonlySet<RunErrorCode> = new Set(["context_length_exceeded", "provider_rejected", "output_invalid"]);

/** The end of a failed run; null: it was cancelled. */
export function endError(error: RunItemOf<"end">["error"]): OpenAiError {
  if (error === null) return serverError("cancelled", "The run was cancelled");
  const { code, message } = error;
  if (OF_INPUT.has(code)) return { message, type: "invalid_request_error", param: null, code };
  return code === "provider_rate_limited"
    ? { message, type: "rate_limit_error", param: null, code: "rate_limit_exceeded" }
    : serverError(code, message);
}

/** An answer that is only this error. The retry of one that is late joins the run; any other is the same each time. */
export const runErrorResponse = (error: OpenAiError): Response =>
  Response.json(
    { error },
    { status: runErrorStatus(error), headers: error === LATE ? {} : { "x-should-retry": "false" } },
  );

/** The status of an answer that is only this error. */
function runErrorStatus({ type, code }: OpenAiError): number {
  if (type === "invalid_request_error") return 400;
  if (type === "rate_limit_error" || type === "insufficient_quota") return 429;
  if (code === "timeout") return 504;
  return code?.startsWith("blocked_") === true || code === "cancelled" ? 409 : 502;
}
