/** Every administration command without a service: each starts the database, so together they take long. */
import { expect, test } from "bun:test";
import { copyFirstRun } from "../support/first-run-copy.ts";
import { everyCommand } from "../support/every-command.ts";
import { guardedFolder } from "../support/guarded-folder.ts";
import { admin, eventually, processesIn } from "../support/troupe-process.ts";

test("[START-51] without a service every command works, and no process stays", async () => {
  const folder = guardedFolder();
  try {
    await copyFirstRun(folder);
    await everyCommand("stopped", async (...args) => {
      const { code, out, err } = await admin(folder, args);
      expect([code, err]).toEqual([0, ""]);
      return out;
    });
    await eventually("nothing is left", () => processesIn(folder.path).length === 0);
  } finally {
    await folder.remove();
  }
}, 120_000);
