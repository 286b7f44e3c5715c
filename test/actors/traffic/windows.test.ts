/** Rate windows on the model: time, crashes and restarts in the test's hands. */
import { expect, test } from "bun:test";
import { trafficActor } from "../../../actors/traffic/actor.ts";
import { RATE_WINDOW_MS } from "../../../actors/traffic/policy.ts";
import type { RateState, TrafficProtocol } from "../../../actors/traffic/protocol.ts";
import { trafficRef } from "../../../actors/traffic/schema.ts";
import { erased, Replica, World } from "../../support/replica.ts";

type Protocols = { traffic: TrafficProtocol };

const replicaOf = (world: World): Replica<Protocols> => new Replica(world, { definitions: [erased(trafficActor)] });

async function admit(
  { system }: Replica<Protocols>,
  { organizationId = "org_1", identity = "tok_1", budget = 100 } = {},
): Promise<RateState> {
  const outcome = await system.dispatch(trafficRef(organizationId), { kind: "admit_request", identity, budget });
  if (!outcome.ok) throw new Error(outcome.fault.kind);
  return outcome.value;
}

/** How many of so many requests, sent at once, are admitted. */
async function admitted(replica: Replica<Protocols>, count: number, of: Parameters<typeof admit>[1] = {}) {
  const states = await Promise.all(Array.from({ length: count }, () => admit(replica, of)));
  return states.filter((state) => state.isAdmitted).length;
}

test("[RATE-1] of more requests than the budget, at once, exactly the budget is admitted", async () => {
  const replica = replicaOf(new World());
  await replica.system.start();
  expect(await admitted(replica, 110)).toBe(100);
  expect(await admitted(replica, 10)).toBe(0);
});

test("[RATE-1] the window is fixed: the whole budget is there again when the next begins", async () => {
  const world = new World();
  const replica = replicaOf(world);
  await replica.system.start();
  await world.clock.advance(RATE_WINDOW_MS - 1);
  expect(await admitted(replica, 110)).toBe(100);
  const { resetAtMs } = await admit(replica);
  expect(resetAtMs).toBe(world.clock.now() + 1);
  await world.clock.advance(1);
  expect(await admitted(replica, 110)).toBe(100);
});

test("[RATE-3] identities and organizations do not share a budget", async () => {
  const replica = replicaOf(new World());
  await replica.system.start();
  expect(await admitted(replica, 110)).toBe(100);
  expect(await admitted(replica, 110, { identity: "tok_2" })).toBe(100);
  expect(await admitted(replica, 110, { organizationId: "org_2" })).toBe(100);
});
