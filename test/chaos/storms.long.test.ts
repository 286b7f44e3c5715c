/** The long form of the storms: as many faults and acknowledgements as the environment says. */
import { afterAll, expect, test } from "bun:test";
import { runStorm, type StormReport, summary } from "../support/ledger-storm.ts";
import { longScale } from "../support/long.ts";
import { killingSummary, type KillingReport, killInALoop } from "../support/service-killing.ts";
import type { FaultName } from "../support/storm-faults.ts";
import { openStormServer } from "../support/storm-server.ts";

const LIMIT_MS = 1_800_000;

const ON_ONE: readonly FaultName[] = [
  "request_lost",
  "reply_lost",
  "cut_short",
  "reply_swallowed",
  "renewal_swallowed",
  "all_connections_cut",
  "backend_terminated",
  "statement_cancelled",
  "shards_stolen",
  "partition",
  "server_crashed",
];
const ON_SEVERAL: readonly FaultName[] = [
  "shards_moved",
  "reply_lost",
  "shards_moved",
  "cut_short",
  "shards_stolen",
  "shards_moved",
  "request_lost",
  "replica_lost",
];

const scale = longScale();
const done = { faults: 0, acknowledged: 0, lost: 0, twice: 0 };

function note(text: string, report: StormReport | KillingReport): void {
  console.log(text);
  done.faults += report.faults;
  done.acknowledged += report.acknowledged;
  done.lost += report.lost.length;
  done.twice += report.twice.length;
}

/** Each kind in turn, until there are so many. */
const cycle = (kinds: readonly FaultName[], count: number): FaultName[] =>
  Array.from({ length: count }, (_, i) => kinds[i % kinds.length]!);

async function storm(
  name: string,
  faults: readonly FaultName[],
  more: { seed: number; share: number; replicas?: number; liveActors?: number },
): Promise<void> {
  const server = await openStormServer();
  try {
    const { share, ...rest } = more;
    const report = await runStorm(server, {
      ...rest,
      faults,
      acknowledgements: Math.ceil(scale.acknowledgements * share),
    });
    note(summary(name, report), report);
    expect(report).toMatchObject({ lost: [], twice: [], wrong: [], mixedBatches: 0 });
  } finally {
    await server.stop();
  }
}

/** Shares of the faults: half on one replica, a quarter on several, a quarter on the whole service. */
const half = Math.ceil(scale.faults / 2);
const quarter = Math.ceil(scale.faults / 4);

test(
  "[RT-4] [RT-8] [RT-10] [RT-11] a long storm on one replica",
  () => storm("long storm on one replica", cycle(ON_ONE, half), { seed: 11, share: 0.55 }),
  LIMIT_MS,
);

test(
  "[RT-9] a long storm on one replica with room for few actors",
  () => storm("long storm with evictions", cycle(ON_ONE, quarter), { seed: 12, share: 0.2, liveActors: 16 }),
  LIMIT_MS,
);

test(
  "[RT-5] [RT-12] a long storm on several replicas",
  () => storm("long storm on several replicas", cycle(ON_SEVERAL, quarter), { seed: 13, share: 0.25, replicas: 2 }),
  LIMIT_MS,
);

test(
  "[RT-11] [JOB-4] nothing is lost while the whole service, and at times its database, is killed in a loop",
  async () => {
    const report = await killInALoop({ seed: 14, kills: quarter, each: 400, withDatabase: true });
    note(killingSummary("service killed", report), report);
    expect(report).toMatchObject({ lost: [], twice: [], wrong: [], end: 0 });
  },
  LIMIT_MS,
);

test("[RT-4] together the storms covered every fault", () => {
  expect(done.faults).toBeGreaterThanOrEqual(scale.faults);
  expect(done.acknowledged).toBeGreaterThanOrEqual(scale.acknowledgements);
  expect([done.lost, done.twice]).toEqual([0, 0]);
});

afterAll(() => {
  const { faults, acknowledged, lost, twice } = done;
  console.log(
    `all storms: ${faults} faults, ${acknowledged} acknowledgements, ${lost} lost, ${twice} twice; asked for ` +
      `${scale.faults} and ${scale.acknowledgements}`,
  );
});
