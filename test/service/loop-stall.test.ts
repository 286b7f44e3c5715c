/** A machine that stands still is no hanging loop. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type LoopCounts, NO_STALL, stalledFor } from "../../src/service/loop-stall.ts";

const STALLED = fileURLToPath(new URL("../support/stalled-loop.ts", import.meta.url));
const START: LoopCounts = { state: "S", cpuMs: 100, waitedForCpuMs: 50, majorFaults: 7 };
const after = (change: Partial<LoopCounts>, elapsedMs = 1_000) =>
  stalledFor(NO_STALL, [START, { ...START, ...change }], elapsedMs, 1_000);

// reason: only Linux counts this.
test.skipIf(process.platform !== "linux")(
  "[GUARD-6] a process that waits for the disk is not ended, and a log line reports the wait",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "troupe-stall-"));
    const child = Bun.spawn([process.execPath, STALLED, folder, "4"], { stdout: "pipe", stderr: "pipe" });
    const [said, complaint] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    rmSync(folder, { recursive: true, force: true });
    expect([said, await child.exited]).toEqual(["goes on\n", 0]);
    const line = JSON.parse(complaint.trim().split("\n").at(-1) ?? "");
    expect(line).toMatchObject({
      level: 40,
      msg: expect.stringMatching(/waited for the machine: the process goes on$/),
    });
    expect(line.stall.diskWaitMs).toBeGreaterThan(700);
    expect(line.stall.ownMs).toBeLessThan(700);
  },
);

test("[GUARD-6] computing and sleeping count as the loop's own time", () => {
  expect(after({ state: "R", cpuMs: 1_100 })).toMatchObject({ ownMs: 1_000, cpuMs: 1_000 });
  expect(after({ state: "S" })).toMatchObject({ ownMs: 1_000, cpuWaitMs: 0, diskWaitMs: 0 });
});

test("[GUARD-6] waiting for a page or the disk does not count", () => {
  expect(after({ state: "D", cpuMs: 150 })).toMatchObject({ ownMs: 50, diskWaitMs: 950 });
  expect(after({ state: "S", majorFaults: 40 })).toMatchObject({ ownMs: 0, diskWaitMs: 1_000, majorFaults: 33 });
});

test("[GUARD-6] waiting for a processor does not count, so an endless loop is ended after that much work", () => {
  expect(after({ state: "R", cpuMs: 350 })).toMatchObject({ ownMs: 250, cpuWaitMs: 750 });
  expect(after({ state: "S", cpuMs: 350, waitedForCpuMs: 800 })).toMatchObject({ ownMs: 250, cpuWaitMs: 750 });
});

test("[GUARD-6] time in which the watchdog itself did not run counts at most like the time between two checks", () => {
  expect(after({ state: "S" }, 60_000)).toMatchObject({ ownMs: 1_000 });
  expect(stalledFor(NO_STALL, [null, null], 60_000, 1_000)).toMatchObject({ ownMs: 1_000 });
});
