/**
 * An alarm that rang after a turn had cleared or replaced it, and before that turn's commit, had its
 * turn all the same; and its commit took the new alarm's row with it.
 */
import { expect, test } from "bun:test";
import { ALARM_SCAN_MS } from "../../actors/runtime/outputs/alarms.ts";
import { faultOf, startLedgers } from "../support/ledger-replica.ts";
import { inWorld } from "../support/replica.ts";

/** A ledger whose alarm of 1 s rings while what `supersede` asks is on its way to the store. */
async function ringing(
  command: { readonly kind: "sleep_on" } | { readonly kind: "wake_at"; readonly inMs: number; readonly by: number },
) {
  const { world, replica } = await inWorld(startLedgers);
  await replica.add("l1", 100);
  await replica.ask("l1", { kind: "wake_at", dueAtMs: world.clock.now() + 1_000, by: 1 });
  const gate = replica.store.holdNext();
  const { kind } = command;
  const asked = replica.ask(
    "l1",
    kind === "sleep_on" ? { kind } : { kind, dueAtMs: world.clock.now() + command.inMs, by: command.by },
  );
  await gate.reached;
  await world.clock.advance(1_500);
  return { world, replica, gate, asked };
}

test("[RT-10] an alarm that fires while it is being cleared does not get its turn", async () => {
  const { world, replica, gate, asked } = await ringing({ kind: "sleep_on" });
  gate.open();
  expect(faultOf(await asked)).toBe("ok");
  await world.clock.advance(2 * ALARM_SCAN_MS);
  expect([(await replica.read("l1"))?.count, world.database.alarms().length]).toEqual([100, 0]);
});

test("[RT-10] an alarm that fires while its successor is in flight does not remove the successor", async () => {
  const { world, replica, gate, asked } = await ringing({ kind: "wake_at", inMs: 5_000, by: 10 });
  gate.open();
  expect(faultOf(await asked)).toBe("ok");
  expect(world.database.alarms().length).toBe(1);
  await world.clock.advance(2 * ALARM_SCAN_MS);
  expect([(await replica.read("l1"))?.count, world.database.alarms().length]).toEqual([110, 0]);
});

test("[RT-10] if clearing it was never stored, the alarm that fired meanwhile gets its turn after the next scan", async () => {
  const { world, replica, gate, asked } = await ringing({ kind: "sleep_on" });
  gate.break();
  expect(faultOf(await asked)).toBe("outcome_unknown");
  await world.clock.advance(2 * ALARM_SCAN_MS);
  expect([(await replica.read("l1"))?.count, world.database.alarms().length]).toEqual([101, 0]);
});
