/**
 * Structured answers (JOB-16): if a job has an output schema, the report of its last step includes the check of its
 * answer.
 *
 *   last step ─┬─ valid ────────────────────────▶ the job's value, completed (or reviewed)
 *              ├─ invalid, repairs left ──▶ the model gets the errors, and makes another step
 *              └─ invalid, none left ─────▶ failed with `output_invalid` and the errors
 *
 * The request to repair is in the transcript, committed with the answer that it is about. So a run that is killed in
 * between resumes with both.
 */
import type { Tx } from "../runtime/actor.ts";
import type { JsonObject } from "../schema.ts";
import { appendJobEvent } from "./events.ts";
import type { StepFinished } from "./protocol.ts";
import type { Job, JobIn } from "./schema.ts";
import { transcriptEventOf } from "./transcript.ts";
import { completeJob, failJob } from "./transitions.ts";
import type { OutputError } from "./terms.ts";

/** Answers of one job that are sent back to the model for repair. */
export const OUTPUT_REPAIRS = 2;

/** The instruction about the schema, also for providers that enforce one. */
export const outputInstruction = (schema: JsonObject): string =>
  `Your final answer must be one JSON value that fits this JSON Schema, and nothing else: no other text, no Markdown.\n${JSON.stringify(schema)}`;

/** The request to the model after an answer that does not fit. */
export function repairRequest(errors: readonly OutputError[]): string {
  const lines = errors.map(({ path, message }) => `- ${path === "" ? "/" : path}: ${message}`);
  return [
    "Your answer does not fit the JSON Schema that it must fit:",
    ...lines,
    "Answer again with the whole corrected JSON value, and nothing else.",
  ].join("\n");
}

/** The job after its last step. */
export function answeredJob(
  tx: Tx,
  before: JobIn<"running">,
  { result, output, citations = [] }: Pick<StepFinished, "result" | "output" | "citations">,
): Job {
  const job = citations.length === 0 ? before : { ...before, citations: [...citations] };
  if (output === undefined) return completeJob(tx, job, result);
  if (output.kind === "valid") return completeJob(tx, { ...job, output: output.value }, result);
  const { outputRepairs = 0 } = job;
  const errors = [...output.errors];
  if (outputRepairs >= OUTPUT_REPAIRS) {
    const message = `The answer does not fit the output schema, even after ${OUTPUT_REPAIRS} repairs`;
    return failJob(tx, job, { error: { code: "output_invalid", message, errors }, result });
  }
  appendJobEvent(tx, "transcript.event", transcriptEventOf({ type: "repair", text: repairRequest(errors) }));
  return { ...job, result, outputRepairs: outputRepairs + 1 };
}
