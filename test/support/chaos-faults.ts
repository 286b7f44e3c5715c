/** What befalls replicas in the chaos run, each with the time that it takes. */
import type { ChaosCluster } from "./chaos-cluster.ts";

/** A silence that everybody outlives. */
const SHORT_MS = 3_000;

/** Between two cuts of the same line: links are opened anew after a quarter of a second. */
const CUT_MS = 1_000;

/** A step of a clock: replicas whose clocks differ by more than a minute do not know each other (REP-4). */
const STEP_MS = 50_000;

/** Longer than a lease. */
const PAST_LEASE_MS = 12_000;

type Fault = (cluster: ChaosCluster, pick: (below: number) => number) => Promise<void>;

const slotOf = (cluster: ChaosCluster, pick: (below: number) => number) => cluster.slots[pick(cluster.slots.length)]!;

export const CHAOS_FAULTS: Readonly<Record<string, Fault>> = {
  async killed(cluster, pick) {
    await cluster.end(slotOf(cluster, pick), "SIGKILL");
  },
  async two_killed(cluster, pick) {
    const spared = pick(cluster.slots.length);
    await Promise.all(cluster.slots.filter((_, i) => i !== spared).map((slot) => cluster.end(slot, "SIGKILL")));
  },
  async drained(cluster, pick) {
    await cluster.end(slotOf(cluster, pick), "SIGTERM");
  },
  async database_crashed(cluster) {
    await cluster.crashDatabase();
  },
  async database_cut(cluster, pick) {
    slotOf(cluster, pick).toDatabase.cut();
    await Bun.sleep(1_000);
  },
  async database_silent(cluster, pick) {
    const { toDatabase } = slotOf(cluster, pick);
    toDatabase.freeze();
    await Bun.sleep(SHORT_MS);
    toDatabase.thaw();
  },
  async peers_cut(cluster, pick) {
    const toPeers = await cluster.lineWithLinks(pick);
    toPeers.cut();
    await Bun.sleep(CUT_MS);
    // What has been opened anew.
    toPeers.cut();
  },
  async peers_silent(cluster, pick) {
    const toPeers = await cluster.lineWithLinks(pick);
    toPeers.freeze();
    await Bun.sleep(SHORT_MS);
    toPeers.thaw();
  },
  async rolled(cluster) {
    for (const slot of cluster.slots) {
      await cluster.end(slot, "SIGTERM");
      await cluster.even();
    }
  },
  async clock_stepped(cluster, pick) {
    const slot = slotOf(cluster, pick);
    for (const ms of [STEP_MS, -STEP_MS, 0]) {
      await cluster.stepClock(slot, ms);
      await Bun.sleep(SHORT_MS / 2);
    }
  },
  async paused(cluster, pick) {
    const slot = slotOf(cluster, pick);
    slot.process?.child.kill("SIGSTOP");
    await Bun.sleep(PAST_LEASE_MS);
    slot.process?.child.kill("SIGCONT");
  },
  async database_lost(cluster, pick) {
    const { toDatabase } = slotOf(cluster, pick);
    toDatabase.freeze();
    await Bun.sleep(PAST_LEASE_MS);
    toDatabase.thaw();
  },
};
