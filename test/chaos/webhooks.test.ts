/** Webhooks under a receiver that fails and breaks off; the long tests kill the service besides. */
import { expect, test } from "bun:test";
import { IN_FLIGHT_LIMIT } from "../../actors/webhook/policy.ts";
import { judged, stormSummary, webhookStorm } from "../support/webhook-storm.ts";

test("[HOOK-6] [HOOK-9] with a third of the answers bad each event is delivered, or its attempts are in the ledger", async () => {
  const report = await webhookStorm({ seed: 1, events: 30, kills: 0, failing: 0.3, breaking: 0.05, hanging: 0 });
  console.log(stormSummary("webhooks", report));
  expect(report.wrong).toEqual([]);
  expect(report.most).toBeLessThanOrEqual(IN_FLIGHT_LIMIT);
});

test("[HOOK-9] the check finds planted errors", () => {
  expect(judged([{ id: "evt_1", sequence: 2 } as never], [], [])).toEqual([
    "event 1 has the number 2",
    "event 2 is neither delivered nor failed",
  ]);
  const arrival = { key: "k", attempt: 1, eventId: "evt_1", isTaken: true, isSigned: false };
  expect(judged([], [], [arrival, arrival])).toContain("k/1 arrived 2 times");
  const row = { deliveryKey: "k", attempt: 2, eventId: "evt_1", status: "success" } as never;
  expect(judged([], [row], [])).toEqual(["k/2 counts as delivered and was not taken"]);
});
