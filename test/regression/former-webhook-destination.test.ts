/**
 * What the former destination answered counted for the present one: a 410 that arrived after the owner had set another
 * URL switched delivery to the new one off. And a retry that went to the new one stood in the ledger under the host of
 * the former one.
 */
import { expect, test } from "bun:test";
import type { AttemptResult } from "../../actors/webhook/protocol.ts";
import { until } from "../support/condition.ts";
import { inWorld, World } from "../support/replica.ts";
import { delivered, httpError, startWebhooks } from "../support/webhook-replica.ts";

const OTHER = { url: "https://other.example.com/y" };

test("[HOOK-6] a 410 of the former destination does not switch off delivery to the current one", async () => {
  const replica = await startWebhooks(new World());
  await replica.configure();
  const answer = Promise.withResolvers<AttemptResult>();
  replica.receiver.react = ({ destination }) => (destination.url === OTHER.url ? delivered : answer.promise);
  await replica.take(1);
  await until("it is under way", () => replica.receiver.underWay === 1);
  await replica.configure(OTHER);
  answer.resolve(httpError(410));
  await until("it has ended", () => replica.feed.inFlight.length === 0);
  expect(replica.statuses).toEqual(["failed"]);
  expect(replica.destination).toMatchObject({ enabled: true, disabledReason: null });
  expect(replica.feed).toMatchObject({ lastFailureAt: null, failingSince: null });
  await replica.take(1);
  await until("the next one is delivered", () => replica.statuses.at(-1) === "success");
  await replica.system.stop();
});

test("[HOOK-9] a retry that goes to another destination than was planned is in the ledger with its host", async () => {
  const { world, replica } = await inWorld(startWebhooks);
  await replica.configure();
  replica.receiver.react = ({ destination }) => (destination.url === OTHER.url ? delivered : httpError(503));
  await replica.take(1);
  await until("it waits for its retry", () => replica.statuses.length === 2);
  await replica.configure(OTHER);
  await world.clock.advance(2_000);
  await until("it is delivered", () => replica.statuses.at(-1) === "success");
  expect(replica.attempts.map((attempt) => attempt.destinationHost)).toEqual(["h***s.e***e.com", "o***r.e***e.com"]);
  await replica.system.stop();
});
