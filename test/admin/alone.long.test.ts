/** Every administration command without a service: each starts the database, so together they take long. */
import { expect, test } from "bun:test";
import { copyFirstRun } from "../support/first-run-copy.ts";
import { type Ask, everyCommand } from "../support/every-command.ts";
import { expectRefusals, organizationToRefuse, refusalsIn } from "../support/every-refusal.ts";
import { guardedFolder } from "../support/guarded-folder.ts";
import { admin, eventually, processesIn } from "../support/troupe-process.ts";

test("[START-51] [START-52] without a service every command works, every refusal says why, and no process stays", async () => {
  const folder = guardedFolder();
  try {
    await copyFirstRun(folder);
    const ask: Ask = async (...args) => {
      const { code, out, err } = await admin(folder, args);
      expect([code, err]).toEqual([0, ""]);
      return out;
    };
    await everyCommand("stopped", ask);
    await expectRefusals(refusalsIn(await organizationToRefuse(ask), "First"), async (...args) => {
      const { code, out, err } = await admin(folder, args);
      expect([code, out]).toEqual([1, ""]);
      return err;
    });
    await eventually("nothing is left", () => processesIn(folder.path).length === 0);
  } finally {
    await folder.remove();
  }
}, 300_000);
