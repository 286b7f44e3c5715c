/**
 * The calls of a model's answer, as the job keeps them (JOB-12). Each has an id that no other call of the job has: some
 * servers restart their ids with each answer, and results, approvals and idempotency keys go by the id. Calls past the
 * limit do not run; the model gets that as their results.
 *
 * Then each call gets the rules that hold for it (JOB-7, JOB-8, JOB-17).
 */
import type { Toolbox } from "../ports.ts";
import type { StepCall } from "../protocol.ts";
import { toolContextOf } from "./services.ts";
import type { AnswerBlock, Block, Job, ToolUseBlock } from "../schema.ts";
import { unmadeCalls } from "../partial-answer.ts";
import { isPartial, type StopReason } from "../stop-reason.ts";

/**
 * If the arguments of a call do not fit the schema of a tool from outside the service, the call goes neither to a
 * person nor to a client: the toolbox answers it with the errors. Null if the run was aborted meanwhile.
 */
export async function callsOf(
  made: readonly ToolUseBlock[],
  toolbox: Pick<Toolbox, "rulesOf" | "misfits">,
  job: Job,
  signal: AbortSignal,
): Promise<readonly StepCall[] | null> {
  const calls = made.map((block): StepCall => ({ block, ...toolbox.rulesOf(block.name, block.input) }));
  const asked = calls.filter(({ isClient, needsApproval }) => isClient === true || needsApproval);
  if (asked.length === 0) return calls;
  const blocks = asked.map(({ block }) => block);
  const misfits = await toolbox.misfits(blocks, toolContextOf(job), signal);
  if (signal.aborted) return null;
  return calls.map((call) =>
    misfits.has(call.block.id) ? { block: call.block, safe: true, needsApproval: false } : call,
  );
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
