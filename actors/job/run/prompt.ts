/** The prompt of a step, and the check of its answer. */
import { outputInstruction } from "../output.ts";
import type { CheckedOutput, OutputPort, Toolbox, TranscriptEntry } from "../ports.ts";
import { type Block, type Job, outputSchemaOf, textOf } from "../schema.ts";
import type { Prompt } from "./model-calls.ts";

/** The agent's instructions with the run's additions, the conversation, and the tools. */
export function promptOf(job: Job, { tools, notes }: Toolbox, entries: readonly TranscriptEntry[]): Prompt {
  const outputSchema = outputSchemaOf(job);
  const wanted = outputSchema === null ? [] : [outputInstruction(outputSchema)];
  return { system: [job.agent.systemPrompt, ...notes, ...wanted].join("\n\n"), entries, tools, outputSchema };
}

/** Whether an answer fits the job's schema; undefined without a schema, null if `signal` aborts first. */
export async function checkedOutput(
  outputs: OutputPort,
  job: Job,
  blocks: readonly Block[],
  signal: AbortSignal,
): Promise<CheckedOutput | null | undefined> {
  const schema = outputSchemaOf(job);
  if (schema === null) return undefined;
  return outputs.check({ organizationId: job.organizationId, schema, text: textOf(blocks) }, signal);
}
