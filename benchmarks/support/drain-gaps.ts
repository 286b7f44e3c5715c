/**
 * How long an organization gets no answer while a replica drains and comes back: a client of each organization writes
 * through the replicas that stay. The same load without a drain is the baseline.
 */
import { longestGap } from "../../test/support/chaos-load.ts";
import type { BenchReplicas, FoundOrganization } from "./replicas.ts";

/** Between two writes of a client. */
const PAUSE_MS = 20;
/** The window around the signal: a drain takes 2 s, of which 1.5 s wait for load balancers. */
const WINDOW_MS = 2_500;
const BETWEEN_MS = 500;

export interface DrainGaps {
  /** Gaps of each organization and window, in ms. */
  readonly calm: readonly number[];
  readonly drained: readonly number[];
  readonly joined: readonly number[];
  /** Answers that were errors. */
  readonly failed: number;
  /** Answers per second in the calm windows. */
  readonly perSecond: number;
}

export async function drainGaps(replicas: BenchReplicas, rounds: number): Promise<DrainGaps> {
  const urls = replicas.all.slice(0, -1).map(({ url }) => url);
  const load = new Load(urls, replicas.organizations);
  const [calm, drained, joined] = [[] as number[], [] as number[], [] as number[]];
  let answered = 0;
  for (let round = 0; round < rounds; round++) {
    await Bun.sleep(BETWEEN_MS);
    const before = load.answered;
    const calmFrom = performance.now();
    await Bun.sleep(WINDOW_MS);
    answered += load.answered - before;
    calm.push(...load.gaps(calmFrom));
    const drainFrom = performance.now();
    const startAgain = replicas.end("SIGTERM");
    await Bun.sleep(WINDOW_MS);
    drained.push(...load.gaps(drainFrom));
    const joinFrom = performance.now();
    await startAgain();
    joined.push(...load.gaps(joinFrom));
  }
  await load.stop();
  return { calm, drained, joined, failed: load.failed, perSecond: (answered * 1_000) / (rounds * WINDOW_MS) };
}

class Load {
  failed = 0;
  private readonly acknowledged: number[][];
  private readonly running: Promise<void>[];
  private isOver = false;

  constructor(urls: readonly string[], organizations: readonly FoundOrganization[]) {
    this.acknowledged = organizations.map(() => []);
    this.running = organizations.map((organization, i) => this.client(urls, organization, this.acknowledged[i]!));
  }

  get answered(): number {
    return this.acknowledged.reduce((sum, { length }) => sum + length, 0);
  }

  /** The longest time without an answer of each organization since then. */
  gaps(from: number): number[] {
    const now = performance.now();
    return this.acknowledged.map((times) => longestGap(times, from, now));
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.running);
  }

  private async client(
    urls: readonly string[],
    { token, taskId }: FoundOrganization,
    acknowledged: number[],
  ): Promise<void> {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    for (let i = 0; !this.isOver; i++) {
      const body = JSON.stringify({ description: String(i) });
      const url = `${urls[i % urls.length]!}/api/tasks/${taskId}`;
      const response = await fetch(url, { method: "PATCH", headers, body }).catch(() => null);
      await response?.arrayBuffer();
      if (response?.ok === true) acknowledged.push(performance.now());
      else this.failed++;
      await Bun.sleep(PAUSE_MS);
    }
  }
}
