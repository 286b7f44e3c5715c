/** Readings of a service that does nothing. */
import type { Readings } from "../../src/metrics/exposition.ts";

export const silentReadings = (given: Partial<Readings> = {}): Readings => ({
  version: "0.0.0",
  isReady: () => true,
  actors: () => new Map([["chat", { live: 2, waiting: 3, deepest: 2 }]]),
  parkedMessages: () => 0,
  loopWorkMs: () => ({ requests: 0, uploads: 0, pages: 0, turns: 0, commits: 0, runs: 0, streams: 0 }),
  streams: () => ({ open: 0, behind: 0, longestMs: 0 }),
  bodies: () => ({ count: 0, bytes: 0 }),
  waitingRequests: () => 0,
  jobs: () => Promise.resolve(new Map([["queued", 1]])),
  freeDiskBytes: () => Promise.resolve(1),
  monotonic: () => 5_000,
  ...given,
});
