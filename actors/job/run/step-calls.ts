/**
 * The calls of a model's answer, as the job keeps them (JOB-12). Each has an id that no other call of the job has: some
 * servers restart their ids with each answer, and results, approvals and idempotency keys go by the id. Calls past the
 * limit do not run; the model gets that as their results.
 *
 * Then each call gets the rules that hold for it (JOB-7, JOB-8, JOB-17, APR-1).
 */
import type { Toolbox } from "../ports.ts";
import type { StepCall } from "../protocol.ts";
import { judgeCall, NO_RULE_CHECKS, type RuleChecks } from "../rules/judging.ts";
import { type ApprovalRule, OWNERS_DECIDE, policyOfRule, ruleFactsOf, ruleLeftBehind } from "../approval-rule.ts";
import { toolContextOf } from "./services.ts";
import type { AnswerBlock, Block, Job, ToolUseBlock } from "../schema.ts";
import { unmadeCalls } from "../partial-answer.ts";
import { isPartial, type StopReason } from "../stop-reason.ts";

/**
 * If the arguments of a call do not fit the schema of a tool from outside the service, the call goes neither to a
 * person nor to a client, and is not made: its result is the errors. The same holds for calls that the agent's approval
 * rules deny. Null if the run was aborted meanwhile.
 */
export async function callsOf(
  made: readonly ToolUseBlock[],
  toolbox: Pick<Toolbox, "rulesOf" | "misfits" | "tools">,
  job: Job,
  signal: AbortSignal,
  checks: RuleChecks = NO_RULE_CHECKS,
): Promise<readonly StepCall[] | null> {
  const calls = made.map((block): StepCall => ({ block, ...toolbox.rulesOf(block.name, block.input) }));
  const judged = await judgedCalls(calls, toolbox, job, { checks, signal });
  if (signal.aborted) return null;
  const asked = judged.filter(
    ({ isClient, needsApproval, refusal }) => refusal === undefined && (isClient === true || needsApproval),
  );
  if (asked.length === 0) return judged;
  const blocks = asked.map(({ block }) => block);
  const misfits = await toolbox.misfits(blocks, toolContextOf(job), signal);
  if (signal.aborted) return null;
  return judged.map((call) => refusedCall(call, misfits.get(call.block.id)));
}

/** The calls with what the approval rules of the agent say about each. */
async function judgedCalls(
  calls: readonly StepCall[],
  { tools }: Pick<Toolbox, "tools">,
  job: Job,
  by: { readonly checks: RuleChecks; readonly signal: AbortSignal },
): Promise<readonly StepCall[]> {
  const { approvalRules: rules = [] } = job.agent;
  if (rules.length === 0) return calls;
  const facts = ruleFactsOf(job);
  const listed = tools.map(({ name }) => name);
  return Promise.all(
    calls.map(async (call): Promise<StepCall> => {
      const { name, input } = call.block;
      const schema = tools.find((tool) => tool.name === name)?.inputSchema ?? null;
      const verdict = await judgeCall(rules, { name, input, schema }, facts, by);
      const left = verdict === null ? ruleLeftBehind(rules, name, listed) : null;
      const isRenamed = left !== null;
      const outcome = isRenamed || call.needsApproval ? "ask" : "allow";
      const byDefault = { by: isRenamed ? ("doubt" as const) : ("default" as const), outcome } as const;
      const decision = verdict?.decision ?? byDefault;
      const needsApproval = decision.outcome === "ask";
      const asked = needsApproval && schema !== null ? { inputSchema: schema } : {};
      const waits = needsApproval ? waitTerms(verdict?.rule ?? left) : {};
      return refusedCall({ ...call, ...asked, ...waits, needsApproval, decision }, verdict?.refusal ?? undefined);
    }),
  );
}

/** Who decides about a call that this rule lets wait, and until when. */
function waitTerms(rule: ApprovalRule | null): Pick<StepCall, "policy" | "expiry"> {
  if (rule === null) return {};
  const policy = rule.then === "deny" ? OWNERS_DECIDE : policyOfRule(rule);
  const { expiry } = rule;
  return { ...(policy === undefined ? {} : { policy }), ...(expiry === undefined ? {} : { expiry }) };
}

/** A call that is not made, if there is a reason: it waits for nobody, and has no effect. */
function refusedCall(call: StepCall, refusal: string | undefined): StepCall {
  if (refusal === undefined) return call;
  const { block, decision } = call;
  const decided = decision === undefined ? {} : { decision };
  return { block, safe: true, needsApproval: false, refusal, ...decided };
}

/** Calls of one step: they run side by side, and each may be a request or a job. */
export const STEP_CALLS = 64;

export interface KeptStep {
  /** The model's output, then the results of calls that will not run. */
  readonly blocks: readonly Block[];
  /** The calls to make. */
  readonly calls: readonly ToolUseBlock[];
}

/** Keeps the answer of a step that follows these blocks of the same job. */
export function keptStep(
  step: number,
  before: readonly Block[],
  answer: readonly AnswerBlock[],
  stopReason: StopReason,
): KeptStep {
  const taken = new Set(before.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])));
  const calls: ToolUseBlock[] = [];
  const kept = answer.map((block) => {
    if (block.type !== "tool_use") return block;
    const call =
      taken.has(block.id) || block.id === "" ? { ...block, id: freeId(taken, step, calls.length + 1) } : block;
    taken.add(call.id);
    calls.push(call);
    return call;
  });
  if (isPartial(stopReason)) return { blocks: [...kept, ...unmadeCalls(calls, stopReason)], calls: [] };
  const left = calls.slice(STEP_CALLS).map(({ id }) => ({
    type: "tool_result" as const,
    tool_use_id: id,
    content: `Not made: one step makes at most ${STEP_CALLS} calls. Make the others in the next steps.`,
    is_error: true,
  }));
  return { blocks: [...kept, ...left], calls: calls.slice(0, STEP_CALLS) };
}

/** Deterministic for the same answer, so that a repeated step has the same keys. */
function freeId(taken: ReadonlySet<string>, step: number, place: number): string {
  let id = `call_${step}_${place}`;
  while (taken.has(id)) id += "_";
  return id;
}
