/**
 * Decides which job is next in the sandbox. Each lane (an organization) runs its jobs in order, one or a few at a time.
 * Lanes take turns, so that six slow jobs of one lane cost another lane one turn and not six. Lanes that have recently
 * used more than their share of the event loop wait behind the others (FAIR-4).
 */

/** Limits of a lane's waiting jobs: their number, and bytes of their content. */
export const MAX_WAITING_JOBS = 1_024;
export const MAX_WAITING_BYTES = 128 * 1024 * 1024;

interface Waiting {
  readonly bytes: number;
  readonly begin: () => void;
}

interface Lane {
  busy: number;
  bytes: number;
  readonly waiting: Waiting[];
}

export class Lanes {
  /** The first lane has the next turn. */
  private readonly lanes = new Map<string, Lane>();
  private free: number;
  private readonly ofLane: number;
  private readonly isOverShare: (name: string) => boolean;

  /**
   * `places`, `ofLane`: jobs at a time, of all lanes and of one. `isOverShare`: whether a lane has used more than its
   * share of the event loop.
   */
  constructor(places: number, ofLane = 1, isOverShare: (name: string) => boolean = () => false) {
    this.free = places;
    this.ofLane = ofLane;
    this.isOverShare = isOverShare;
  }

  /** Resolves with a function that releases the place; `busy` if too much is waiting in the lane. */
  enter(name: string, bytes: number, signal?: AbortSignal): Promise<(() => void) | "busy" | "aborted"> {
    if (signal?.aborted === true) return Promise.resolve("aborted");
    const lane = this.lanes.get(name) ?? { busy: 0, bytes: 0, waiting: [] };
    if (lane.waiting.length >= MAX_WAITING_JOBS || lane.bytes + bytes > MAX_WAITING_BYTES)
      return Promise.resolve("busy");
    this.lanes.set(name, lane);
    return new Promise((resolve) => {
      const leave = (): void => {
        lane.waiting.splice(lane.waiting.indexOf(entry), 1);
        lane.bytes -= bytes;
        this.forget(name, lane);
        resolve("aborted");
      };
      const entry: Waiting = {
        bytes,
        begin: () => {
          signal?.removeEventListener("abort", leave);
          resolve(() => this.end(name, lane));
        },
      };
      signal?.addEventListener("abort", leave, { once: true });
      lane.waiting.push(entry);
      lane.bytes += bytes;
      this.next();
    });
  }

  private end(name: string, lane: Lane): void {
    lane.busy--;
    this.free++;
    this.forget(name, lane);
    this.next();
  }

  private next(): void {
    // Evaluated once: a lane that changes between the two rounds would be in neither.
    const late = new Set([...this.lanes.keys()].filter((name) => this.isOverShare(name)));
    for (const isLate of [false, true])
      for (const [name, lane] of this.lanes) {
        if (this.free === 0) return;
        if (lane.busy >= this.ofLane || late.has(name) !== isLate) continue;
        const first = lane.waiting.shift();
        if (first === undefined) continue;
        this.free--;
        lane.busy++;
        lane.bytes -= first.bytes;
        // Moves it to the end: all others have their turn first.
        this.lanes.delete(name);
        this.lanes.set(name, lane);
        first.begin();
      }
  }

  private forget(name: string, lane: Lane): void {
    if (lane.busy === 0 && lane.waiting.length === 0) this.lanes.delete(name);
  }
}
