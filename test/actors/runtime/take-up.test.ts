/** Taking up what a former owner left undone, when there is much of it or it does not go well. */
import { expect, test } from "bun:test";
import { ok } from "../../../actors/fault.ts";
import type { AnyDefinition, Tx } from "../../../actors/runtime/actor.ts";
import { LARGE_BYTES } from "../../../actors/runtime/commit/flush-queue.ts";
import { MESSAGE_TRIES } from "../../../actors/runtime/outputs/delivery.ts";
import { LEASE_TERM_MS, shardOf } from "../../../actors/runtime/placement/placement.ts";
import { type EffectRow, type MessageRow, noWrites } from "../../../actors/runtime/store.ts";
import { TAKE_UP_MS, UNDONE_PAGE } from "../../../actors/runtime/placement/take-up.ts";
import { until } from "../../support/condition.ts";
import { settle } from "../../support/fake-clock.ts";
import { faultOf, ORG } from "../../support/ledger-replica.ts";
import { Replica, type ReplicaOptions, World } from "../../support/replica.ts";

const SHARD = shardOf(ORG);
/** Another organization of the same shard, whose commits may be in flight beside those of the first. */
const NEIGHBOUR = "org_az";
const ref = (id: string, organizationId = ORG) => ({ kind: "list", organizationId, id });
const addressed = (id: string) => ({ organizationId: ORG, actorKind: "list", actorId: id });
const message = (i: number, to = `a${i % 7}`, kind = "note"): MessageRow => ({
  ...addressed(to),
  id: `amg_${i}`,
  command: { kind, i } as { kind: string },
});
const effect = (i: number): EffectRow => ({
  ...addressed("a"),
  id: `eff_${String(i).padStart(6, "0")}`,
  kind: "work",
  intent: {},
});

/** Actors that note the numbers that they are sent. Only `shut` has a record. */
function lists() {
  const noted = new Map<string, number[]>();
  const definition: AnyDefinition = {
    kind: "list",
    needs: ({ id }) => (id === "shut" ? [{ table: "chat", id }] : []),
    handlers: {
      note: (tx: Tx, { i }: { readonly i: number }) => {
        noted.set(tx.self.id, [...(noted.get(tx.self.id) ?? []), i]);
        return ok(null);
      },
      tell: (tx: Tx, { i, to, pad }: { readonly i: number; readonly to: string; readonly pad?: string }) => {
        tx.send(ref(to, tx.self.organizationId), { kind: "note", i, pad } as { kind: string });
        return ok(null);
      },
      begin: (tx: Tx) => ok(tx.effect(tx.self, "work", {})),
      fall: () => {
        throw new Error("a bug in a turn");
      },
    },
  };
  return { definition, noted };
}

/** A replica that is about to take up these rows. */
function heir(
  rows: { readonly messages?: readonly MessageRow[]; readonly effects?: readonly EffectRow[] },
  effects: ReplicaOptions["effects"] = {},
) {
  const world = new World();
  const writes = { ...noWrites(), messages: [...(rows.messages ?? [])], effects: [...(rows.effects ?? [])] };
  world.database.commit([{ shard: SHARD, epoch: 0, writes }], new Set([SHARD]));
  const { definition, noted } = lists();
  const replica = new Replica<Record<string, never>>(world, { definitions: [definition], effects });
  const ask = (id: string, command: object, organizationId = ORG) =>
    replica.system.dispatchGroup([{ ref: ref(id, organizationId), command: command as { kind: string } }]);
  return { world, replica, noted, ask };
}

test("[RT-11] messages are taken up in pages, each actor's in the order of their commits, and each once", async () => {
  const messages = Array.from({ length: 4 * UNDONE_PAGE + 3 }, (_, i) => message(i));
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
      message(0, "slow"),
      message(1, "slow"),
      message(2, "fast"),
      ...Array.from({ length: UNDONE_PAGE - 3 }, (_, i) => message(100 + i, "many")),
      message(3, "fast"),
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
  const { world, replica } = heir({ messages: [message(0)] });
  const door = Promise.withResolvers<void>();
  const read = replica.store.undoneMessages.bind(replica.store);
  replica.store.undoneMessages = async (...asked) => {
    await door.promise;
    return read(...asked);
  };
  const start = replica.system.start();
  await settle();
  const another = Array.from({ length: 20 }, (_, i) => `org_${i}`).find((id) => shardOf(id) !== SHARD)!;
  expect([replica.system.serves(ORG), replica.system.serves(another)]).toEqual([false, true]);
  await world.clock.advance(TAKE_UP_MS);
  await start;
  expect(replica.system.serves(ORG)).toBe(true);
  door.resolve();
});

test("[OPS-6] [RT-11] nothing is taken up, and no shard served, before the erased organizations are known", async () => {
  const { replica, noted } = heir({ messages: [message(0)] });
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
  const scene = heir({ messages: Array.from({ length: messages }, (_, i) => message(i, "a")) });
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
  expect(shardOf(NEIGHBOUR)).toBe(SHARD);
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
  const answer = Promise.withResolvers<void>();
  const flush = replica.store.flush.bind(replica.store);
  replica.store.flush = async (...asked) => {
    const committed = await flush(...asked);
    await answer.promise;
    return committed;
  };
  const told = ask("b", { kind: "tell", to: "a", i: 1 });
  await until("its row is there", () =>
    world.database.messages().some(({ command }) => "i" in command && command.i === 1),
  );
  for (const door of doors) door.resolve();
  await until("the page is taken", () => noted.get("a")?.length === 1);
  answer.resolve();
  expect(faultOf(await told)).toBe("ok");
  await until("it is delivered", () => world.database.messages().length === 0);
  await settle();
  expect(noted.get("a")).toEqual([0, 1]);
});

test("[RT-10] [RT-11] a message that always fails blocks neither the shard nor the other messages", async () => {
  const messages = [
    message(0, "bad", "fall"),
    ...Array.from({ length: UNDONE_PAGE }, (_, i) => message(i + 1, "good")),
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
    ...Array.from({ length: 3 * UNDONE_PAGE }, (_, i) => message(i, "shut")),
    message(3 * UNDONE_PAGE, "open"),
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

test("[RT-10] [RT-11] messages that always fail, however many, hold back neither later ones nor new ones", async () => {
  const messages = [
    ...Array.from({ length: 3 * UNDONE_PAGE }, (_, i) => message(i, "bad", "fall")),
    message(3 * UNDONE_PAGE, "open"),
  ];
  const { world, replica, noted, ask } = heir({ messages });
  await replica.system.start();
  await until("the one behind them is delivered", () => noted.get("open")?.length === 1);
  expect(faultOf(await ask("other", { kind: "tell", to: "open", i: 1 }))).toBe("ok");
  await until("a new one is delivered", () => noted.get("open")?.length === 2);
  await world.clock.advance(60_000);
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

test("[RT-11] effects are recovered a few at a time, failed ones again later, and newly started ones not at all", async () => {
  const recovered: string[] = [];
  let running = 0;
  let most = 0;
  let isBad = true;
  const handler = {
    run: () => Promise.resolve(),
    recover: async ({ id }: EffectRow) => {
      most = Math.max(most, ++running);
      await settle();
      running--;
      if (id === effect(5).id && isBad) throw new Error("cannot be recovered yet");
      recovered.push(id);
    },
  };
  const effects = Array.from({ length: UNDONE_PAGE + 50 }, (_, i) => effect(i));
  const { world, replica } = heir({ effects }, { work: handler });
  await replica.system.start();
  await until("each has had its try", () => recovered.length === effects.length - 1 && replica.errors.length > 0);
  expect(most).toBeLessThanOrEqual(16);
  expect(replica.errors).toEqual(["an effect failed"]);
  isBad = false;
  await world.clock.advance(10_000);
  await until("it has had its second one", () => recovered.length === effects.length);
  expect(recovered.at(-1)).toBe(effect(5).id);
  expect(new Set(recovered).size).toBe(effects.length);
  expect(recovered.length).toBe(effects.length);
});

test("[RT-11] failed effects of a shard share one read of the table for their next try", async () => {
  let isBad = true;
  const ended: string[] = [];
  const handle = async ({ id }: EffectRow): Promise<void> => {
    if (isBad) throw new Error("not yet");
    ended.push(id);
  };
  const effects = Array.from({ length: 5 }, (_, i) => effect(i));
  const { world, replica, ask } = heir({ effects }, { work: { run: handle, recover: handle } });
  let reads = 0;
  const read = replica.store.undoneEffects.bind(replica.store);
  replica.store.undoneEffects = (...asked) => {
    reads++;
    return read(...asked);
  };
  await replica.system.start();
  // Some fail later than the others, and some when they begin.
  for (let i = 0; i < 5; i++) {
    await world.clock.advance(500);
    expect(faultOf(await ask("b", { kind: "begin" }))).toBe("ok");
  }
  await until("each has failed", () => replica.errors.length === 10);
  reads = 0;
  await world.clock.advance(50_000);
  expect(reads).toBeGreaterThan(5);
  expect(reads).toBeLessThanOrEqual(15);
  isBad = false;
  await world.clock.advance(5_000);
  await until("each has had its turn", () => ended.length === 10);
  expect(new Set(ended).size).toBe(10);
});

test("[RT-10] [RT-11] an effect whose commit is answered while its recovery waits for a slot is not recovered too", async () => {
  const recovered: string[] = [];
  const ran: string[] = [];
  const ends: (() => void)[] = [];
  const pending = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
  const work = {
    run: ({ id }: EffectRow) => {
      ran.push(id);
      return pending();
    },
    recover: ({ id }: EffectRow) => {
      recovered.push(id);
      return pending();
    },
  };
  // As many as are recovered at once.
  const effects = Array.from({ length: 16 }, (_, i) => effect(i));
  const { world, replica, ask } = heir({ effects }, { work });
  const door = Promise.withResolvers<void>();
  const read = replica.store.undoneEffects.bind(replica.store);
  replica.store.undoneEffects = async (...asked) => {
    await door.promise;
    return read(...asked);
  };
  await replica.system.start();
  const answer = Promise.withResolvers<void>();
  const flush = replica.store.flush.bind(replica.store);
  replica.store.flush = async (...asked) => {
    const committed = await flush(...asked);
    await answer.promise;
    return committed;
  };
  const begun = ask("b", { kind: "begin" });
  await until("its row is there", () => world.database.effects().length > effects.length);
  door.resolve();
  await until("every slot is taken", () => recovered.length === effects.length);
  await settle();
  answer.resolve();
  expect(faultOf(await begun)).toBe("ok");
  await until("it runs", () => ran.length === 1);
  for (const end of ends.splice(0)) end();
  await settle();
  expect(recovered).toEqual(effects.map(({ id }) => id));
  replica.crash();
});

test("[RT-11] no effect is recovered after its shard is lost", async () => {
  const recovered: string[] = [];
  const ends: (() => void)[] = [];
  const work = {
    run: () => Promise.resolve(),
    recover: ({ id }: EffectRow) => {
      recovered.push(id);
      return new Promise<void>((resolve) => ends.push(resolve));
    },
  };
  const effects = Array.from({ length: 40 }, (_, i) => effect(i));
  const { replica } = heir({ effects }, { work });
  await replica.system.start();
  await until("some are being recovered", () => recovered.length > 0);
  await settle();
  const before = recovered.length;
  expect(before).toBeLessThan(effects.length);
  replica.system.shards.lose(SHARD);
  for (const end of ends.splice(0)) end();
  await settle();
  expect(recovered.length).toBe(before);
  replica.crash();
});
