/**
 * What the runs of a process do on the event loop, in slices: the runs of one organization that go on together, and the
 * calls of one large step, hold the loop no longer than a few of them, and organizations take turns. With one organization
 * at work nothing waits.
 */
import type { Slices } from "../../runtime/slices.ts";
import type { TranscriptEntry } from "../ports.ts";
import type { ProgressReport } from "../protocol.ts";

/** Units of a slice; one is some tenths of a millisecond: a call that begins, a report of a run. */
export const RUN_SLICE = 4;
/** Of a model call that begins, apart from its text. */
export const STEP_UNITS = 2;
/** Characters that a model is sent, or that a report stores, for one unit more. */
export const UNIT_CHARACTERS = 16 * 1024;
/** Tool calls that a report names, for one unit more. */
const CALLS_OF_UNIT = 16;

export interface RunSlices {
  readonly runSlices?: Slices;
}

/** Resolves at once, or when it is the turn of this organization. Null: now. */
export const runTurn = ({ runSlices }: RunSlices, organizationId: string, cost = 1): Promise<void> | null =>
  runSlices?.take(Math.min(cost, RUN_SLICE), organizationId) ?? null;

const unitsOf = (characters: number): number => Math.floor(characters / UNIT_CHARACTERS);

/** Of a model call: its prompt is made of the whole conversation. */
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
  return STEP_UNITS + unitsOf(characters);
}

/** Of a report: one that names many calls, or that has a long text, is larger. */
export function costOfReport(report: ProgressReport): number {
  if (report.kind === "step_finished")
    return 1 + Math.floor(report.calls.length / CALLS_OF_UNIT) + unitsOf(report.result.length);
  if (report.kind === "tools_started") return 1 + Math.floor(report.callIds.length / CALLS_OF_UNIT);
  return 1;
}
