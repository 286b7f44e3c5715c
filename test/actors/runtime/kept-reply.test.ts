/** Kept replies: which are kept, and each thing that ends one. */
import { describe, expect, test } from "bun:test";
import { ok, type Outcome } from "../../../actors/fault.ts";
import type { ActorRef, AnyDefinition, Tx } from "../../../actors/runtime/actor.ts";
import { keptAsk } from "../../../actors/runtime/turns/kept-reply.ts";
import type { LiveActor } from "../../../actors/runtime/turns/live-actor.ts";
import { IDLE_MS, MOVED_MS } from "../../../actors/runtime/turns/live-actors.ts";
import { LEASE_TERM_MS, shardOf } from "../../../actors/runtime/placement/placement.ts";
import { volatileTable } from "../../../actors/runtime/turns/volatile-state.ts";
import { FAKE_EPOCH_MS, settle } from "../../support/fake-clock.ts";
import { faultOf, ORG } from "../../support/ledger-replica.ts";
import { Replica, World } from "../../support/replica.ts";

const NOTES = { name: "chat" };
const seen = volatileTable<number>("seen");
const refOf = (id: string, organizationId = ORG): ActorRef => ({ kind: "desk", organizationId, id });

interface Command {
  readonly kind: string;
  readonly id?: string;
  readonly note?: string;
}

type DeskReplica = Replica<{ desk: { command: Command; replies: object } }>;

/** An actor of notes, and everybody who asks it. `untilMs`: how long its replies hold. */
class Desk {
  turns = 0;
  untilMs = Number.POSITIVE_INFINITY;
  readonly world = new World();
  readonly replica: DeskReplica;
  /** A replica beside it, on the same database. */
  readonly another: () => DeskReplica;

  constructor({ isUnordered = true, liveActors = 20_000, workingSet = 100, messages = 1_000 } = {}) {
    const look = (tx: Tx, id = "a"): Outcome<string | null> => {
      this.turns++;
      tx.holdsUntil(this.untilMs);
      return ok((tx.read(NOTES, id) as { readonly note?: string } | null)?.note ?? null);
    };
    const definition: AnyDefinition = {
      kind: "desk",
      needs: () => [],
      workingSet,
      mailbox: { messages, bytes: 1_000_000 },
      ...(isUnordered ? { isUnordered: true as const } : {}),
      handlers: {
        look: (tx: Tx, { id }: Command) => look(tx, id),
        look_without_term: (tx: Tx) => {
          this.turns++;
          return ok(tx.read(NOTES, "a")?.id ?? null);
        },
        look_and_recall: (tx: Tx) => (tx.recall(seen, "x"), look(tx)),
        look_at_keys: (tx: Tx) => (tx.recallKeys(seen), look(tx)),
        look_and_peek: (tx: Tx) => (tx.peek(NOTES, "a"), look(tx)),
        look_at_version: (tx: Tx) => (tx.versionAfter(NOTES, "a"), look(tx)),
        look_and_remember: (tx: Tx) => (tx.remember(seen, "x", 1), look(tx)),
        look_and_say: (tx: Tx) => (tx.addText("m", "text"), look(tx)),
        look_and_tell: (tx: Tx) => (tx.send(tx.self, { kind: "nothing" }), look(tx)),
        nothing: () => ok(null),
        set: (tx: Tx, { id = "a", note = "" }: Command) => {
          const before = tx.read(NOTES, id);
          const after = { ...before, id, note } as NonNullable<typeof before>;
          return ok(before === null ? tx.create(NOTES, after) : tx.update(NOTES, after));
        },
      },
    };
    this.another = () => new Replica(this.world, { definitions: [definition], liveActors });
    this.replica = this.another();
  }

  async start(): Promise<this> {
    await this.replica.system.start();
    return this;
  }

  /** What it is asked, at once or after a while; `kind` is another way to look. */
  ask(kind = "look", { ref = refOf("d"), id = "a" } = {}) {
    const command: Command = { kind, id };
    return this.replica.system.dispatchKept<unknown>(keptAsk({ ref, command }, `${kind} ${id}`));
  }

  set(note: string, id = "a", ref = refOf("d")): Promise<Outcome<unknown>> {
    const command: Command = { kind: "set", id, note };
    return this.replica.system.dispatch(ref as ActorRef<"desk">, command);
  }

  actor(ref = refOf("d")): LiveActor {
    return this.replica.system.actors.find(ref)!;
  }

  /** Asks until the reply is kept: the first turn loads the records. */
  async keep(note = "first"): Promise<void> {
    await this.set(note);
    expect(await this.ask()).toEqual(ok(note));
    const before = this.turns;
    expect(this.ask()).toEqual(ok(note));
    expect(this.turns).toBe(before);
  }

  /** The next question is answered by a turn. */
  async expectTurn(reply: Outcome<unknown>): Promise<void> {
    const before = this.turns;
    expect(await this.ask()).toEqual(reply);
    expect(this.turns).toBeGreaterThan(before);
  }
}

const start = (options: ConstructorParameters<typeof Desk>[0] = {}) => new Desk(options).start();

describe("a reply that is kept", () => {
  test("[RT-19] the same question is answered without a turn; another name, actor or organization has its own", async () => {
    const desk = await start();
    await desk.keep("mine");
    await desk.set("theirs", "a", refOf("d", "org_b"));
    await desk.set("another", "b");
    await desk.set("next door", "a", refOf("e"));
    expect(await desk.ask("look", { id: "b" })).toEqual(ok("another"));
    expect(await desk.ask("look", { ref: refOf("e") })).toEqual(ok("next door"));
    expect(await desk.ask("look", { ref: refOf("d", "org_b") })).toEqual(ok("theirs"));
    const before = desk.turns;
    expect(desk.ask()).toEqual(ok("mine"));
    expect(desk.ask("look", { id: "b" })).toEqual(ok("another"));
    expect(desk.turns).toBe(before);
  });

  test("[RT-19] changes of other records of its actor do not end it, nor do their commits in progress", async () => {
    const desk = await start();
    await desk.keep();
    await desk.set("other", "b");
    const gate = desk.replica.store.holdNext();
    const changed = desk.set("again", "b");
    await gate.reached;
    const before = desk.turns;
    expect(desk.ask()).toEqual(ok("first"));
    expect(desk.turns).toBe(before);
    gate.open();
    await changed;
  });

  test.each([
    "look_without_term",
    "look_and_recall",
    "look_at_keys",
    "look_and_peek",
    "look_at_version",
    "look_and_remember",
    "look_and_say",
    "look_and_tell",
  ])("[RT-19] a turn that does more than read records and state its validity runs each time: %s", async (kind) => {
    const desk = await start();
    await desk.set("first");
    for (let i = 0; i < 3; i++) {
      const before = desk.turns;
      expect((await desk.ask(kind)).ok).toBe(true);
      expect(desk.turns).toBeGreaterThan(before);
    }
  });

  test("[RT-19] no reply is kept of an actor whose turns are ordered", async () => {
    const desk = await start({ isUnordered: false });
    await desk.set("first");
    for (let i = 0; i < 3; i++) await desk.expectTurn(ok("first"));
  });
});

describe("what ends it", () => {
  test("[RT-19] a change of what it has read: the next question waits for the commit, and has the new reply", async () => {
    const desk = await start();
    await desk.keep();
    const gate = desk.replica.store.holdNext();
    const changed = desk.set("second");
    await gate.reached;
    const order: string[] = [];
    const asked = Promise.resolve(desk.ask()).then((reply) => (order.push("answered"), reply));
    await settle();
    expect(order).toEqual([]);
    gate.open();
    await changed;
    expect(await asked).toEqual(ok("second"));
    await desk.expectTurn(ok("second"));
    expect(desk.ask()).toEqual(ok("second"));
  });

  test("[RT-19] a reply that has seen an uncommitted change is not kept, and a failed change is never seen", async () => {
    const desk = await start();
    await desk.keep();
    const gate = desk.replica.store.holdNext();
    const changed = desk.set("never");
    await gate.reached;
    const asked = [desk.ask(), desk.ask()].map(async (reply) => reply);
    await settle();
    expect(desk.ask()).toBeInstanceOf(Promise);
    gate.break();
    expect(faultOf(await changed)).toBe("outcome_unknown");
    for (const reply of await Promise.all(asked)) expect(faultOf(reply)).toBe("outcome_unknown");
    await desk.world.clock.advance(1_000);
    await desk.expectTurn(ok("first"));
  });

  test("[RT-19] a record that waits for a commit, also where it is the one that was read", async () => {
    const desk = await start();
    await desk.keep();
    const slot = desk.actor().find("chat/a")!;
    slot.pending = { order: 1, follow: (run) => run({ kind: "committed" }) };
    await desk.expectTurn(ok("first"));
  });

  test("[RT-19] a record that is created after it was not found", async () => {
    const desk = await start();
    await desk.ask();
    expect(desk.ask()).toEqual(ok(null));
    await desk.set("born");
    await desk.expectTurn(ok("born"));
  });

  test("[RT-19] a record that has left the working set, where it may have changed since", async () => {
    const desk = await start({ workingSet: 2 });
    await desk.keep();
    const slot = desk.actor().find("chat/a")!;
    for (const id of ["b", "c", "d", "e", "f", "g"]) await desk.set("other", id);
    expect(slot.isGone).toBe(true);
    await desk.set("second");
    await desk.expectTurn(ok("second"));
  });

  test("[RT-7] what kept replies have read stays in the working set", async () => {
    const desk = await start({ workingSet: 8 });
    await desk.keep();
    const slot = desk.actor().find("chat/a")!;
    const before = desk.turns;
    for (let i = 0; i < 40; i++) {
      desk.actor().loaded(`chat/o${i}`, null);
      desk.actor().trim();
      expect(desk.ask()).toEqual(ok("first"));
    }
    expect([slot.isGone, desk.turns]).toEqual([false, before]);
  });

  test("[RT-19] its time: valid before it and not from it on, nor before the reply was given if the clock is set back", async () => {
    const desk = await start();
    desk.untilMs = FAKE_EPOCH_MS + 5_000;
    await desk.keep();
    await desk.world.clock.advance(4_999);
    const before = desk.turns;
    expect(desk.ask()).toEqual(ok("first"));
    expect(desk.turns).toBe(before);
    await desk.world.clock.advance(1);
    await desk.expectTurn(ok("first"));
    desk.untilMs = Number.POSITIVE_INFINITY;
    await desk.expectTurn(ok("first"));
    expect(desk.ask()).toEqual(ok("first"));
    desk.world.clock.setForward(-1);
    await desk.expectTurn(ok("first"));
  });

  test("[RT-19] the eviction of its actor", async () => {
    const desk = await start();
    await desk.keep();
    desk.actor().isEvicted = true;
    await desk.expectTurn(ok("first"));
  });

  test("[RT-19] the lease: a replica that may have lost it gives no kept reply", async () => {
    const desk = await start();
    await desk.keep();
    desk.replica.placement.isCut = true;
    desk.world.clock.jump(LEASE_TERM_MS);
    desk.world.clock.setForward(-LEASE_TERM_MS);
    expect(faultOf(await desk.ask())).toBe("unavailable");
  });

  test("[RT-19] another grant of its shard", async () => {
    const desk = await start();
    await desk.keep();
    const { shards } = desk.replica.system;
    const shard = shardOf(ORG);
    shards.grant(shard, shards.epochOf(shard)! + 1);
    expect(faultOf(await desk.ask())).toBe("unavailable");
    shards.open(shard, shards.epochOf(shard)!);
    await desk.expectTurn(ok("first"));
  });

  test("[RT-19] the loss of its shard to another replica, which changes what was read", async () => {
    const desk = await start();
    await desk.keep();
    const other = desk.another();
    // A pause, after which its wall clock is set back: by that the reply still holds.
    desk.world.clock.jump(2 * LEASE_TERM_MS);
    await other.system.start();
    const command = { kind: "set", id: "a", note: "theirs" };
    expect((await other.system.dispatch(refOf("d") as ActorRef<"desk">, command)).ok).toBe(true);
    desk.world.clock.setForward(-2 * LEASE_TERM_MS);
    expect(faultOf(await desk.ask())).toBe("unavailable");
  });

  test("[RT-19] the hand-over of its shard to another replica while both live, before that has anything", async () => {
    const desk = await start();
    await desk.keep();
    const { shards } = desk.replica.system;
    shards.leave([{ shard: shardOf(ORG), epoch: shards.epochOf(shardOf(ORG))! }]);
    expect(faultOf(await desk.ask())).toBe("unavailable");
  });

  test("[RT-19] the erasure of its organization, and the end of the service", async () => {
    const desk = await start();
    await desk.keep();
    const { shards } = desk.replica.system;
    const [shard, epoch] = [shardOf(ORG), shards.epochOf(shardOf(ORG))!];
    shards.lose(shard);
    shards.grant(shard, epoch, [ORG]);
    shards.open(shard, epoch);
    expect(faultOf(await desk.ask())).toBe("unauthenticated");
    const ending = await start();
    await ending.keep();
    ending.replica.system.shards.draining = true;
    expect(faultOf(await ending.ask())).toBe("shutting_down");
  });

  test("[RT-19] a full mailbox, as for every other question", async () => {
    const desk = await start({ messages: 2 });
    await desk.keep();
    const gate = desk.replica.store.holdNext();
    const changed = [desk.set("x", "b"), desk.set("y", "c")];
    await gate.reached;
    expect(faultOf(await desk.ask())).toBe("overloaded");
    gate.open();
    await Promise.all(changed);
    expect(await desk.ask()).toEqual(ok("first"));
  });
});

test("[RT-9] an actor whose kept replies are used stays in memory, and is evicted when they are not used any more", async () => {
  const desk = await start();
  await desk.keep();
  const actor = desk.actor();
  for (let i = 0; i < (2 * IDLE_MS) / 1_000; i++) {
    await desk.world.clock.advance(1_000);
    expect(desk.ask()).toEqual(ok("first"));
  }
  expect(desk.actor()).toBe(actor);
  // It may have been asked up to so long after its last turn.
  const { actors } = desk.replica.system;
  expect(actors.passivate(actor.usedAt + IDLE_MS + MOVED_MS)).toBe(0);
  expect(actors.passivate(actor.usedAt + IDLE_MS + MOVED_MS + 1)).toBe(1);
});

test("[RT-9] an actor that is used all the time stays among the recently used ones", async () => {
  const desk = await start({ liveActors: 4 });
  await desk.keep();
  const actor = desk.actor();
  for (let i = 0; i < 100; i++) {
    await desk.world.clock.advance(500);
    await desk.ask();
    // Others come one by one, more slowly than it is asked.
    if (i % 16 === 0) await desk.ask("look", { ref: refOf(`guest${i}`) });
  }
  expect(desk.actor()).toBe(actor);
});
