import { expect, test } from "bun:test";
import {
  BURST_BOUNDS,
  Mailbox,
  MAILBOX_BYTES,
  MAILBOX_MESSAGES,
  MAILBOX_OLDEST_MS,
  type Ticket,
} from "../../../actors/runtime/turns/mailbox.ts";
import { shardOf } from "../../../actors/runtime/placement/placement.ts";
import { settle } from "../../support/fake-clock.ts";
import { ledgerRef } from "../../support/ledger-actor.ts";
import { faultOf, ORG, startLedgers } from "../../support/ledger-replica.ts";
import { inWorld, World } from "../../support/replica.ts";

const fill = (mailbox: Mailbox, count: number, bytes = 1): Ticket[] =>
  Array.from({ length: count }, () => mailbox.enter(0, bytes)!);

test("[RT-6] a mailbox accepts 1,000 messages and refuses the next, until one leaves", () => {
  const mailbox = new Mailbox();
  const tickets = fill(mailbox, MAILBOX_MESSAGES);
  expect(tickets).not.toContain(null as never);
  expect(mailbox.enter(0, 1)).toBeNull();
  mailbox.leave(tickets[500]!);
  expect(mailbox.enter(0, 1)).not.toBeNull();
  expect(mailbox.enter(0, 1)).toBeNull();
});

test("[RT-6] a mailbox accepts 1 MiB and refuses one byte more; a single message of any size is accepted", () => {
  const mailbox = new Mailbox();
  const [first] = fill(mailbox, 1, MAILBOX_BYTES - 10);
  expect(mailbox.enter(0, 10)).not.toBeNull();
  expect(mailbox.enter(0, 1)).toBeNull();
  mailbox.leave(first!);
  expect(mailbox.enter(0, 1)).not.toBeNull();
  expect(new Mailbox().enter(0, 2 * MAILBOX_BYTES)).not.toBeNull();
});

test("[RT-6] the mailbox of an organization accepts a burst of a hundred tasks of 60 KB", () => {
  const mailbox = new Mailbox(BURST_BOUNDS);
  const tickets = Array.from({ length: 100 }, () => mailbox.enter(0, 2 * 60_000));
  expect(tickets).not.toContain(null);
});

test("[RT-6] a mailbox whose oldest message has waited 5 s accepts more, and past 5 s none", () => {
  const mailbox = new Mailbox();
  const oldest = mailbox.enter(0, 1)!;
  const younger = mailbox.enter(1_000, 1)!;
  expect(mailbox.enter(MAILBOX_OLDEST_MS, 1)).not.toBeNull();
  expect(mailbox.enter(MAILBOX_OLDEST_MS + 1, 1)).toBeNull();
  mailbox.leave(younger);
  expect(mailbox.enter(MAILBOX_OLDEST_MS + 1, 1)).toBeNull();
  mailbox.leave(oldest);
  expect(mailbox.enter(MAILBOX_OLDEST_MS + 1, 1)).not.toBeNull();
});

test("[RT-6] leaving twice counts once, and an emptied mailbox is like a new one", () => {
  const mailbox = new Mailbox();
  const tickets = fill(mailbox, MAILBOX_MESSAGES);
  for (const ticket of tickets.toReversed()) mailbox.leave(ticket);
  for (const ticket of tickets) mailbox.leave(ticket);
  expect(mailbox.isEmpty).toBe(true);
  expect(fill(mailbox, MAILBOX_MESSAGES)).not.toContain(null as never);
  expect(mailbox.enter(0, 1)).toBeNull();
});

test("[RT-6] the message past the limit is refused as overloaded at once; the others, and other actors, are not affected", async () => {
  const replica = await startLedgers(new World());
  await replica.add("hot");
  const gate = replica.store.holdNext();
  const taken = Array.from({ length: MAILBOX_MESSAGES }, () => replica.add("hot"));
  expect(faultOf(await replica.add("hot"))).toBe("overloaded");
  expect(faultOf(await replica.ask("hot", { kind: "read" }))).toBe("overloaded");
  const other = replica.add("cold");
  await gate.reached;
  gate.open();
  expect((await Promise.all(taken)).every((outcome) => outcome.ok)).toBe(true);
  expect(faultOf(await other)).toBe("ok");
  expect((await replica.read("hot"))?.count).toBe(MAILBOX_MESSAGES + 1);
});

test("[RT-6] the bytes of waiting commands are limited", async () => {
  const replica = await startLedgers(new World());
  await replica.add("hot");
  const gate = replica.store.holdNext();
  const big = { kind: "add", by: 1, note: "x".repeat(200_000) } as const;
  const outcomes = Promise.all([1, 2, 3].map(() => replica.ask("hot", big)));
  await gate.reached;
  gate.open();
  expect((await outcomes).map(faultOf)).toEqual(["ok", "ok", "overloaded"]);
});

test("[RT-6] an actor whose oldest caller has waited for more than 5 s accepts no more; a group leaves every mailbox that it entered", async () => {
  const { world, replica } = await inWorld(startLedgers);
  await Promise.all([replica.add("hot"), replica.add("other")]);
  const gate = replica.store.holdNext();
  const waiting = replica.add("hot");
  await gate.reached;
  world.clock.jump(MAILBOX_OLDEST_MS);
  const late = replica.add("hot");
  world.clock.jump(1);
  const both = await replica.system.dispatchGroup([member("other"), member("hot")]);
  expect(faultOf(both)).toBe("overloaded");
  gate.open();
  expect([faultOf(await waiting), faultOf(await late)]).toEqual(["ok", "ok"]);
  await settle();
  expect([(await replica.read("hot"))?.count, (await replica.read("other"))?.count]).toEqual([3, 1]);
  const actorOf = (id: string) => replica.system.actors.get(ledgerRef(ORG, id), { shard: shardOf(ORG), epoch: 1 }, 0);
  expect([actorOf("hot").mailbox.isEmpty, actorOf("other").mailbox.isEmpty]).toEqual([true, true]);
});

const member = (id: string) => ({
  ref: { kind: "ledger", organizationId: "org_a", id },
  command: { kind: "add", by: 1 },
});
