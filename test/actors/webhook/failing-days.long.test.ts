/** Delivery that fails for days: of a clock that is turned, and so thousands of looks at alarms. */
import { expect, test } from "bun:test";
import { FAILING_LIMIT_MS } from "../../../actors/webhook/policy.ts";
import { until } from "../../support/condition.ts";
import { inWorld } from "../../support/replica.ts";
import { delivered, httpError, startWebhooks, type WebhookReplica } from "../../support/webhook-replica.ts";

const HOUR_MS = 3_600_000;

/** All have ended that can end without more time. */
const idle = (replica: WebhookReplica): Promise<void> =>
  until("nothing is under way", () => {
    const { feed } = replica;
    return feed.inFlight.length === 0 && feed.ready.length === 0 && !feed.hasMore && feed.search === null;
  });

test("[HOOK-6] five days of uninterrupted failure switch delivery off, and waiting deliveries are skipped", async () => {
  const { world, replica } = await inWorld(startWebhooks);
  await replica.configure({ retryProfile: "durable" });
  replica.receiver.react = () => httpError(500);
  await replica.take(1);
  await world.clock.advance(FAILING_LIMIT_MS - HOUR_MS);
  expect(replica.destination.enabled).toBe(true);
  await replica.take(1);
  await world.clock.advance(4 * HOUR_MS);
  expect(replica.destination).toMatchObject({ enabled: false, disabledReason: "failing" });
  await idle(replica);
  expect(replica.statuses).not.toContain("pending");
  await replica.system.stop();
});

test("[HOOK-6] one success restarts the five days", async () => {
  const { world, replica } = await inWorld(startWebhooks);
  await replica.configure();
  for (let day = 0; day < 6; day++) {
    replica.receiver.react = () => (day === 3 ? delivered : httpError(404));
    await replica.take(1);
    await world.clock.advance(24 * HOUR_MS);
  }
  expect(replica.destination.enabled).toBe(true);
  await replica.system.stop();
});
