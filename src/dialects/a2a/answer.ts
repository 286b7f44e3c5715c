/** A message with the id of a task: what it means to the task's job, as a call of an operation of the service. */
import { invalid, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../actors/schema.ts";
import { type ClientMessage, partsContent } from "./message.ts";
import { isTaskOver, type TaskJob, taskState } from "./task.ts";

/** An operation, by its id, with its body; for several approvals, several calls. */
export interface AnswerCall {
  readonly operation: "approveJob" | "sendToolResults" | "resumeJob" | "iterateJob" | "sendMessage";
  readonly body: JsonObject;
}

/** The text of the message, and its data. */
interface SaidAnswer {
  readonly text: string;
  readonly data: JsonObject;
}

const A2A_DECISIONS: ReadonlySet<string> = new Set(["approve", "deny"]);

export function answerCalls(job: TaskJob, message: ClientMessage): Outcome<readonly AnswerCall[]> {
  const { status, blocked_reason: reason } = job;
  if (isTaskOver(taskState(status, reason)) || status === "cancelling")
    return refuse({
      kind: "invalid_state",
      status,
      allowedActions: [],
      message: "The task has ended; a message without taskId begins another one in its context",
    });
  const said = saidBy(message);
  if (status === "needs_review") return ok([reviewCall(said)]);
  if (job.approvals.some(({ decision }) => decision === null)) return approvalCalls(said);
  if (reason === "tool_result_required") return resultCall(job, said);
  if (status === "blocked") {
    const { data, text } = said;
    return ok([{ operation: "resumeJob", body: { ...(text === "" ? {} : { input: text }), ...data } }]);
  }
  return ok([
    { operation: "sendMessage", body: { content: partsContent(message.parts) as unknown as Json, on_busy: "steer" } },
  ]);
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
function resultCall(
  { requested_tool_calls: calls }: TaskJob,
  { text, data }: SaidAnswer,
): Outcome<readonly AnswerCall[]> {
  const { tool_results: results } = data;
  if (Array.isArray(results)) return ok([{ operation: "sendToolResults", body: { results } }]);
  const [only] = calls;
  if (calls.length === 1 && only !== undefined && text !== "")
    return ok([
      { operation: "sendToolResults", body: { results: [{ tool_call_id: only["id"] ?? "", content: text }] } },
    ]);
  return invalid(
    "/message/parts",
    'The task waits for the results of tools: send data such as {"tool_results": [{"tool_call_id": "…", "content": "…"}]}',
  );
}
