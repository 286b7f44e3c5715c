/**
 * Who is next in the sandbox. Each lane (an organization) has its jobs in order, one at a time or a few;
 * lanes take turns, so that six slow jobs of one cost another one turn and not six. Those that have used more than
 * their share of the event loop lately wait behind the others (FAIR-4).
 */

/** What one lane may have waiting: jobs, and bytes of their content. */
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
  /** The lane that is first has the next turn. */
  private readonly lanes = new Map<string, Lane>();
  private free: number;
  private readonly ofLane: number;
  private readonly isOverShare: (name: string) => boolean;

  /** Jobs at a time: of all lanes, and of one. `isOverShare`: whether a lane has used more than its share of the event loop. */
  constructor(places: number, ofLane = 1, isOverShare: (name: string) => boolean = () => false) {
    this.free = places;
    this.ofLane = ofLane;
    this.isOverShare = isOverShare;
  }

  /** Resolves with the function that gives the place back; `busy` where the lane has too much waiting. */
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
    // Looked at once: one that changes between the two rounds would be in neither.
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
        // To the end: all others have their turn first.
        this.lanes.delete(name);
        this.lanes.set(name, lane);
        first.begin();
      }
  }

  private forget(name: string, lane: Lane): void {
    if (lane.busy === 0 && lane.waiting.length === 0) this.lanes.delete(name);
  }
}
