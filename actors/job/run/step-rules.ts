/** The calls of a step with the rules that hold for each (JOB-7, JOB-8, JOB-17). */
import type { Toolbox } from "../ports.ts";
import type { StepCall } from "../protocol.ts";
import { contextOf, type Job, type ToolUseBlock } from "../schema.ts";

/**
 * A call whose arguments do not fit the schema of a tool that somebody brought reaches neither a person nor a client:
 * the toolbox answers it with what is wrong. Null where the run was called off meanwhile.
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
  const misfits = await toolbox.misfits(blocks, contextOf(job), signal);
  if (signal.aborted) return null;
  return calls.map((call) =>
    misfits.has(call.block.id) ? { block: call.block, safe: true, needsApproval: false } : call,
  );
}
