/** The calls of a step with the rules that hold for each (JOB-7, JOB-8, JOB-17). */
import type { Toolbox } from "../ports.ts";
import type { StepCall } from "../protocol.ts";
import { contextOf } from "./job-context.ts";
import type { Job, ToolUseBlock } from "../schema.ts";

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
  const misfits = await toolbox.misfits(blocks, contextOf(job), signal);
  if (signal.aborted) return null;
  return calls.map((call) =>
    misfits.has(call.block.id) ? { block: call.block, safe: true, needsApproval: false } : call,
  );
}
