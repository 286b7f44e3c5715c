/**
 * Divides the work of a process's runs on the event loop into slices. The runs of one organization that resume
 * together, or the calls of one large step, occupy the loop for a few units at a time, and organizations take turns. If
 * only one organization is at work, nothing waits.
 */
import type { Slices } from "../../runtime/fairness/slices.ts";
import type { TranscriptEntry } from "../ports.ts";
import type { ProgressReport } from "../protocol.ts";

/** Units of a slice. One unit, such as a call that begins or a report, takes some tenths of a millisecond. */
export const RUN_SLICE = 4;
/** Units of a model call that begins, without its text. */
export const STEP_UNITS = 2;
/** Characters sent to a model, or stored by a report, that cost one more unit. */
export const UNIT_CHARACTERS = 16 * 1024;
/** Tool calls in a report that cost one more unit. */
const CALLS_OF_UNIT = 16;

export interface RunSlices {
  readonly runSlices?: Slices;
}

/** Resolves when this organization may go on. Null: now. */
export const runSlice = ({ runSlices }: RunSlices, organizationId: string, cost = 1): Promise<void> | null =>
  runSlices?.take(Math.min(cost, RUN_SLICE), organizationId) ?? null;

const sliceUnits = (characters: number): number => Math.floor(characters / UNIT_CHARACTERS);

/** The cost of a model call: its prompt is made of the whole conversation. */
export function costOfStep(entries: readonly TranscriptEntry[]): number {
  let characters = 0;
  for (const entry of entries) {
    if (entry.role === "user") characters += entry.text.length;
    else
      for (const block of entry.blocks) {
        if (block.type === "text") characters += block.text.length;
        if (block.type === "tool_result") characters += block.content.length;
      }
  }
  return STEP_UNITS + sliceUnits(characters);
}

/** The cost of a report: many calls or a long text make it larger. */
export function costOfReport(report: ProgressReport): number {
  // It opens its calls and starts them.
  if (report.kind === "step_finished")
    return 1 + Math.floor((2 * report.calls.length) / CALLS_OF_UNIT) + sliceUnits(report.result.length);
  if (report.kind === "tools_started") return 1 + Math.floor(report.callIds.length / CALLS_OF_UNIT);
  return 1;
}
