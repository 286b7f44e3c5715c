/** Taking up the messages that a former owner left undone, when there are many or it does not go well. */
import { expect, test } from "bun:test";
import { LARGE_BYTES } from "../../../actors/runtime/commit/flush-queue.ts";
import { MESSAGE_TRIES } from "../../../actors/runtime/outputs/delivery.ts";
import { LEASE_TERM_MS, shardOf } from "../../../actors/runtime/placement/placement.ts";
import { LEFT_ROUND, TAKE_UP_MS, UNDONE_PAGE } from "../../../actors/runtime/placement/take-up.ts";
import type { MessageRow } from "../../../actors/runtime/store.ts";
import { until } from "../../support/condition.ts";
import { settle } from "../../support/fake-clock.ts";
import { heir, HEIR_SHARD, undoneMessage, withholdAnswers } from "../../support/heir.ts";
import { faultOf, ORG } from "../../support/ledger-replica.ts";

/** Another organization of the same shard, whose commits may be in flight beside those of the first. */
const NEIGHBOUR = "org_az";
const ofNeighbour = (message: MessageRow): MessageRow => ({ ...message, organizationId: NEIGHBOUR });

test("[RT-11] messages are taken up in pages, each actor's in the order of their commits, and each once", async () => {
  const messages = Array.from({ length: 4 * UNDONE_PAGE + 3 }, (_, i) => undoneMessage(i));
  const { world, replica, noted } = heir({ messages });
  const sizes: number[] = [];
  const read = replica.store.undoneMessages.bind(replica.store);
  replica.store.undoneMessages = async (...asked) => {
    const page = await read(...asked);
    sizes.push(page.length);
    return page;
  };
  await replica.system.start();
  await until("all are answered", () => world.database.messages().length === 0);
  expect(sizes).toEqual([UNDONE_PAGE, UNDONE_PAGE, UNDONE_PAGE, UNDONE_PAGE, 3]);
  for (let actor = 0; actor < 7; actor++) {
    const own = messages.map((_, i) => i).filter((i) => i % 7 === actor);
    expect(noted.get(`a${actor}`)).toEqual(own);
  }
});

test("[RT-11] a shard is served in time despite much unfinished work, and new messages come after the old ones", async () => {
  const { world, replica, noted, ask } = heir({
    messages: [
      undoneMessage(0, "slow"),
      undoneMessage(1, "slow"),
      undoneMessage(2, "fast"),
      ...Array.from({ length: UNDONE_PAGE - 3 }, (_, i) => undoneMessage(100 + i, "many")),
      undoneMessage(3, "fast"),
    ],
  });
  // The second page does not come yet.
  const door = Promise.withResolvers<void>();
  const read = replica.store.undoneMessages.bind(replica.store);
  replica.store.undoneMessages = async (shard, range, limit) => {
    if (range.after > 0) await door.promise;
    return read(shard, range, limit);
  };
  const start = replica.system.start();
  await settle();
  expect(faultOf(await ask("fast", { kind: "note", i: 10 }))).toBe("unavailable");
  await world.clock.advance(TAKE_UP_MS);
  await start;
  expect(faultOf(await ask("fast", { kind: "note", i: 11 }))).toBe("ok");
  expect(faultOf(await ask("other", { kind: "tell", to: "fast", i: 12 }))).toBe("ok");
  await settle();
  // Its row is there, and it waits for what was there before.
  expect([noted.get("fast"), world.database.messages().length]).toEqual([[2, 11], 2]);
  door.resolve();
  await until("the new message is delivered", () => world.database.messages().length === 0);
  expect([noted.get("slow"), noted.get("fast")]).toEqual([
    [0, 1],
    [2, 11, 3, 12],
  ]);
  expect(faultOf(await ask("other", { kind: "tell", to: "fast", i: 13 }))).toBe("ok");
  await until("it goes from memory again", () => noted.get("fast")?.at(-1) === 13);
});

test("[RT-11] unfinished work on one shard delays no other one", async () => {
  const { world, replica } = heir({ messages: [undoneMessage(0)] });
  const door = Promise.withResolvers<void>();
  const read = replica.store.undoneMessages.bind(replica.store);
  replica.store.undoneMessages = async (...asked) => {
    await door.promise;
    return read(...asked);
  };
  const start = replica.system.start();
  await settle();
  const another = Array.from({ length: 20 }, (_, i) => `org_${i}`).find((id) => shardOf(id) !== HEIR_SHARD)!;
  expect([replica.system.serves(ORG), replica.system.serves(another)]).toEqual([false, true]);
  await world.clock.advance(TAKE_UP_MS);
  await start;
  expect(replica.system.serves(ORG)).toBe(true);
  door.resolve();
});

test("[OPS-6] [RT-11] nothing is taken up, and no shard served, before the erased organizations are known", async () => {
  const { replica, noted } = heir({ messages: [undoneMessage(0)] });
  const known = Promise.withResolvers<void>();
  const read = replica.store.erased.bind(replica.store);
  replica.store.erased = async (...asked) => {
    await known.promise;
    return read(...asked);
  };
  const start = replica.system.start();
  await settle();
  const organizations = Array.from({ length: 20 }, (_, i) => `org_${i}`);
  expect([noted.size, organizations.filter((id) => replica.system.serves(id))]).toEqual([0, []]);
  known.resolve();
  await start;
  expect([noted.get("a0"), replica.system.serves(ORG)]).toEqual([[0], true]);
});

/** A replica that serves while the pages of its take-up wait, each for its door. */
async function servingBeforePages(messages = 1) {
  const scene = heir({ messages: Array.from({ length: messages }, (_, i) => undoneMessage(i, "a")) });
  const { world, replica } = scene;
  const doors = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const read = replica.store.undoneMessages.bind(replica.store);
  const pages: string[][] = [];
  replica.store.undoneMessages = async (...asked) => {
    await doors[pages.length]?.promise;
    const page = await read(...asked);
    pages.push(page.map(({ id }) => id));
    return page;
  };
  const start = replica.system.start();
  await settle();
  await world.clock.advance(TAKE_UP_MS);
  await start;
  return { ...scene, doors, pages };
}

test("[RT-11] a message that is committed during a take-up comes after the pages, which do not show it", async () => {
  const { world, noted, ask, doors, pages } = await servingBeforePages();
  expect(faultOf(await ask("b", { kind: "tell", to: "a", i: 1 }))).toBe("ok");
  for (const door of doors) door.resolve();
  await until("it is delivered", () => world.database.messages().length === 0);
  expect([noted.get("a"), pages]).toEqual([[0, 1], [["amg_0"]]]);
});

test("[RT-11] a message whose commit got its position earlier but ended later than another one is not skipped", async () => {
  const { world, replica, noted, ask, doors, pages } = await servingBeforePages();
  const gate = replica.store.holdNext();
  const late = ask("b", { kind: "tell", to: "a", i: 1, pad: "x".repeat(LARGE_BYTES) });
  await gate.reached;
  expect(shardOf(NEIGHBOUR)).toBe(HEIR_SHARD);
  expect(faultOf(await ask("c", { kind: "tell", to: "n", i: 2 }, NEIGHBOUR))).toBe("ok");
  doors[0]!.resolve();
  await until("the first page is read", () => pages.length === 1);
  gate.open();
  expect(faultOf(await late)).toBe("ok");
  for (const door of doors) door.resolve();
  await until("both are delivered", () => world.database.messages().length === 0);
  expect([noted.get("a"), noted.get("n")]).toEqual([[0, 1], [2]]);
});

test("[RT-11] a message whose row is visible before its commit is answered has one turn", async () => {
  const { world, replica, noted, ask, doors } = await servingBeforePages();
  const answerCommits = withholdAnswers(replica);
  const told = ask("b", { kind: "tell", to: "a", i: 1 });
  await until("its row is there", () =>
    world.database.messages().some(({ command }) => "i" in command && command.i === 1),
  );
  for (const door of doors) door.resolve();
  await until("the page is taken", () => noted.get("a")?.length === 1);
  answerCommits();
  expect(faultOf(await told)).toBe("ok");
  await until("it is delivered", () => world.database.messages().length === 0);
  await settle();
  expect(noted.get("a")).toEqual([0, 1]);
});

test("[RT-10] [RT-11] a message that always fails blocks neither the shard nor the other messages", async () => {
  const messages = [
    undoneMessage(0, "bad", "fall"),
    ...Array.from({ length: UNDONE_PAGE }, (_, i) => undoneMessage(i + 1, "good")),
  ];
  const { world, replica, noted, ask } = heir({ messages });
  await replica.system.start();
  await until("the others have had theirs", () => noted.get("good")?.length === UNDONE_PAGE);
  expect(faultOf(await ask("bad", { kind: "note", i: 1 }))).toBe("ok");
  await world.clock.advance(60_000);
  expect([replica.system.parkedMessages(null), replica.system.parkedMessages("org_b")]).toEqual([1, 0]);
  expect(world.database.messages().map(({ id }) => id)).toEqual(["amg_0"]);
});

test("[RT-11] messages that cannot be delivered, however many, hold back neither later ones nor new ones", async () => {
  const messages = [
    ...Array.from({ length: 3 * UNDONE_PAGE }, (_, i) => undoneMessage(i, "shut")),
    undoneMessage(3 * UNDONE_PAGE, "open"),
  ];
  const { world, replica, noted, ask } = heir({ messages });
  const read = replica.store.read.bind(replica.store);
  replica.store.read = async () => {
    throw new Error("unreadable");
  };
  await replica.system.start();
  await until("the one behind them is delivered", () => noted.get("open")?.length === 1);
  expect(faultOf(await ask("other", { kind: "tell", to: "open", i: 1 }))).toBe("ok");
  await until("a new one is delivered", () => noted.get("open")?.length === 2);
  await world.clock.advance(5_000);
  expect([noted.get("shut"), world.database.messages().length]).toEqual([undefined, 3 * UNDONE_PAGE]);
  replica.store.read = read;
  await world.clock.advance(10_000);
  await until("all are delivered", () => world.database.messages().length === 0);
  expect(noted.get("shut")).toEqual(Array.from({ length: 3 * UNDONE_PAGE }, (_, i) => i));
  expect(noted.get("open")).toEqual([3 * UNDONE_PAGE, 1]);
});

/** An heir of messages to receivers, whose organizations' records cannot be read while `isShut` says so; `tried` are its reads. */
async function withShutReceivers(messages: readonly MessageRow[]) {
  const scene = heir({ messages });
  const shut = { isShut: (_organizationId: string): boolean => true, tried: [] as string[] };
  const read = scene.replica.store.read.bind(scene.replica.store);
  scene.replica.store.read = async (refs) => {
    shut.tried.push(...refs.map(({ id }) => id));
    if (refs.some(({ organizationId }) => shut.isShut(organizationId))) throw new Error("unreadable");
    return read(refs);
  };
  await scene.replica.system.start();
  await settle();
  shut.tried = [];
  return { ...scene, shut };
}

test("[RT-11] a round offers a bounded number of messages that were left, and the next round continues after them", async () => {
  const receivers = Array.from({ length: 2 * LEFT_ROUND + 10 }, (_, i) => `shut${i}`);
  const { world, shut, noted } = await withShutReceivers(receivers.map((to, i) => undoneMessage(i, to)));
  await world.clock.advance(250);
  expect(shut.tried).toEqual(receivers.slice(0, LEFT_ROUND));
  await world.clock.advance(500);
  expect(shut.tried).toEqual(receivers.slice(0, 2 * LEFT_ROUND));
  await world.clock.advance(1_000);
  expect(shut.tried).toEqual(receivers);
  await world.clock.advance(2_000);
  expect(shut.tried).toEqual([...receivers, ...receivers.slice(0, LEFT_ROUND)]);
  // While messages are delivered, the next round comes soon.
  shut.isShut = () => false;
  await world.clock.advance(6_000);
  await until("all are delivered", () => world.database.messages().length === 0);
  expect(noted.size).toBe(receivers.length);
});

test("[RT-11] messages to a receiver that was closed in an earlier round keep their order", async () => {
  const others = Array.from({ length: LEFT_ROUND }, (_, i) => undoneMessage(i + 1, `shut-other${i}`));
  const last = LEFT_ROUND + 1;
  const { world, shut, noted } = await withShutReceivers([
    ofNeighbour(undoneMessage(0, "shut")),
    ...others,
    ofNeighbour(undoneMessage(last, "shut")),
  ]);
  await world.clock.advance(250);
  shut.isShut = (organizationId) => organizationId === ORG;
  await world.clock.advance(60_000);
  expect(noted.get("shut")).toEqual([0, last]);
});

test("[RT-11] messages to a closed receiver, however many, do not delay those of another one", async () => {
  const { world, shut, noted } = await withShutReceivers([
    ...Array.from({ length: 4 * LEFT_ROUND }, (_, i) => undoneMessage(i, "shut")),
    ofNeighbour(undoneMessage(4 * LEFT_ROUND, "shut-other")),
  ]);
  shut.isShut = (organizationId) => organizationId === ORG;
  await world.clock.advance(250);
  expect(noted.get("shut-other")).toEqual([4 * LEFT_ROUND]);
  expect(shut.tried).toEqual(["shut", "shut-other"]);
});

test("[RT-11] messages that a round passes over are read in pages, however few it may still offer", async () => {
  const others = Array.from({ length: LEFT_ROUND - 2 }, (_, i) => undoneMessage(i + 1, `shut-other${i}`));
  const more = Array.from({ length: 2 * LEFT_ROUND }, (_, i) => undoneMessage(LEFT_ROUND + i, "shut"));
  const last = undoneMessage(4 * LEFT_ROUND, "shut-last");
  const messages = [undoneMessage(0, "shut"), ...others, ...more, last, undoneMessage(5 * LEFT_ROUND, "shut-next")];
  const { world, replica, shut } = await withShutReceivers(messages);
  let reads = 0;
  const read = replica.store.undoneMessages.bind(replica.store);
  replica.store.undoneMessages = (...asked) => {
    reads++;
    return read(...asked);
  };
  await world.clock.advance(250);
  expect(shut.tried).toEqual(["shut", ...others.map(({ actorId }) => actorId), "shut-last"]);
  expect(reads).toBeLessThanOrEqual(4);
  await world.clock.advance(500);
  expect(shut.tried.at(-1)).toBe("shut-next");
});

test("[RT-10] [RT-11] messages that always fail, however many, hold back neither later ones nor new ones", async () => {
  const messages = [
    ...Array.from({ length: 3 * UNDONE_PAGE }, (_, i) => undoneMessage(i, "bad", "fall")),
    undoneMessage(3 * UNDONE_PAGE, "open"),
  ];
  const { world, replica, noted, ask } = heir({ messages });
  await replica.system.start();
  await until("the one behind them is delivered", () => noted.get("open")?.length === 1);
  expect(faultOf(await ask("other", { kind: "tell", to: "open", i: 1 }))).toBe("ok");
  await until("a new one is delivered", () => noted.get("open")?.length === 2);
  await world.clock.advance(120_000);
  expect(replica.system.parkedMessages(null)).toBe(3 * UNDONE_PAGE);
  expect(replica.errors.length).toBe(MESSAGE_TRIES * 3 * UNDONE_PAGE);
});

test("[RT-11] without a lease a take-up waits: no message is left for later", async () => {
  const { world, replica, noted, doors, pages } = await servingBeforePages(3 * UNDONE_PAGE);
  replica.placement.isCut = true;
  await world.clock.advance(LEASE_TERM_MS);
  for (const door of doors) door.resolve();
  await settle();
  await world.clock.advance(60_000);
  expect([noted.size, pages.length]).toEqual([0, 2]);
  replica.placement.isCut = false;
  await world.clock.advance(LEASE_TERM_MS);
  await until("all are delivered", () => world.database.messages().length === 0);
  expect(pages.length).toBe(3);
});
