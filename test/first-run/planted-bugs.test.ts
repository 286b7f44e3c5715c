/** Bugs planted into a running service: it must say so, end with a failure, and lose nothing that was acknowledged. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { EXIT_BUG, EXIT_UNAVAILABLE } from "../../src/service/process-end.ts";
import { firstRunOfFile } from "../support/first-run-copy.ts";
import { CLONE } from "../support/service-process.ts";
import { eventually, processesIn, startTroupe, type TroupeProcess } from "../support/troupe-process.ts";

const { folder, first, dataDir } = firstRunOfFile();

const startWithBug = (bug: "rejection" | "lane"): Promise<TroupeProcess> =>
  startTroupe(folder, {
    cmd: [process.execPath, "--preload", join(CLONE, "test/support/planted-bugs.ts"), join(CLONE, "src/main.ts")],
    env: { PLANTED_BUG: bug },
  });

const tasks = (service: TroupeProcess, title?: string): Promise<Response> =>
  fetch(`${service.url}/api/v1/tasks${title === undefined ? "?limit=100" : ""}`, {
    headers: { authorization: `Bearer ${first.personal}`, "content-type": "application/json" },
    ...(title === undefined ? {} : { method: "POST", body: JSON.stringify({ title }) }),
  });

/** The next start serves, with what was acknowledged. */
async function expectTask(title: string): Promise<void> {
  const service = await startTroupe(folder);
  expect(await (await tasks(service)).text()).toContain(title);
  expect(await service.end()).toBe(0);
  await eventually("nothing is left", () => processesIn(dataDir).length === 0);
}

test("[RT-14] an unhandled rejection ends the process as an uncaught exception does", async () => {
  const service = await startWithBug("rejection");
  expect((await tasks(service, "before the rejection")).status).toBe(200);
  expect(await service.end("SIGUSR2")).toBe(EXIT_BUG);
  expect(service.log.filter(({ level }) => level === 60).map(({ msg }) => msg)).toEqual([
    "an unhandled rejection: a bug",
  ]);
  await expectTask("before the rejection");
});

test("[RT-14] a bug of the flush ends the process: waiting callers are answered, and nothing hangs", async () => {
  const service = await startWithBug("lane");
  expect((await tasks(service, "before the lane's bug")).status).toBe(200);
  service.child.kill("SIGUSR2");
  // The signal may be later than a request.
  const refused: number[] = [];
  await eventually("a write is refused", async () => {
    const answer = await tasks(service, "after").catch(() => null);
    if (answer === null || answer.status !== 200) refused.push(answer?.status ?? 0);
    return refused.length > 0;
  });
  // v1 says 500 where it is unavailable; 0: the port is closed already.
  expect([500, 503, 0]).toContain(refused[0]!);
  expect(await service.ended()).toBe(EXIT_UNAVAILABLE);
  expect(service.log.map(({ msg }) => msg)).toContain("the flush has failed: a bug");
  await expectTask("before the lane's bug");
});
