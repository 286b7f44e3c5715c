/**
 * Beside others, large work pauses after each of its statements, for as long as that took beyond a small one. The others
 * have PostgreSQL, its cores and its disk meanwhile; without the pause their statements mostly wait for a large one's sync.
 */
import type { Clock } from "./clock.ts";
import type { LoopTime } from "./loop-time.ts";

/** What a statement of a few small groups takes. An organization that is over its share with such has no rest. */
export const SMALL_MS = 2;
/** However long a statement has taken: on a slow disk most of it is waiting. */
export const MOST_REST_MS = 10;

export class LargeRest {
  private readonly clock: Pick<Clock, "after" | "monotonic"> | null;
  private readonly time: Pick<LoopTime, "isShared">;

  /** Without a clock nobody rests. */
  constructor(clock: Pick<Clock, "after" | "monotonic"> | null, time: Pick<LoopTime, "isShared">) {
    this.clock = clock;
    this.time = time;
  }

  /** When a statement begins. */
  begin(): number {
    return this.clock?.monotonic() ?? 0;
  }

  /** Resolves when the next one may begin; null where that is now. */
  after(begunAt: number): Promise<void> | null {
    const { clock } = this;
    if (clock === null || !this.time.isShared) return null;
    const restMs = Math.min(Math.round(clock.monotonic() - begunAt) - SMALL_MS, MOST_REST_MS);
    return restMs <= 0 ? null : new Promise((resolve) => clock.after(restMs, resolve));
  }
}
