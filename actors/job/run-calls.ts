/**
 * The tool calls of a run (JOB-7): those of a step are made side by side, each result is committed by
 * itself, and none is made before it is committed that it may have been. While all of them wait for
 * other jobs, the run's place is theirs (JOB-10).
 */
import { assert } from "../assert.ts";
import type { ChatCommand } from "../chat/protocol.ts";
import type { Clock } from "../runtime/clock.ts";
import { type CallUnderWay, CallsUnderWay, type Place } from "./place.ts";
import type { Toolbox } from "./ports.ts";
import type { Pulse } from "./pulse.ts";
import type { Reporter } from "./reporter.ts";
import type { Transcript } from "./run-transcript.ts";
import { contextOf, type Job } from "./schema.ts";
import type { OpenCall } from "./terms.ts";
import { withinGrace } from "./tool-grace.ts";

/** What the calls have of their run. */
interface CallerParts {
  readonly reporter: Reporter;
  readonly pulse: Pulse;
  readonly place: Place;
  readonly attempt: number;
}

/** What is called, where the calls stand, where their results go, and what the chat is told when the job has come to a stand. */
interface Told {
  readonly tools: Toolbox;
  readonly transcript: Transcript;
  readonly turnAfter: (job: Job) => readonly ChatCommand[];
}

export class RunCalls {
  private readonly clock: Clock;
  private readonly run: CallerParts;

  constructor(clock: Clock, run: CallerParts) {
    this.clock = clock;
    this.run = run;
  }

  /** Makes the calls; false when the run was called off meanwhile. Throws `RunOver` when the job has moved on. */
  async make(calls: readonly OpenCall[], told: Told, signal: AbortSignal): Promise<boolean> {
    const { reporter, place, attempt } = this.run;
    const { id: jobId } = reporter.job;
    const callIds = calls.map((call) => call.id);
    const named = calls.map(({ id, name }) => ({ id, name }));
    await reporter.report({ kind: "tools_started", attempt, callIds }, () => [
      { kind: "tools_started", jobId, calls: named },
    ]);
    const underWay = new CallsUnderWay(place, calls.length);
    await Promise.all(
      calls.map(async (call) => {
        const one = underWay.call();
        await this.one(call, { told, signal, waits: one.waits }).finally(one.ends);
      }),
    );
    return (await place.take(signal)) && !signal.aborted;
  }

  private async one(
    { id: callId, name, arguments: edited, openedAt }: OpenCall,
    { told, signal, waits }: { readonly told: Told; readonly signal: AbortSignal } & Pick<CallUnderWay, "waits">,
  ): Promise<void> {
    const { reporter, pulse, attempt } = this.run;
    const { id: jobId, step, createdAt } = reporter.job;
    const call = told.transcript.call(callId);
    assert(call !== null, "an open call is in the transcript");
    const context = contextOf(reporter.job);
    const idempotencyKey = `${jobId}:${step}:${callId}`;
    const host = pulse.host(waits);
    await reporter.entitled(signal);
    if (signal.aborted) return;
    const input = edited ?? call.input;
    const made = told.tools.call(
      { name, input, idempotencyKey, openedAt: openedAt ?? createdAt, context, host },
      signal,
    );
    const result = await withinGrace(made, signal, this.clock);
    if (result === null || signal.aborted) return;
    const { content, isError } = result;
    told.transcript.add({ type: "tool_result", tool_use_id: callId, content, is_error: isError });
    await reporter.report({ kind: "tool_finished", attempt, callId, content, isError }, (job) => [
      { kind: "tool_ended", jobId, callId, isError },
      ...told.turnAfter(job),
    ]);
  }
}
