/**
 * One run in a session of a connection: its updates go to the editor, its questions are asked there, and the end of the
 * run is the answer to the prompt. A stream that ends before its run is opened again; what was shown is not shown twice.
 *
 *   call ──▶ stream ──▶ updates … ──▶ stopped, failed ──▶ the prompt's answer
 *    ▲         │ interrupted: the owner has changed, the reader was too slow
 *    └─────────┘
 */
import { sleep } from "../../../../actors/runtime/backoff.ts";
import type { JsonObject } from "../../../../actors/schema.ts";
import type { Clock } from "../../../../actors/runtime/ports.ts";
import { ACP_INTERNAL_ERROR, ACP_REFUSED, type AcpError, RUN_INTERRUPTED } from "../error-codes.ts";
import type { AcpApproval, AcpFrame } from "../run-frames.ts";
import type { AcpAnswers } from "../run-operations.ts";
import type { RunClientCall } from "../../runs/run-item.ts";
import { EditorCalls } from "./editor-calls.ts";
import type { EditorPort } from "./editor-port.ts";
import type { ServiceCalls } from "./service-calls.ts";
import { aside, RepeatedRun } from "./repeated-run.ts";

export interface RunTurnParts {
  readonly calls: Pick<ServiceCalls, "call">;
  readonly editor: EditorPort;
  readonly clock: Pick<Clock, "after">;
  readonly sessionId: string;
  readonly cwd: string | undefined;
  readonly asksFirst: () => boolean;
  /** The call that begins or finds the run, and streams it. */
  readonly call: { readonly method: string; readonly params: JsonObject };
  readonly onBegun: (jobId: string) => void;
}

export type RunTurnEnd = { readonly result: JsonObject } | { readonly error: AcpError };

/** Between two attempts to open the stream again; together they last for as long as a take-over by another replica may. */
const REOPEN_MS = [100, 250, 500, 1_000, 2_000, 4_000, 8_000, 8_000] as const;
const LOST: AcpError = {
  code: ACP_INTERNAL_ERROR,
  message: "The stream of the run was interrupted, and the run continues: load the session again",
  data: { code: RUN_INTERRUPTED },
};

export class RunTurn {
  private readonly parts: RunTurnParts;
  private readonly shown = new RepeatedRun();
  private readonly over = new AbortController();
  /** Questions that the editor has not answered yet, by the approval or the call. */
  private readonly asked = new Map<string, AbortController>();
  /** The run; null: it has not begun. */
  jobId: string | null = null;
  private isCancelled = false;
  private cancelError: AcpError | null = null;

  constructor(parts: RunTurnParts) {
    this.parts = parts;
  }

  /** Whether no prompt waits for its end. */
  get isOnlyWatched(): boolean {
    return this.parts.call.method !== "session/prompt";
  }

  async run(): Promise<RunTurnEnd> {
    try {
      for (let attempt = 0; ;) {
        const end = await this.read(() => (attempt = 0));
        if (end !== null) return end;
        const waitMs = REOPEN_MS[attempt++];
        if (waitMs === undefined || this.over.signal.aborted) return { error: LOST };
        this.shown.rewind();
        await sleep(waitMs, this.parts.clock, this.over.signal);
      }
    } finally {
      this.end();
    }
  }

  /** The user has cancelled the prompt: the run is cancelled, and its end is the answer. */
  async cancel(): Promise<void> {
    this.isCancelled = true;
    const { jobId } = this;
    for (const question of this.asked.values()) question.abort();
    if (jobId === null) return;
    const answer = await this.parts.calls.call("_cancel", { jobId }, this.over.signal);
    if (answer.kind !== "error") return;
    this.cancelError = answer.error;
    this.end();
  }

  /** Nobody reads it any more. The run goes on. */
  end(): void {
    for (const question of this.asked.values()) question.abort();
    this.over.abort();
  }

  /** Reads the stream to its end; null: it ended before its run. */
  private async read(hasBegun: () => void): Promise<RunTurnEnd | null> {
    const { calls, call, editor } = this.parts;
    const ending = Promise.withResolvers<RunTurnEnd>();
    const take = (frame: AcpFrame): void => {
      hasBegun();
      const end = this.take(frame);
      if (end !== null) ending.resolve(end);
    };
    try {
      const answer = await calls.call(call.method, call.params, this.over.signal, { take, room: () => editor.room() });
      if (answer.kind === "error") return answer.isPassing && this.jobId !== null ? null : { error: answer.error };
      if (answer.kind === "result") return { result: answer.result };
      const end = await Promise.race([ending.promise, answer.over]);
      if (end !== null) return end;
    } catch (cause) {
      if (!this.over.signal.aborted && this.jobId === null) throw cause;
    }
    return this.cancelError === null ? null : { error: this.cancelError };
  }

  private take(frame: AcpFrame): RunTurnEnd | null {
    switch (frame.kind) {
      case "begun":
        this.jobId = frame.jobId;
        this.parts.onBegun(frame.jobId);
        if (this.isCancelled) void this.cancel();
        return null;
      case "update":
        this.show(this.shown.take(frame.update));
        return null;
      case "approvals":
        for (const approval of frame.approvals)
          this.askOnce(approval.approvalId, (signal) => this.decide(approval, signal));
        return null;
      case "decided":
        this.asked.get(frame.approvalId)?.abort();
        return null;
      case "calls":
        this.askOnce(frame.calls.map(({ id }) => id).join(" "), (signal) => this.runCalls(frame.calls, signal));
        return null;
      case "stopped":
        this.show(this.shown.end());
        return { result: { stopReason: frame.stopReason, _meta: { troupe: frame.meta } } };
      case "failed":
        return { error: { code: ACP_REFUSED, message: frame.message, data: { code: frame.code } } };
      case "interrupted":
        return null;
      default:
        return frame satisfies never;
    }
  }

  private show(updates: readonly JsonObject[]): void {
    const { editor, sessionId } = this.parts;
    for (const update of updates) editor.notify("session/update", { sessionId, update });
  }

  /** A stream that is opened again asks again: what the editor is asked already is not asked twice. */
  private askOnce(id: string, ask: (signal: AbortSignal) => Promise<void>): void {
    if (this.asked.has(id) || this.isCancelled) return;
    const question = new AbortController();
    this.asked.set(id, question);
    void ask(question.signal).finally(() => this.asked.delete(id));
  }

  private editorCalls(): EditorCalls {
    const { editor, sessionId, cwd, asksFirst } = this.parts;
    return new EditorCalls({ editor, sessionId, jobId: this.jobId ?? "", cwd, asksFirst });
  }

  private async decide(approval: AcpApproval, signal: AbortSignal): Promise<void> {
    const decision = await this.editorCalls().decide(approval, signal);
    if (decision === null) return;
    const { isApproved, arguments: given } = decision;
    const changed = given === null || !isApproved ? {} : { arguments: given };
    await this.answer({ approvals: [{ approval_id: approval.approvalId, is_approved: isApproved, ...changed }] });
  }

  private async runCalls(calls: readonly RunClientCall[], signal: AbortSignal): Promise<void> {
    const editor = this.editorCalls();
    const results: AcpAnswers["results"] = [];
    // One after the other: a later call may need what an earlier one has written.
    for (const call of calls) {
      const result = await editor.run(call, signal);
      if (result === null) return;
      results.push({ call_id: call.id, content: result.content, is_error: result.isError });
    }
    await this.answer({ results });
  }

  /**
   * Gives the answers, also to an owner who is just taking over. A refusal is shown to the user; the run still waits.
   */
  private async answer(answers: AcpAnswers): Promise<void> {
    for (const waitMs of [...REOPEN_MS, null]) {
      const given = await this.parts.calls
        .call("_answer", { jobId: this.jobId ?? "", answers }, this.over.signal)
        .catch(() => null);
      if (this.over.signal.aborted || (given !== null && given.kind !== "error")) return;
      if (given?.isPassing === false || waitMs === null) {
        const words = given === null ? "The service could not take the answer" : given.error.message;
        this.show([aside({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: words } })]);
        return;
      }
      await sleep(waitMs, this.parts.clock, this.over.signal);
    }
  }
}
