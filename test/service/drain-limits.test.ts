/** The steps of a drain, added up. */
import { expect, test } from "bun:test";
import { CLOSE_SECONDS } from "../../db/client.ts";
import { ANSWERS_MS } from "../../src/peers/peer-server.ts";
import { TOLD_MS } from "../../src/peers/replica-group.ts";
import { UNDER_WAY_MS } from "../../src/peers/routing.ts";
import {
  ACTORS_STOP_MS,
  DRAIN_LIMIT_MS,
  EFFECTS_LEAVE_MS,
  LINGER_MS,
  REQUESTS_STOP_MS,
} from "../../src/service/drain-limits.ts";
import { SHUTDOWN_MS } from "../../src/tracing/tracing.ts";

test("[REP-8] each step of a drain may take all of its time before the drain is cut off", () => {
  const replica = EFFECTS_LEAVE_MS + UNDER_WAY_MS + ACTORS_STOP_MS + TOLD_MS + LINGER_MS;
  const all = replica + REQUESTS_STOP_MS + ANSWERS_MS + CLOSE_SECONDS * 1_000 + SHUTDOWN_MS;
  expect(all).toBeLessThan(DRAIN_LIMIT_MS - 1_000);
  // Before the supervisor that has asked for the end kills the process.
  expect(DRAIN_LIMIT_MS).toBeLessThan(30_000);
});
