/**
 * What `benchmarks/resume.ts` asks of a system: a run of many words that is read by many while the system
 * is killed, and what of it is stored in the end.
 */

/** A run that has begun. */
export interface ResumeRun {
  /** Reads all of it with the client of the system, which comes back by itself; resolves at the end of the run. */
  read(record: ReaderRecord, signal: AbortSignal): Promise<void>;
  /** Kills the server and starts it again; it serves when this resolves. */
  crash(): Promise<void>;
  /** What is stored, as a reader must have it: once the run is over, or the time is up. */
  stored(): Promise<readonly string[]>;
}

export interface ResumePeer {
  readonly name: string;
  begin(words: number, everyMs: number): Promise<ResumeRun>;
}

/** What the fake provider says: a word for each piece, no two alike. */
export const wordsOf = (text: string): string[] => text.split(" ").filter((word) => word !== "");

/** What one reader was told, over all of its connections. */
export class ReaderRecord {
  /** What each id stood for, in the order in which it came; an id may come twice. */
  readonly told: (readonly [id: string, what: string])[] = [];
  /** What its user has now. */
  units: string[] = [];
  /** When the end came; of `performance.now()`. */
  endedAt: number | null = null;
  /** When something came for the first time after `watch`. */
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
