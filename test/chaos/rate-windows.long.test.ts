/** The requests of one window over kill -9 and an orderly restart of the real service, which keeps real time. */
import { afterEach, expect, test } from "bun:test";
import { type GuardedFolder, guardedFolder } from "../support/guarded-folder.ts";
import { startTroupe, type TroupeProcess } from "../support/troupe-process.ts";

const BUDGET = 3_000;
/** What a crash may cost of a budget (RATE-1). */
const LOST_AT_MOST = 0.02 * BUDGET;
/** Seconds of one window that starts, kills and requests need. */
const NEEDED_SECONDS = 40;
const AT_ONCE = 50;
const MOST_TRIES = 3;

let folder: GuardedFolder;
afterEach(() => folder.remove());

const request = (service: TroupeProcess, token: string): Promise<Response> =>
  fetch(`${service.url}/api/agents?limit=1`, { headers: { authorization: `Bearer ${token}` } });

interface Told {
  readonly resetAt: number;
  readonly secondsLeft: number;
}
const toldBy = ({ headers }: Response): Told => ({
  resetAt: Number(headers.get("x-ratelimit-reset")),
  secondsLeft: Number(headers.get("ratelimit-reset")),
});

/** Of a test on a machine that is too slow for its window: it proves nothing, and is tried in another window. */
class WindowPassed extends Error {}

/** Sends so many; answers how many were admitted. */
async function send(service: TroupeProcess, token: string, count: number, resetAt: number): Promise<number> {
  let admitted = 0;
  for (let sent = 0; sent < count; sent += AT_ONCE) {
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => request(service, token)));
    for (const answer of answers) {
      expect([200, 429]).toContain(answer.status);
      if (toldBy(answer).resetAt !== resetAt) throw new WindowPassed();
      if (answer.status === 200) admitted++;
      await answer.arrayBuffer();
    }
  }
  return admitted;
}

/** The requests of one window that are admitted, with two restarts by this signal among them. */
async function admittedInOneWindow(service: TroupeProcess, token: string, signal: NodeJS.Signals): Promise<number> {
  let window = toldBy(await request(service, token));
  if (window.secondsLeft < NEEDED_SECONDS) {
    const { resetAt } = window;
    while (window.resetAt === resetAt) {
      await Bun.sleep(250);
      window = toldBy(await request(service, token));
    }
  }
  // The request that told of this window is one of it.
  let admitted = 1;
  for (let round = 0; round < 2; round++) {
    admitted += await send(service, token, 1_000, window.resetAt);
    await service.end(signal);
    service = await startTroupe(folder);
  }
  admitted += await send(service, token, 1_500, window.resetAt);
  await service.end("SIGTERM");
  return admitted;
}

for (const [name, signal, lostAtMost] of [
  ["kill -9", "SIGKILL", LOST_AT_MOST],
  ["an orderly restart", "SIGTERM", 0],
] as const) {
  test(`[RATE-1] over ${name} a window admits its budget and never more`, async () => {
    for (let tries = 1; ; tries++) {
      folder = guardedFolder();
      const service = await startTroupe(folder);
      try {
        const admitted = await admittedInOneWindow(service, service.firstRun().personal, signal);
        expect(admitted).toBeLessThanOrEqual(BUDGET);
        expect(admitted).toBeGreaterThanOrEqual(BUDGET - 2 * lostAtMost);
        return;
      } catch (error) {
        if (!(error instanceof WindowPassed) || tries === MOST_TRIES) throw error;
        await folder.remove();
      }
    }
  });
}
