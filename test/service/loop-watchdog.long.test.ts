/** A service that is paused, or works, and is no hanging one: the subject is time. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { copyFirstRun } from "../support/first-run-copy.ts";
import { type GuardedFolder, guardedFolder } from "../support/guarded-folder.ts";
import { CLONE } from "../support/service-process.ts";
import { startTroupe, type TroupeProcess } from "../support/troupe-process.ts";

const HANG = fileURLToPath(new URL("../support/hang.ts", import.meta.url));

let folder: GuardedFolder;
beforeAll(async () => {
  folder = guardedFolder();
  await copyFirstRun(folder);
});
afterAll(() => folder.remove());

const start = (hang: string, seconds: string): Promise<TroupeProcess> =>
  startTroupe(folder, {
    cmd: [process.execPath, "--preload", HANG, join(CLONE, "src/main.ts")],
    env: { TROUPE_TEST_HANG: hang, WATCHDOG_SECONDS: seconds },
  });

test("[GUARD-6] the next start serves, and a working or paused service is not ended", async () => {
  const service = await start("loop", "1");
  service.child.kill("SIGSTOP");
  await Bun.sleep(2_500);
  service.child.kill("SIGCONT");
  const until = performance.now() + 3_000;
  while (performance.now() < until) expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  expect(await service.end()).toBe(0);
});
