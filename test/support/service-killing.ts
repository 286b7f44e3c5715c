/**
 * Kill -9 of the whole service in a loop, under a load of tasks, executions and missions; then calm, and the
 * judgement of everything that its callers were told.
 */
import { seededChance } from "./fake-clock.ts";
import { guardedFolder } from "./guarded-folder.ts";
import { MissionLoad } from "./mission-load.ts";
import { judgeService, ServiceHistory, type ServiceVerdict } from "./service-history.ts";
import { ServiceLoad } from "./service-load.ts";
import { embeddedUrl, grantTasks, storedService } from "./service-tables.ts";
import { startTroupe, type TroupeProcess } from "./troupe-process.ts";

export interface KillingPlan {
  readonly seed: number;
  readonly kills: number;
  /** Acknowledgements between two kills, at most. */
  readonly each: number;
  /** Whether PostgreSQL is killed with the service now and then. */
  readonly withDatabase?: boolean;
}

export interface KillingReport extends ServiceVerdict {
  readonly faults: number;
  readonly acknowledged: number;
  readonly seconds: number;
  /** Exit code of the last, drained one. */
  readonly end: number | string;
}

export async function killInALoop(plan: KillingPlan): Promise<KillingReport> {
  const from = performance.now();
  const folder = guardedFolder();
  try {
    let service = await startTroupe(folder, { env: QUIET });
    const { personal: token, agentId } = service.firstRun();
    await grantTasks(embeddedUrl(service.dataDir));
    await service.end("SIGKILL");
    service = await startTroupe(folder, { env: QUIET });
    const history = new ServiceHistory();
    const load = new ServiceLoad(history, { url: service.url, token, agentId });
    const missions = new MissionLoad({ url: service.url, token, agentId });
    const chance = seededChance(plan.seed);
    try {
      await missions.addContinuous(GOING_ON);
      for (let kill = 0; kill < plan.kills; kill++) {
        await missions.addOnce(DUE, DUE_WITHIN_MS);
        await load.more(1 + Math.floor(chance.fraction() * plan.each));
        if (plan.withDatabase === true && kill % 4 === 3) killDatabase(service);
        await service.end("SIGKILL");
        service = await startTroupe(folder, { env: QUIET });
        load.turnTo(service.url);
        missions.turnTo(service.url);
      }
      await load.more(plan.each);
    } finally {
      await load.stop();
    }
    const url = embeddedUrl(service.dataDir);
    const ofMissions = await missions.judge(url);
    const verdict = judgeService(history, await storedService(url));
    const bugs = service.log.filter(({ level }) => level >= 50).map(({ msg }) => `logged: ${msg}`);
    const end = await service.end();
    const seconds = Math.round((performance.now() - from) / 100) / 10;
    return {
      lost: [...verdict.lost, ...ofMissions.lost],
      twice: [...verdict.twice, ...ofMissions.twice],
      wrong: [...verdict.wrong, ...ofMissions.wrong, ...bugs],
      faults: plan.kills,
      acknowledged: history.acknowledged,
      seconds,
      end,
    };
  } finally {
    await folder.remove();
  }
}

const QUIET = { LOG_LEVEL: "info" };
/** Missions that go on by themselves, and those that are due about the time of each kill. */
const GOING_ON = 4;
const DUE = 6;
const DUE_WITHIN_MS = 600;

/** As the machine's out-of-memory killer does: the postmaster ends, and with it the service's connections. */
function killDatabase(service: TroupeProcess): void {
  const line = service.log.find(({ msg }) => /\(process \d+/.test(msg));
  const pid = Number(/\(process (\d+)/.exec(line?.msg ?? "")?.[1] ?? 0);
  if (pid > 1) process.kill(pid, "SIGQUIT");
}

/** One line for a person. */
export const killingSummary = (name: string, report: KillingReport): string =>
  `${name}: ${report.faults} faults, ${report.acknowledged} acknowledgements, ${report.lost.length} lost, ` +
  `${report.twice.length} twice, ${report.wrong.length} otherwise wrong, ${report.seconds} s`;
