/** A service whose event loop hangs on purpose. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { copyFirstRun } from "../support/first-run-copy.ts";
import { type GuardedFolder, guardedFolder } from "../support/guarded-folder.ts";
import { CLONE } from "../support/service-process.ts";
import { eventually, startTroupe, type TroupeProcess } from "../support/troupe-process.ts";

const HANG = fileURLToPath(new URL("../support/hang.ts", import.meta.url));

let folder: GuardedFolder;
beforeAll(async () => {
  folder = guardedFolder();
  for (const hang of ["loop", "wait", "request", "files"]) await copyFirstRun(folder, hang);
});
afterAll(() => folder.remove());

/** On data of its own: most of each test is waiting for the watchdog, so they run beside each other. */
const start = (hang: string, seconds: string, env: Record<string, string> = {}): Promise<TroupeProcess> =>
  startTroupe(folder, {
    dataDir: join(folder.path, hang),
    cmd: [process.execPath, "--preload", HANG, join(CLONE, "src/main.ts")],
    env: { TROUPE_TEST_HANG: hang, WATCHDOG_SECONDS: seconds, ...env },
  });

for (const hang of ["loop", "wait"]) {
  test.concurrent(`[GUARD-6] a hanging service (${hang}) is ended with a log line, even after a SIGTERM`, async () => {
    const service = await start(hang, "2");
    service.child.kill("SIGUSR2");
    expect(await service.end("SIGTERM")).toBe("SIGKILL");
    const line = JSON.parse(service.complaint.trim().split("\n").at(-1) ?? "");
    expect(line).toMatchObject({ level: 60, msg: "the event loop has not turned for 2 s: the process ends" });
    expect(line.running).toBe(hang !== "wait");
    expect(line).not.toHaveProperty("worksOn");
  });
}

test.concurrent("[GUARD-6] the line names the work that the loop hangs in, its organization and its operation", async () => {
  const service = await start("request", "1");
  const headers = { authorization: `Bearer ${service.firstRun().personal}` };
  service.child.kill("SIGUSR2");
  await service.says("hangs in the next request");
  await expect(fetch(`${service.url}/api/tasks`, { headers })).rejects.toThrow();
  expect(await service.ended()).toBe("SIGKILL");
  const line = JSON.parse(service.complaint.trim().split("\n").at(-1) ?? "");
  expect(line.worksOn).toEqual({
    work: "requests",
    organization: expect.stringMatching(/^org_[\w-]{21}$/),
    subject: "listTasks",
  });
  expect(line).not.toHaveProperty("workedOn");
});

test.concurrent("[GUARD-6] threads for files that stand still are reported, and the service goes on", async () => {
  const fifo = join(folder.path, "fifo");
  Bun.spawnSync({ cmd: ["mkfifo", fifo] });
  const service = await start("files", "1", { TROUPE_TEST_FIFO: fifo });
  service.child.kill("SIGUSR2");
  await eventually("it is reported twice", () => service.complaint.includes("not answered for 2 s"));
  // On a busy machine the watchdog may have reported a wait of the loop too.
  const line = service.complaint.split("\n").find((one) => one.includes("threads for files"));
  expect(JSON.parse(line ?? "")).toMatchObject({
    level: 40,
    threads: expect.arrayContaining([expect.objectContaining({ name: expect.stringMatching(/^Bun Pool/) })]),
    msg: "the threads for files have not answered for 1 s: the log and files wait for them",
  });
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
});
