/** A message with the id of a task: what it means to the task's job, as a call of an operation of the service. */
import { invalid, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../actors/schema.ts";
import type { ClientMessage } from "./message.ts";
import { isTaskOver, type TaskJob, taskState } from "./task.ts";

/** An operation, by its id, with its body; for several approvals, several calls. */
export interface AnswerCall {
  readonly operation: "approveJob" | "sendToolResults" | "resumeJob" | "iterateJob" | "steerA2aTask";
  readonly body: JsonObject;
}

/** The text of the message, and its data. */
interface SaidAnswer {
  readonly text: string;
  readonly data: JsonObject;
}

const A2A_DECISIONS: ReadonlySet<string> = new Set(["approve", "deny"]);

/** What a message means to its task. It is kept: the same message once more means the same, whatever the task does by then. */
export type AnswerMeaning =
  | { readonly kind: "review" | "approvals" | "resume" | "steer" }
  /** `callId`: the call whose result may be the text; null: there are several. */
  | { readonly kind: "results"; readonly callId: string | null };

export function answerMeaning({ status, blocked_reason: reason, ...job }: TaskJob): Outcome<AnswerMeaning> {
  const refused = (message: string) => refuse({ kind: "invalid_state", status, allowedActions: [], message });
  if (isTaskOver(taskState(status, reason)) || status === "cancelling")
    return refused("The task has ended; a message without taskId begins another one in its context");
  if (status === "queued")
    return refused(
      "The task has not begun: it waits behind another task of its context. Send the message when it is working",
    );
  if (status === "needs_review") return ok({ kind: "review" });
  if (job.approvals.some(({ decision }) => decision === null)) return ok({ kind: "approvals" });
  if (reason === "tool_result_required") {
    const [only, ...others] = job.requested_tool_calls;
    return ok({ kind: "results", callId: others.length === 0 ? (only?.id ?? null) : null });
  }
  return ok({ kind: status === "blocked" ? "resume" : "steer" });
}

/** The calls for the message; a message that steers is sent as it is (`steerA2aTask`). */
export function answerCalls(meaning: AnswerMeaning, message: ClientMessage): Outcome<readonly AnswerCall[]> {
  if (meaning.kind === "steer")
    return ok([{ operation: "steerA2aTask", body: { message: message as unknown as Json } }]);
  const file = message.parts.findIndex(({ raw, url }) => raw !== undefined || url !== undefined);
  if (file >= 0)
    return invalid(
      `/message/parts/${file}`,
      "The task waits for an answer, which is text or data; send files with a message of their own",
    );
  const said = saidBy(message);
  if (meaning.kind === "review") return ok([reviewCall(said)]);
  if (meaning.kind === "approvals") return approvalCalls(said);
  if (meaning.kind === "results") return resultCall(meaning.callId, said);
  const { data, text } = said;
  return ok([{ operation: "resumeJob", body: { ...(text === "" ? {} : { input: text }), ...data } }]);
}

function saidBy({ parts }: ClientMessage): SaidAnswer {
  const text = parts
    .flatMap((part) => part.text ?? [])
    .join("\n\n")
    .trim();
  return { text, data: Object.assign({}, ...parts.map(({ data }) => (isJsonObject(data) ? data : {}))) as JsonObject };
}

const reviewCall = ({ text, data }: SaidAnswer): AnswerCall =>
  text.toLowerCase() === "approve" || data["decision"] === "approve"
    ? { operation: "approveJob", body: {} }
    : { operation: "iterateJob", body: { feedback: text } };

/** A decision for all calls as text, or one for each of them as data. */
function approvalCalls({ text, data }: SaidAnswer): Outcome<readonly AnswerCall[]> {
  const { approvals } = data;
  const word = typeof data["decision"] === "string" ? data["decision"] : text.toLowerCase();
  const given = Array.isArray(approvals) ? approvals : [{ ...data, decision: word }];
  const isDecided =
    given.length > 0 && given.every((one) => isJsonObject(one) && A2A_DECISIONS.has(String(one["decision"])));
  if (!isDecided)
    return invalid(
      "/message/parts",
      'The task waits for approvals: send the text `approve` or `deny`, or data such as {"approvals": [{"approval_id": "…", "decision": "approve"}]}',
    );
  return ok(given.map((body): AnswerCall => ({ operation: "approveJob", body: body as JsonObject })));
}

/** The results of tools that the client runs; if one call waits, its result may be the text. */
function resultCall(callId: string | null, { text, data }: SaidAnswer): Outcome<readonly AnswerCall[]> {
  const { tool_results: results } = data;
  if (Array.isArray(results)) return ok([{ operation: "sendToolResults", body: { results } }]);
  if (callId !== null && text !== "")
    return ok([{ operation: "sendToolResults", body: { results: [{ tool_call_id: callId, content: text }] } }]);
  return invalid(
    "/message/parts",
    'The task waits for the results of tools: send data such as {"tool_results": [{"tool_call_id": "…", "content": "…"}]}',
  );
}
