/** 10,000 events to a receiver that fails, breaks off and hangs; without and with kill -9. */
import { expect, test } from "bun:test";
import { IN_FLIGHT_LIMIT } from "../../actors/webhook/policy.ts";
import { stormSummary, webhookStorm } from "../support/webhook-storm.ts";

const BAD = { failing: 0.3, breaking: 0.02, hanging: 0.001 };

test("[HOOK-6] [HOOK-9] 10,000 events: each delivered or accounted for as failed, at most 8 at once", async () => {
  const report = await webhookStorm({ seed: 11, events: 10_000, kills: 0, ...BAD });
  console.log(stormSummary("webhooks", report));
  expect(report.wrong).toEqual([]);
  expect(report.most).toBeLessThanOrEqual(IN_FLIGHT_LIMIT);
}, 1_200_000);

test("[HOOK-6] [HOOK-3] 10,000 events survive kill -9 again and again", async () => {
  const report = await webhookStorm({ seed: 12, events: 10_000, kills: 10, ...BAD });
  console.log(stormSummary("webhooks, killed", report));
  expect(report.wrong).toEqual([]);
}, 1_200_000);
