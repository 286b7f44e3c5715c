/**
 * While others are active, large work pauses after each of its statements, for as long as the statement took beyond a
 * small one. Meanwhile the others have PostgreSQL, its cores and its disk. Without the pause, their statements mostly
 * wait for a large one's sync.
 */
import type { Clock } from "../ports.ts";
import type { LoopTime } from "../fairness/loop-time.ts";

/**
 * The duration of a statement of a few small groups. An organization over its share that sends only these does not
 * rest.
 */
export const SMALL_MS = 2;
/** The longest pause. On a slow disk, most of a statement's duration is waiting. */
export const MOST_REST_MS = 10;

export class LargeRest {
  private readonly clock: Pick<Clock, "after" | "monotonic"> | null;
  private readonly time: Pick<LoopTime, "isShared">;

  /** Without a clock there are no pauses. */
  constructor(clock: Pick<Clock, "after" | "monotonic"> | null, time: Pick<LoopTime, "isShared">) {
    this.clock = clock;
    this.time = time;
  }

  /** When a statement begins. */
  begin(): number {
    return this.clock?.monotonic() ?? 0;
  }

  /** Resolves when the next statement may begin; null: now. */
  after(begunAt: number): Promise<void> | null {
    const { clock } = this;
    if (clock === null || !this.time.isShared) return null;
    const restMs = Math.min(Math.round(clock.monotonic() - begunAt) - SMALL_MS, MOST_REST_MS);
    return restMs <= 0 ? null : new Promise((resolve) => clock.after(restMs, resolve));
  }
}
