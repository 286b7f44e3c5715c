/**
 * A tool call as the protocol answers it: progress while its job runs, a question to the person if the job needs an
 * approval (MCP-7), and the tool's result or error.
 *
 *   call ─▶ job ─┬─ blocked for an approval ─▶ older era: a form on the call's stream; continues with the answer
 *                │                             newer era: `input_required`; the client calls again with the answer
 *                └─ anything else ───────────▶ the job
 */
import { cutText } from "../../actors/cut-text.ts";
import { parseStored } from "../../actors/exact-json.ts";
import { mapOutcome, type Outcome } from "../../actors/fault.ts";
import type { Json } from "../../actors/schema.ts";
import { type Caller, chargeTo } from "../http/request/caller.ts";
import type { Refusal } from "../http/answer/dialect.ts";
import { didYouMean } from "../../actors/near-name.ts";
import { factsIn } from "./auth-info.ts";
import {
  type ApprovalQuestion,
  connectionQuestionOf,
  decide,
  questionOf,
  showsForms,
  showsPages,
} from "./approval-question.ts";
import { withFileLinks } from "./file-links.ts";
import { PROGRESS_SECONDS, type WaitedJob, type JobWaiter } from "./job-wait.ts";
import type { Era, ServerParts, ToolAnswer } from "./call-parts.ts";
import { callTool, cancelBegun } from "./tool-call.ts";
import type { BoundTool } from "./tool-schema.ts";
import { repeated } from "./watched-stream.ts";
import type { Toolset } from "./toolsets.ts";
import {
  type CallToolResult,
  inputRequired,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";

/** Questions per call; the model reads about later ones in the job. */
const QUESTIONS = 8;
/** Time limit for a person's answer. */
const ANSWER_MS = 600_000;

export interface ToolCall {
  readonly caller: Caller;
  readonly server: Server;
  readonly era: Era;
  readonly context: ServerContext;
  readonly name: string;
  readonly given: Readonly<Record<string, unknown>>;
}

export async function answeredCall(parts: ServerParts, call: ToolCall): Promise<CallToolResult | InputRequiredResult> {
  const { caller, era } = call;
  const facts = factsIn(call.context);
  const tool = namedTool(facts.toolset, call.name);
  // The arguments were parsed from JSON.
  const run = { tool, given: call.given as Readonly<Record<string, Json>>, waiting: waitingOf(call) };
  const asked = askedBefore(parts, call);
  const decision =
    asked === null || asked.approvalId === null
      ? null
      : await decide(
          parts,
          caller,
          { ...asked, approvalId: asked.approvalId },
          call.context.mcpReq.inputResponses?.[ANSWER_KEY],
        );
  const resultOf = (outcome: Outcome<ToolAnswer>): CallToolResult =>
    chargeTo(caller, () => toolResult(parts, caller.requestId, outcome));
  if (decision !== null && !decision.ok) return resultOf(decision);
  let answer = await callTool(parts, caller, { ...run, begun: asked?.jobId ?? null });
  // The page is opened once for a call: what the person does there is not part of it.
  const page = asked === null && opensPages(tool, call) && answer.ok ? connectionQuestionOf(answer.value.value) : null;
  if (page !== null) {
    if (era === "modern") {
      const { jobId, message, url } = page;
      return askPerson(parts, call, { jobId, approvalId: null }, inputRequired.elicitUrl({ message, url }));
    }
    await elicitAnswer(call, { ...page, mode: "url", elicitationId: page.jobId }, run.waiting);
    answer = await callTool(parts, caller, { ...run, begun: page.jobId });
  }
  // If the person left the question open, the same call does not ask again.
  let asks = canAsk(tool, call) && decision?.value !== false ? QUESTIONS : 0;
  while (asks-- > 0 && answer.ok) {
    const question = questionOf(answer.value.value, caller);
    if (question === null) break;
    if (era === "modern") return askPerson(parts, call, question, inputRequired.elicit(question.form));
    const job = answer.value.value as WaitedJob;
    // Clients time out calls without progress, also while a form is open.
    const stopTelling = repeated(parts.services.clock, PROGRESS_SECONDS * 1_000, () => run.waiting.onChange(job));
    const decided = await decide(parts, caller, question, await elicitAnswer(call, question.form, run.waiting));
    stopTelling();
    if (!decided.ok) answer = decided;
    else if (decided.value) answer = await callTool(parts, caller, { ...run, begun: question.jobId });
    else {
      await cancelBegun(parts, caller, { ...run, jobId: question.jobId });
      break;
    }
  }
  const isLinked = tool.spec.showsJob === true && facts.hasLinks;
  return resultOf(isLinked ? mapOutcome(answer, withFileLinks) : answer);
}

function namedTool({ tools }: Toolset, name: string): BoundTool {
  const tool = tools.get(name);
  if (tool !== undefined) return tool;
  const shown = cutText(name, 64);
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool \`${shown}\`${didYouMean(shown, [...tools.keys()])}`,
  );
}

const canAsk = ({ spec }: BoundTool, { server, context, era }: ToolCall): boolean =>
  (spec.runs === "execute" || spec.runs === "wait") && showsForms(server, context, era);

const opensPages = ({ spec }: BoundTool, { server, context, era }: ToolCall): boolean =>
  (spec.runs === "execute" || spec.runs === "wait") && showsPages(server, context, era);

/** The key under which the client sends the person's answer. */
const ANSWER_KEY = "approval";

/** State that the client sends back with the answer. */
interface AskedState extends Pick<ApprovalQuestion, "jobId"> {
  /** Null: the person was sent to a page. */
  readonly approvalId: string | null;
  readonly tool: string;
}

const answerContext = ({ principal: { organizationId, userId } }: Caller): readonly string[] => [
  organizationId,
  userId,
];

/** Asks the person in the newer era: the client calls again with the answer. */
const askPerson = (
  { services }: ServerParts,
  { caller, name }: ToolCall,
  { jobId, approvalId }: Pick<AskedState, "jobId" | "approvalId">,
  request: NonNullable<InputRequiredResult["inputRequests"]>[string],
): InputRequiredResult =>
  inputRequired({
    inputRequests: { [ANSWER_KEY]: request },
    requestState: services.sealing.seal(
      "mcp_call",
      JSON.stringify({ jobId, approvalId, tool: name } satisfies AskedState),
      answerContext(caller),
    ),
  });

/** The earlier call that this one continues; null for a new call. */
function askedBefore({ services }: ServerParts, { caller, context, era, name }: ToolCall): AskedState | null {
  const state = era === "modern" ? context.mcpReq.requestState<string>() : undefined;
  if (state === undefined) return null;
  const text = services.sealing.open("mcp_call", state, answerContext(caller));
  const asked = text === null ? null : (parseStored(text) as AskedState);
  if (asked?.tool === name) return asked;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    "requestState does not belong to this call; call again without it",
  );
}

/** The person's answer; undefined if the client sends none. */
async function elicitAnswer(
  { context }: ToolCall,
  form: Parameters<ServerContext["mcpReq"]["elicitInput"]>[0],
  { signal }: JobWaiter,
): Promise<unknown> {
  try {
    return await context.mcpReq.elicitInput(form, { timeout: ANSWER_MS, signal });
  } catch {
    // The client has left or failed, or the person takes too long: the job keeps waiting.
    return undefined;
  }
}

/** The tool's answer, or the error for its refusal. */
export const toolResult = (
  { refusal }: Pick<ServerParts, "refusal">,
  requestId: string,
  answer: Outcome<ToolAnswer>,
): CallToolResult => (answer.ok ? callResult(answer.value) : errorOf(refusal(answer.fault, requestId)));

const callResult = ({ value, content }: ToolAnswer): CallToolResult => ({
  content: [...(content ?? [{ type: "text", text: JSON.stringify(value) }])],
  structuredContent: value,
});

const errorOf = ({ body }: Refusal): CallToolResult => ({
  content: [{ type: "text", text: JSON.stringify(body) }],
  isError: true,
});

/** Reports progress of the job, if the client has asked for it. */
function waitingOf({ context, caller, era }: ToolCall): JobWaiter {
  const { _meta: meta, signal } = context.mcpReq;
  const token = meta?.progressToken;
  let progress = 0;
  const onChange = ({ id, status }: WaitedJob): void => {
    if (token === undefined) return;
    progress++;
    const params = { progressToken: token, progress, message: `${id} is ${status}` };
    context.mcpReq.notify({ method: "notifications/progress", params }).catch(() => {}); // the client has left
  };
  return {
    onChange,
    signal: AbortSignal.any([signal, caller.signal]),
    callKey: factsIn(context).callKey,
    isTold: token !== undefined,
    // In the newer era a client cancels by disconnecting; in the older one it sends a cancellation, and a lost
    // connection is resumed.
    isCancelled: () => signal.aborted && (era === "modern" || !(signal.reason instanceof SdkError)),
  };
}
