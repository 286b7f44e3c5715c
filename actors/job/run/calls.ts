/**
 * The tool calls of a run (JOB-7). The calls of a step run side by side. Each result is committed by itself, and no
 * call runs before its start is committed: with its step, or by a resumed run. While all of them wait for other jobs,
 * the run releases its job slot (JOB-10). Only a few begin in one turn of the event loop (FAIR-9).
 */
import { assert } from "../../assert.ts";
import type { ChatCommand } from "../../chat/protocol.ts";
import { CallsUnderWay, type CallUnderWay, type JobSlot } from "./job-slot.ts";
import { madeBy } from "../artifacts.ts";
import { inVainWords } from "../lacking-calls.ts";
import { callsLeft } from "../open-calls.ts";
import { eventArguments, eventResult } from "../events.ts";
import type { Toolbox, ToolResult } from "../ports.ts";
import type { Pulse } from "./pulse.ts";
import type { Reporter } from "./reporter.ts";
import { toolContextOf, type RunServices } from "./services.ts";
import { runSlice } from "./run-slices.ts";
import type { Transcript } from "./transcript.ts";
import type { Block, Job } from "../schema.ts";
import type { OpenCall } from "../terms.ts";
import { JOB_RESULT_FILE_BYTES, JOB_RESULT_FILES } from "../limits.ts";
import type { Clock } from "../../runtime/ports.ts";

/** The parts of the run that its calls use. */
interface ToolCallerParts {
  readonly reporter: Reporter;
  readonly pulse: Pulse;
  readonly slot: JobSlot;
}

/** The tools, the transcript for their results, and the chat's part of a report that settles the job. */
interface CallTargets {
  readonly tools: Toolbox;
  readonly transcript: Transcript;
  readonly turnAfter: (job: Job) => readonly ChatCommand[];
}

/** What one call needs of those beside it. */
interface CallSurroundings extends Pick<CallUnderWay, "waits"> {
  readonly targets: CallTargets;
  readonly signal: AbortSignal;
  readonly room: FileRoom;
  /** Notes that the call may have an effect from now on. */
  begins(): void;
}

export class RunCalls {
  private readonly parts: Pick<RunServices, "clock" | "runSlices">;
  private readonly run: ToolCallerParts;

  constructor(parts: Pick<RunServices, "clock" | "runSlices">, run: ToolCallerParts) {
    this.parts = parts;
    this.run = run;
  }

  /** Commits the start of open calls. */
  async start(calls: readonly OpenCall[], transcript: Transcript): Promise<void> {
    const { reporter } = this.run;
    const { attempt } = reporter;
    const callIds = calls.map((call) => call.id);
    await reporter.report({ kind: "tools_started", attempt, callIds }, ({ id }) => shownStart(id, calls, transcript));
  }

  /** Makes started calls; false if the run was aborted meanwhile. Throws `RunOver` if the job has moved on. */
  async make(calls: readonly OpenCall[], targets: CallTargets, signal: AbortSignal): Promise<boolean> {
    const { reporter, slot } = this.run;
    const underWay = new CallsUnderWay(slot, calls.length);
    const room = new FileRoom(targets.transcript.blocks);
    const notMade = new Set(calls.map(({ id }) => id));
    try {
      await Promise.all(
        calls.map(async (call) => {
          const one = underWay.call();
          const begins = (): void => void notMade.delete(call.id);
          await this.one(call, { targets, signal, waits: one.waits, begins, room }).finally(one.ends);
        }),
      );
    } finally {
      // The process ends, or gives its shard away: without this, unsafe calls would wait for a person.
      // After a bug of one call, others may still begin.
      if (notMade.size > 0 && signal.aborted)
        await reporter.mention({ kind: "tools_not_made", attempt: reporter.attempt, callIds: [...notMade] });
    }
    return (await slot.take(signal)) && !signal.aborted;
  }

  private async one(
    { id: callId, name, arguments: edited, openedAt, refusal }: OpenCall,
    { targets, signal, waits, begins, room }: CallSurroundings,
  ): Promise<void> {
    const { reporter, pulse } = this.run;
    const { attempt } = reporter;
    const { id: jobId, step, createdAt } = reporter.job;
    const call = targets.transcript.call(callId);
    assert(call !== null, "an open call is in the transcript");
    const context = toolContextOf(reporter.job);
    const idempotencyKey = `${jobId}:${step}:${callId}`;
    const host = { ...pulse.host(waits), admitFile: (bytes: number) => room.admit(bytes) };
    const turn = runSlice(this.parts, context.organizationId);
    if (turn !== null) await turn;
    await reporter.entitled(signal);
    if (signal.aborted) return;
    const input = edited ?? call.input;
    begins();
    const calling =
      refusal === undefined
        ? targets.tools.call({ name, input, idempotencyKey, openedAt: openedAt ?? createdAt, context, host }, signal)
        : Promise.resolve<ToolResult>({ content: refusal, isError: true });
    const result = await withinGrace(calling, signal, this.parts.clock);
    if (result === null || signal.aborted) return;
    if (result.lacks !== undefined) {
      const lacking = { kind: "call_lacks_connection", attempt, callId, need: result.lacks } as const;
      await reporter.report(lacking, (job) => targets.turnAfter(job));
      // It has waited for just this before: the record has that as its result.
      if (callsLeft(reporter.job).some(({ id }) => id === callId)) return;
      const content = inVainWords(result.lacks);
      targets.transcript.add({ type: "tool_result", tool_use_id: callId, content, is_error: true });
      return;
    }
    const { content, isError, artifacts = [], attachments = [] } = result;
    const block = { type: "tool_result", tool_use_id: callId, content, is_error: isError } as const;
    targets.transcript.add(attachments.length === 0 ? block : { ...block, attachments: [...attachments] });
    const made = { callId, content, isError, artifacts, attachments };
    await reporter.report({ kind: "tool_finished", attempt, ...made }, (job) => [
      {
        kind: "tool_ended",
        jobId,
        callId,
        isError,
        ...eventResult(content),
        attachments,
        artifacts: madeBy(job.artifacts ?? [], callId),
      },
      ...targets.turnAfter(job),
    ]);
  }
}

/** Tells the chat that calls run. */
export function shownStart(
  jobId: string,
  calls: readonly OpenCall[],
  transcript: Transcript,
): readonly Extract<ChatCommand, { readonly kind: "tools_started" }>[] {
  if (calls.length === 0) return [];
  const named = calls.map(({ id, name, arguments: edited }) => ({
    id,
    name,
    arguments: eventArguments(edited ?? transcript.call(id)?.input ?? {}),
  }));
  return [{ kind: "tools_started", jobId, calls: named }];
}

/** How many more images and files of tool results a job may keep. Those that it has kept are in its transcript. */
class FileRoom {
  private files = JOB_RESULT_FILES;
  private bytes = JOB_RESULT_FILE_BYTES;

  constructor(blocks: readonly Block[]) {
    for (const block of blocks)
      if (block.type === "tool_result") for (const { size } of block.attachments ?? []) this.admit(size);
  }

  /** Counts one more file; false if the job may keep no more. */
  admit(bytes: number): boolean {
    if (this.files < 1 || this.bytes < bytes) return false;
    this.files -= 1;
    this.bytes -= bytes;
    return true;
  }
}

/** How long an aborted tool may take to end; after that its result is dropped. */
export const TOOL_GRACE_MS = 5_000;

/** The result of `work`; null if the signal aborts and the grace period passes first. */
export async function withinGrace<T>(work: Promise<T>, signal: AbortSignal, clock: Clock): Promise<T | null> {
  const over = Promise.withResolvers<null>();
  let cancel = (): void => {};
  const stop = (): void => {
    cancel = clock.after(TOOL_GRACE_MS, () => over.resolve(null));
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
    cancel();
  }
}
