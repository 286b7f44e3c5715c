/** Short storms, side by side: each kind of fault a few times, under load, and the judgement of the history. */
import { expect, test } from "bun:test";
import { runStorm, type StormPlan, summary } from "../support/ledger-storm.ts";
import { openStormServer } from "../support/storm-server.ts";

async function calmAfter(name: string, plan: StormPlan): Promise<void> {
  const server = await openStormServer();
  try {
    const report = await runStorm(server, plan);
    console.log(summary(name, report));
    expect(report).toMatchObject({ lost: [], twice: [], wrong: [], mixedBatches: 0 });
    expect(report.acknowledged).toBeGreaterThanOrEqual(plan.acknowledgements);
  } finally {
    await server.stop();
  }
}

test.concurrent("[RT-4] [RT-8] [RT-10] [RT-11] a storm on one replica: nothing acknowledged is lost, nothing happens twice, readers miss nothing", async () => {
  await calmAfter("storm on one replica", {
    seed: 1,
    acknowledgements: 600,
    faults: [
      "request_lost",
      "reply_lost",
      "cut_short",
      "backend_terminated",
      "shards_stolen",
      "statement_cancelled",
      "all_connections_cut",
      "server_crashed",
      "partition",
      "renewal_swallowed",
      "reply_swallowed",
    ],
  });
});

test.concurrent("[RT-5] [RT-12] no epochs mix while shards move between two replicas under load and one is silent past its lease", async () => {
  await calmAfter("storm on two replicas", {
    seed: 2,
    replicas: 2,
    acknowledgements: 400,
    faults: ["shards_moved", "reply_lost", "shards_moved", "cut_short", "shards_stolen", "replica_lost"],
  });
});
