/** Values that can be read at any time, and are read only on a scrape. */
import type { ActorCensus } from "../../actors/runtime/turns/live-actors.ts";
import type { LoopWork } from "../../actors/runtime/fairness/loop-time.ts";

export interface Readings {
  readonly version: string;
  /** Whether this process serves: it holds its lease and its shards, and is not draining. */
  isReady(): boolean;
  actors(): ReadonlyMap<string, ActorCensus>;
  /** Messages whose receivers' turns have failed too often. */
  parkedMessages(): number;
  /** Event loop time spent for organizations since the start, in ms. */
  loopWorkMs(): Readonly<Record<LoopWork, number>>;
  streams(): { readonly open: number; readonly behind: number; readonly longestMs: number };
  bodies(): { readonly count: number; readonly bytes: number };
  /** Requests that wait for their organization's turn. */
  waitingRequests(): number;
  /** Unfinished jobs by status. Rejects if the database cannot be reached. */
  jobs(): Promise<ReadonlyMap<string, number>>;
  /** Free bytes on the file system of the data. */
  freeDiskBytes(): Promise<number>;
  /** Monotonic ms, on the same clock as `Meters.leaseRenewedAt`. */
  monotonic(): number;
}
