/** The parts of the system that a turn group uses. */
import type { LiveActors } from "./live-actors.ts";
import type { Chance, Clock } from "./clock.ts";
import type { DispatchOrder } from "./dispatch-order.ts";
import type { Draft } from "./draft.ts";
import type { FlushLane } from "./flush.ts";
import type { OnBug } from "./isolate.ts";
import type { Loader } from "./loader.ts";
import type { LoopTime } from "./loop-time.ts";
import type { ShardGrant } from "./placement.ts";
import type { Shards } from "./shards.ts";
import type { AlarmKey } from "./store.ts";
import type { Tracing } from "./tracing.ts";
import type { WriteHost } from "./write-admission.ts";

export interface TurnHost extends WriteHost {
  readonly actors: LiveActors;
  readonly shards: Shards;
  readonly loader: Loader;
  readonly order: DispatchOrder;
  readonly loopTime: LoopTime;
  readonly clock: Clock;
  readonly chance: Chance;
  /** Null if tracing is off. */
  readonly tracing: Tracing | null;
  laneOf(shard: number): FlushLane;
  /**
   * A group in flight to the store replaces or clears this alarm; call the returned function when the group has ended.
   */
  supersede(key: AlarmKey): () => void;
  /** Notifies the handlers of effects whose group is on its way to the store. */
  intend(draft: Draft, grant: ShardGrant): void;
  /** Starts the outputs of a committed group: births, messages, effects, alarms. */
  release(draft: Draft, grant: ShardGrant): void;
  /** Reports a bug after a commit. */
  readonly onBug: OnBug;
}
