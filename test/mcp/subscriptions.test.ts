/** When a session's client is told of its subscriptions, by the clock of the test (MCP-6). */
import { expect, test } from "bun:test";
import { ok, type Outcome, refuse } from "../../actors/fault.ts";
import { localCaller } from "../../src/http/request/caller.ts";
import { Subscriptions } from "../../src/mcp/subscriptions.ts";
import type { Invoke } from "../../src/http/request/operations.ts";
import { FakeClock, settle } from "../support/fake-clock.ts";

const URI = "troupe://jobs/job_1";
const by = localCaller({ organizationId: "org_1", userId: "usr_1" } as never);

/** A job whose polls the test answers. */
class Polls {
  readonly clock = new FakeClock();
  readonly asked: (number | undefined)[] = [];
  readonly told: string[] = [];
  readonly subscriptions: Subscriptions;
  private answer: (answer: Outcome<object | Response>) => void = () => {};

  constructor(uris: readonly string[] = []) {
    const invoke: Invoke = (_, caller, input) =>
      new Promise((resolve) => {
        this.asked.push(input?.query?.["since_version"] as number | undefined);
        this.answer = resolve;
        caller.signal.addEventListener("abort", () => resolve(ok(new Response(null, { status: 304 }))));
      });
    const services = { clock: this.clock, system: {} as never, log: console as never };
    this.subscriptions = new Subscriptions({ invoke, services }, uris, (uri) => this.told.push(uri));
  }

  async answered(answer: Outcome<object | Response>): Promise<void> {
    this.answer(answer);
    await settle();
  }
  changed = (version: number) => this.answered(ok({ version }));
}

test("[MCP-6] a client is notified while it listens, and once of changes in between", async () => {
  const polls = new Polls();
  polls.subscriptions.add(URI, 3);
  expect(polls.asked).toEqual([]);
  const stop = polls.subscriptions.listen(by);
  expect(polls.asked).toEqual([3]);
  await polls.changed(5);
  expect(polls.told).toEqual([URI]);
  await polls.clock.advance(250);
  expect(polls.asked).toEqual([3, 5]);
  stop();
  await settle();
  expect(polls.told).toEqual([URI]);
  polls.subscriptions.listen(by);
  expect(polls.asked).toEqual([3, 5, 5]);
});

test("[MCP-6] after a restart a client is notified once of each resource, because nobody knows what it has read", async () => {
  const polls = new Polls([URI]);
  polls.subscriptions.listen(by);
  expect(polls.asked).toEqual([undefined]);
  await polls.changed(9);
  expect(polls.told).toEqual([URI]);
});

test("[MCP-6] changes in quick succession are one notification, and a wait without one is repeated", async () => {
  const polls = new Polls();
  polls.subscriptions.add(URI, 1);
  polls.subscriptions.listen(by);
  await polls.changed(2);
  await polls.clock.advance(249);
  expect(polls.asked).toEqual([1]);
  await polls.clock.advance(30_001);
  await polls.answered(ok(new Response(null, { status: 304 })));
  expect(polls.asked).toEqual([1, 2, 2]);
  expect(polls.told).toEqual([URI]);
});

test("[MCP-6] a client that may no longer read it is notified once, and then no more", async () => {
  const polls = new Polls();
  polls.subscriptions.add(URI, 1);
  polls.subscriptions.listen(by);
  await polls.answered(refuse({ kind: "not_found", noun: "job" }));
  await polls.clock.advance(60_000);
  expect([polls.asked.length, polls.told.length]).toEqual([1, 1]);
});

test("[MCP-6] a watch ends with its token and its subscription, and survives a temporary refusal", async () => {
  const polls = new Polls();
  polls.subscriptions.add(URI, 1);
  polls.subscriptions.listen(by);
  await polls.answered(refuse({ kind: "overloaded", retryAfterMs: 1_000 }));
  await polls.clock.advance(5_000);
  expect(polls.asked).toEqual([1, 1]);
  // Before its time: whatever the token had open is ended.
  await polls.answered(ok(new Response(null, { status: 304 })));
  await polls.clock.advance(60_000);
  expect(polls.asked).toHaveLength(2);
  polls.subscriptions.listen(by);
  polls.subscriptions.remove(URI);
  await polls.clock.advance(60_000);
  expect([polls.asked.length, polls.told.length]).toEqual([3, 0]);
});
