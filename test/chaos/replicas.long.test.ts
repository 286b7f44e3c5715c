/**
 * Three replicas under a load of retrying clients, while processes, their database and the lines between them fail.
 * TROUPE_TEST_CHAOS_SECONDS says for how long (90 unless set), TROUPE_TEST_CHAOS_SEED with which faults.
 */
import { expect, test } from "bun:test";
import { ChaosCluster } from "../support/chaos-cluster.ts";
import { CHAOS_FAULTS } from "../support/chaos-faults.ts";
import { ChaosLoad } from "../support/chaos-load.ts";
import { seededChance } from "../support/fake-clock.ts";
import { chaosScale } from "../support/long.ts";

const REPLICAS = 3;
const ORGANIZATIONS = 6;
const CLIENTS = 2;
/** Between two faults, in calm. */
const CALM_MS = 1_000;

test("[REP-10] through kills, crashes and cuts nothing acknowledged is lost, nothing happens twice, and every job ends", async () => {
  const { seconds, seed, faults } = chaosScale();
  const cluster = await ChaosCluster.start(REPLICAS);
  try {
    const chance = seededChance(seed);
    const pick = (below: number): number => Math.floor(chance.fraction() * below);
    const load = await ChaosLoad.start(cluster, ORGANIZATIONS, CLIENTS, seed);
    const silences = new Map<string, number[]>();
    const until = performance.now() + seconds * 1_000;
    const names = Object.keys(CHAOS_FAULTS).filter((name) => faults === null || faults.includes(name));
    for (let round = 0; performance.now() < until; round++) {
      // Each once before any comes again.
      if (round % names.length === 0) names.sort(() => chance.fraction() - 0.5);
      const name = names[round % names.length]!;
      await Bun.sleep(CALM_MS);
      const from = performance.now();
      await CHAOS_FAULTS[name]!(cluster, pick);
      await cluster.even();
      await load.heard();
      silences.set(name, [...(silences.get(name) ?? []), load.silence(from, performance.now())]);
    }
    await Bun.sleep(CALM_MS);
    await load.stop();
    const verdict = await load.judge();
    const told = [...silences].map(([name, all]) => `${name} ${all.join(", ")}`).join("; ");
    console.log(`chaos: ${load.acknowledged} acknowledgements; longest time without one, in ms: ${told}`);
    console.log(`chaos: links on the lines between replicas that failed: ${cluster.linksHit.join(", ")}`);
    expect(verdict).toEqual({ lost: [], twice: [], wrong: [] });
    expect(await cluster.drain()).toEqual([0, 0, 0]);
    expect(cluster.bugs).toEqual([]);
  } finally {
    await cluster.close();
  }
});
