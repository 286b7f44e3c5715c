/** The interface of a benchmark: a name, and a run that answers a section of RESULTS.md. */
import type { Lifetime } from "./lifetime.ts";

/** The duration of the measurements, and the lifetime of what they start. */
export interface BenchmarkContext {
  /** Interleaved rounds; the smallest cost and the best rate count. */
  readonly rounds: number;
  /** Seconds of each measurement in each round. */
  readonly seconds: number;
  readonly lifetime: Lifetime;
  /** Prints progress for the person who waits. */
  say(line: string): void;
}

/** One aim of the project and its measurement. */
export interface Aim {
  readonly aim: string;
  readonly figure: string;
  readonly holds: boolean;
}

export interface Report {
  /** Markdown: tables and explanations. */
  readonly text: string;
  readonly aims: readonly Aim[];
  /** Missing peers by name, and why. */
  readonly skipped: readonly string[];
  /** A page of the documentation that has the tables, by its path in the repository. */
  readonly page?: { readonly path: string; readonly text: string };
}

export interface Benchmark {
  /** One line. */
  readonly question: string;
  run(context: BenchmarkContext): Promise<Report>;
}
