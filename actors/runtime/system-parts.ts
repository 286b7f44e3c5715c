/** The parts of an actor system. */
import type { AnyDefinition } from "./actor.ts";
import type { Chance, Clock } from "./clock.ts";
import type { LoopTime } from "./loop-time.ts";
import type { RuntimeLog } from "./log.ts";
import type { Peers } from "./peers.ts";
import type { Placement } from "./placement.ts";
import type { ActorStore } from "./store.ts";
import type { Tracing } from "./tracing.ts";
import type { WriteGuard } from "./write-guard.ts";

export interface SystemParts {
  readonly definitions: readonly AnyDefinition[];
  readonly store: ActorStore;
  readonly placement: Placement;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: RuntimeLog;
  /** Called when this replica must end: it was declared dead, or can commit nothing any more. */
  readonly onLost: (reason: string) => void;
  /** Flush lanes; a shard always uses the same one. */
  readonly lanes?: number;
  readonly liveActors?: number;
  readonly loopTime?: LoopTime;
  /** Runs at the next turn of the event loop. Omitted: after 0 ms of the clock. */
  readonly later?: (run: () => void) => void;
  /**
   * Whether the storage accepts more writes (`storage_full`). Omitted: always. Called for each commit, so it must be
   * cheap.
   */
  readonly hasRoom?: () => boolean;
  /** Bounds how much an organization stores. Omitted: no bound. */
  readonly guard?: WriteGuard;
  /** The other replicas. Omitted: there is only this one. */
  readonly peers?: Peers;
  /** The tracing port. Omitted: nothing is traced. */
  readonly tracing?: Tracing;
}
