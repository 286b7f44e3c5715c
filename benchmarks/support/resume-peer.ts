/**
 * What `benchmarks/resume.ts` needs from a system: a run of many words with many readers during a crash, and the data
 * that is stored in the end.
 */

/** A started run. */
export interface ResumeRun {
  /** Reads all of it with the client of the system, which reconnects by itself; resolves at the end of the run. */
  read(record: ReaderRecord, signal: AbortSignal): Promise<void>;
  /** Kills the server and restarts it; resolves when it serves. */
  crash(): Promise<void>;
  /** The stored data in the form that readers must have, after the run is over or the time is up. */
  stored(): Promise<readonly string[]>;
}

export interface ResumePeer {
  readonly name: string;
  begin(words: number, everyMs: number): Promise<ResumeRun>;
}

/** The words of the fake provider: one for each piece, all different. */
export const wordsOf = (text: string): string[] => text.split(" ").filter((word) => word !== "");

/** What one reader received over all of its connections. */
export class ReaderRecord {
  /** Each received id with its content, in order of arrival; an id may arrive twice. */
  readonly told: (readonly [id: string, what: string])[] = [];
  /** The data that the reader's user has now. */
  units: string[] = [];
  /** When the end arrived; of `performance.now()`. */
  endedAt: number | null = null;
  /** When data first arrived after `watch`. */
  backAt: number | null = null;
  private isWatched = false;

  watch(): void {
    this.isWatched = true;
  }

  take(id: string, what: string): void {
    this.told.push([id, what]);
    if (this.isWatched) this.backAt ??= performance.now();
  }

  end(): void {
    this.endedAt ??= performance.now();
  }
}
