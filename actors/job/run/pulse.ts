/**
 * Heartbeats, progress and log lines of a run (SSE-8). All are bounded, so that a chatty tool costs a few commits and
 * not thousands: progress is reported at most once a second, and log lines are counted.
 */
import { cutText } from "../../cut-text.ts";
import type { Clock } from "../../runtime/ports.ts";
import type { ToolHost } from "../ports.ts";
import type { ProgressReport } from "../protocol.ts";
import type { JobProgress } from "../terms.ts";

/** The interval of heartbeats: a run of half an hour has at most 60. */
export const RUN_HEARTBEAT_MS = 30_000;
/** The shortest interval between two reports of progress. */
export const PROGRESS_MS = 1_000;
/** Log lines of one run; further ones are dropped. */
export const LOG_LINES = 100;
/** Characters of a log line, and of a progress label. */
export const LINE_CHARACTERS = 500;

export class Pulse {
  private readonly clock: Clock;
  private readonly attempt: () => number;
  private readonly report: (command: ProgressReport) => Promise<void>;
  private cancelBeat: () => void = () => {};
  private cancelProgress: () => void = () => {};
  private latest: JobProgress | null = null;
  private isPaused = false;
  private isOver = false;
  private lines = 0;

  /** `report` never rejects: a run that is over learns so from its next report. */
  constructor(clock: Clock, attempt: () => number, report: (command: ProgressReport) => Promise<void>) {
    this.clock = clock;
    this.attempt = attempt;
    this.report = report;
  }

  start(): void {
    this.cancelBeat = this.clock.after(RUN_HEARTBEAT_MS, () => {
      this.start();
      void this.report({ kind: "run_alive", attempt: this.attempt(), progress: null });
    });
  }

  stop(): void {
    this.isOver = true;
    this.cancelBeat();
    this.cancelProgress();
  }

  /** The reporting functions for one call. */
  host(waits: () => void): Omit<ToolHost, "admitFile"> {
    return { progress: (progress) => this.progress(progress), log: (level, text) => this.log(level, text), waits };
  }

  private progress({ percent, label }: JobProgress): void {
    if (this.isOver) return;
    this.latest = {
      percent: percent === null ? null : Math.min(100, Math.max(0, percent)),
      label: label === null ? null : cutText(label, LINE_CHARACTERS),
    };
    if (!this.isPaused) this.tell();
  }

  private log(level: "info" | "warn", text: string): void {
    if (this.isOver || ++this.lines > LOG_LINES) return;
    const message = cutText(text, LINE_CHARACTERS);
    void this.report({ kind: "run_logged", attempt: this.attempt(), level, message });
  }

  private tell(): void {
    const progress = this.latest;
    this.isPaused = progress !== null;
    if (progress === null) return;
    this.latest = null;
    this.cancelProgress = this.clock.after(PROGRESS_MS, () => this.tell());
    void this.report({ kind: "run_alive", attempt: this.attempt(), progress });
  }
}
