/** What a benchmark is to the runner: a name, and a run that answers a section of RESULTS.md. */
import type { Lifetime } from "./lifetime.ts";

/** How long, and where what is started is given up again. */
export interface BenchmarkContext {
  /** Interleaved rounds; the smallest cost and the best rate of them count. */
  readonly rounds: number;
  /** Seconds of each measurement in each round. */
  readonly seconds: number;
  readonly lifetime: Lifetime;
  /** Progress, for the person who waits. */
  say(line: string): void;
}

/** One aim of the project and what was measured for it. */
export interface Aim {
  readonly aim: string;
  readonly figure: string;
  readonly holds: boolean;
}

export interface Report {
  /** Markdown: tables and what they mean. */
  readonly text: string;
  readonly aims: readonly Aim[];
  /** Peers that were not there, by name, and why. */
  readonly skipped: readonly string[];
}

export interface Benchmark {
  /** One line. */
  readonly question: string;
  run(context: BenchmarkContext): Promise<Report>;
}
