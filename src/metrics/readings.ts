/** What can be read at any time, and is read only when somebody asks for metrics. */
import type { ActorCensus } from "../../actors/runtime/live-actors.ts";
import type { LoopWork } from "../../actors/runtime/loop-time.ts";

export interface Readings {
  readonly version: string;
  /** Whether this process serves: it has its lease and its shards, and does not drain. */
  isReady(): boolean;
  actors(): ReadonlyMap<string, ActorCensus>;
  /** Messages whose receivers' turns have failed too often. */
  parkedMessages(): number;
  /** What the event loop has worked for organizations since the start, in ms. */
  loopWorkMs(): Readonly<Record<LoopWork, number>>;
  streams(): { readonly open: number; readonly behind: number; readonly longestMs: number };
  bodies(): { readonly count: number; readonly bytes: number };
  /** Requests that wait for the turn of their organization. */
  waitingRequests(): number;
  /** Jobs on their way, by status. Rejects when the database cannot be reached. */
  jobs(): Promise<ReadonlyMap<string, number>>;
  /** Bytes that are free where the data is. */
  freeDiskBytes(): Promise<number>;
  /** Monotonic ms, of the clock that `Meters.leaseRenewedAt` is by. */
  monotonic(): number;
}
