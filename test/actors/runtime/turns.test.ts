/** Turns and turn groups, over a whole replica and the model in memory. */
import { describe, expect, test } from "bun:test";
import { invalid, ok } from "../../../actors/fault.ts";
import type { AnyDefinition, RecordFields, Table, Tx } from "../../../actors/runtime/actor.ts";
import { type Ask, followedBy, type MemberStep } from "../../../actors/runtime/turns/members.ts";
import { settle } from "../../support/fake-clock.ts";
import { type LedgerCommand, ledgerRef } from "../../support/ledger-actor.ts";
import { faultOf, ORG, said, startLedgers } from "../../support/ledger-replica.ts";
import { World } from "../../support/replica.ts";

const member = (id: string, kind = "add", more: object = { by: 1 }): MemberStep => ({
  ref: ledgerRef(ORG, id),
  command: { kind, ...more },
});
const start = () => startLedgers(new World());
const value = (outcome: { ok: boolean; value?: unknown }): unknown => outcome.value;

describe("one actor", () => {
  test("[RT-1] turns run one after the other in the order of their dispatch, on the state of the one before", async () => {
    const replica = await start();
    const outcomes = await Promise.all([3, 4, 5].map((by) => replica.add("l1", by)));
    expect(outcomes.map(value)).toEqual([3, 7, 12]);
    expect(replica.stored("l1")).toMatchObject({ count: 12, version: 3, lastSeq: 3 });
    expect(replica.storedSeqs("l1")).toEqual([1, 2, 3]);
  });

  test("[RT-7] missing records are loaded once for all waiting turns, and each turn runs once", async () => {
    const replica = await start();
    await Promise.all([1, 2, 3].map(() => replica.add("l1")));
    expect([replica.store.reads, replica.store.recordsRead]).toEqual([1, 1]);
    expect(replica.turns.length).toBe(3);
    await Promise.all(["a", "b", "c"].map((id) => replica.add(id)));
    expect([replica.store.reads, replica.store.recordsRead]).toEqual([2, 4]);
  });

  test("[RT-7] a turn that needs more records runs again with them, and leaves no trace of its first run", async () => {
    let runs = 0;
    const definition: AnyDefinition = {
      kind: "ledger",
      needs: () => [],
      handlers: {
        collect: (tx: Tx) => {
          runs++;
          const found = ["a", "b", "c"].map((id) => tx.read({ name: "chat" }, id));
          tx.send(ledgerRef(ORG, "x"), { kind: "nothing" });
          return ok(found.length);
        },
        nothing: () => ok(null),
      },
    };
    const replica = await startLedgers(new World(), { definitions: [definition] });
    const outcome = await replica.system.dispatchGroup([member("l1", "collect")]);
    expect([value(outcome), runs]).toEqual([[3], 4]);
    expect(replica.world.database.messages().length).toBeLessThanOrEqual(1);
    expect(replica.store.flushed.flat().flatMap((g) => g.writes.messages).length).toBe(1);
  });

  test("[RT-7] a turn that always needs more records is a bug, and the actor continues", async () => {
    let asked = 0;
    const definition: AnyDefinition = {
      kind: "ledger",
      needs: () => [],
      handlers: {
        greedy: (tx: Tx) => {
          for (let i = 0; ; i++) tx.read({ name: "chat" }, `${(asked = i)}`);
        },
        fine: () => ok("fine"),
      },
    };
    const replica = await startLedgers(new World(), { definitions: [definition] });
    await expect(replica.system.dispatchGroup([member("l1", "greedy")])).rejects.toThrow("keeps asking");
    expect(asked).toBeLessThan(100);
    expect(value(await replica.system.dispatchGroup([member("l1", "fine")]))).toEqual(["fine"]);
  });

  test("[RT-1] a turn that throws is an exception for its caller and leaves no trace", async () => {
    const replica = await start();
    await replica.add("l1", 5);
    await expect(replica.ask("l1", { kind: "fall" })).rejects.toThrow("a bug in a turn");
    expect(await replica.read("l1")).toMatchObject({ count: 5, version: 1, lastSeq: 1 });
    expect(value(await replica.add("l1", 1))).toBe(6);
    expect(replica.storedSeqs("l1")).toEqual([1, 2]);
  });

  test("[RT-3] a read waits for the commits of the records that it has read, and for no others of its actor", async () => {
    const definition: AnyDefinition = {
      kind: "ledger",
      needs: () => [],
      handlers: {
        change: (tx: Tx, { id }: { id: string }) =>
          ok(tx.read({ name: "chat" }, id) ?? tx.create({ name: "chat" }, { id })),
        look: (tx: Tx, { id }: { id: string }) => ok(tx.read({ name: "chat" }, id)),
        refuse: (tx: Tx, { id }: { id: string }) => invalid("/id", `${tx.read({ name: "chat" }, id)?.id}`),
      },
    };
    const replica = await startLedgers(new World(), { definitions: [definition] });
    const ask = (kind: string, id: string) => replica.system.dispatchGroup([member("l1", kind, { id })]);
    await ask("look", "a");
    await ask("look", "b");
    const gate = replica.store.holdNext();
    const order: string[] = [];
    const said = [
      ask("change", "a").then(() => order.push("changed a")),
      ask("look", "a").then(() => order.push("looked at a")),
      ask("refuse", "a").then(() => order.push("refused a")),
      ask("look", "b").then(() => order.push("looked at b")),
    ];
    await settle();
    expect(order).toEqual(["looked at b"]);
    gate.open();
    await Promise.all(said);
    expect(order).toEqual(["looked at b", "changed a", "looked at a", "refused a"]);
  });

  test("[RT-1] a refusal after writing leaves no trace either, and no live text", async () => {
    const replica = await start();
    await replica.add("l1", 5);
    await replica.ask("l1", { kind: "begin_text" });
    expect(faultOf(await replica.ask("l1", { kind: "refuse_after_writing" }))).toBe("invalid_request");
    expect(await replica.read("l1")).toMatchObject({ count: 5, lastSeq: 1 });
    expect(said(await replica.subscribe("l1").next())).toEqual(["1"]);
  });

  test("[RT-11] a database that cannot be read is unavailable, not an exception, and nothing waits forever", async () => {
    const replica = await start();
    replica.store.isCut = true;
    // A rejection would be an exception, and fail here.
    const outcomes = await Promise.all([replica.ask("l1", { kind: "read" }), replica.add("l1")]);
    expect(outcomes.map(faultOf)).toEqual(["unavailable", "unavailable"]);
    replica.store.isCut = false;
    expect(value(await replica.add("l1"))).toBe(1);
  });
});

describe("the output gate", () => {
  test("[RT-3] a reply, and a read that saw the change, wait for the commit", async () => {
    const replica = await start();
    await replica.add("l1");
    const gate = replica.store.holdNext();
    const done: string[] = [];
    const all = [
      replica.add("l1").then(() => done.push("add")),
      replica
        .ask("l1", { kind: "read" })
        .then((outcome) => done.push(`read ${(value(outcome) as { count: number }).count}`)),
      replica.ask("l1", { kind: "refuse_after_writing" }).then(() => done.push("refusal")),
      replica.ask("l1", { kind: "begin_text" }).then(() => done.push("text")),
    ];
    await gate.reached;
    await settle();
    expect(done).toEqual([]);
    expect(await replica.read("other")).toBeNull();
    gate.open();
    await Promise.all(all);
    expect(done).toEqual(["add", "read 2", "refusal", "text"]);
  });

  test("[RT-3] a turn that writes nothing costs no statement and leaves at once when nothing is pending", async () => {
    const replica = await start();
    await replica.add("l1");
    const statements = replica.store.flushed.length;
    await replica.read("l1");
    await replica.ask("l1", { kind: "begin_text" });
    await replica.ask("l1", { kind: "say", text: "hello" });
    expect(replica.store.flushed.length).toBe(statements);
  });

  test("[RT-3] dispatchSync returns the outcome itself when nothing is pending, and otherwise a promise of it", async () => {
    const replica = await start();
    const dispatchSync = (kind: string) => replica.system.dispatchSync([member("l1", kind)]);
    await replica.add("l1", 5);
    expect(dispatchSync("read")).toMatchObject({ ok: true, value: [{ count: 5 }] });
    expect(dispatchSync("refuse_after_writing")).toMatchObject({ ok: false });
    expect(() => dispatchSync("fall")).toThrow("a bug in a turn");
    const gate = replica.store.holdNext();
    const added = dispatchSync("add");
    const read = dispatchSync("read");
    expect([added, read].every((outcome) => outcome instanceof Promise)).toBe(true);
    gate.open();
    expect(value(await added)).toEqual([6]);
    expect(await read).toMatchObject({ ok: true, value: [{ count: 6 }] });
  });

  test("[RT-1] dispatchSync to a cold actor waits for its records, and rejects for a bug", async () => {
    const replica = await start();
    const read = replica.system.dispatchSync([member("l1", "read")]);
    const fallen = replica.system.dispatchSync([member("l2", "fall")]);
    expect([read, fallen].every((outcome) => outcome instanceof Promise)).toBe(true);
    expect(value(await read)).toEqual([null]);
    await expect(fallen).rejects.toThrow("a bug in a turn");
  });

  test("[RT-3] readers of the stream see events and text after the commit only, in the order of the turns", async () => {
    const replica = await start();
    await replica.add("l1");
    await replica.ask("l1", { kind: "begin_text" });
    const reader = replica.subscribe("l1", 1);
    const next = reader.next();
    const gate = replica.store.holdNext();
    void replica.ask("l1", { kind: "add", by: 1 });
    void replica.ask("l1", { kind: "say", text: "x" });
    void replica.ask("l1", { kind: "add", by: 1 });
    await gate.reached;
    await settle();
    expect(replica.store.pages).toBe(0);
    gate.open();
    const items = said(await next);
    while (!items.at(-1)!.endsWith("@5")) items.push(...said(await reader.next()));
    expect(items.join(" ")).toBe('2 "2 x"@3 3 "3 "@5');
  });

  test("[RT-3] a group that saw a broken group runs again, also if it waited for a later group of another actor", async () => {
    const replica = await start();
    await Promise.all([replica.add("a", 1), replica.add("b", 1)]);
    const gate = replica.store.holdNext();
    const first = replica.add("c");
    await gate.reached;
    const broken = replica.ask("a", { kind: "add", by: 100, note: "\u0000" }).catch((cause: Error) => cause);
    const good = replica.add("b", 10);
    const both = replica.system.dispatchGroup([member("a", "read", {}), member("b", "read", {})]);
    gate.open();
    expect(await broken).toBeInstanceOf(Error);
    expect([faultOf(await first), faultOf(await good)]).toEqual(["ok", "ok"]);
    const counts = (value(await both) as { count: number }[]).map((ledger) => ledger.count);
    expect(counts).toEqual([1, 11]);
  });

  test("[RT-4] a broken group is an exception for its caller; groups that depended on it run again on the stored state", async () => {
    const replica = await start();
    await replica.add("l1", 1);
    const gate = replica.store.holdNext();
    const first = replica.add("other");
    await gate.reached;
    const broken = replica.ask("l1", { kind: "add", by: 100, note: "\u0000" }).catch((cause: Error) => cause);
    const onIt = [replica.add("l1", 10), replica.add("l1", 10)];
    gate.open();
    await first;
    expect(((await broken) as Error).name).toBe("GroupBroken");
    expect((await Promise.all(onIt)).map(value)).toEqual([11, 21]);
    expect(replica.storedSeqs("l1")).toEqual([1, 2, 3]);
  });

  test("[RT-4] a group that runs again never loads an actor ahead of a group that is still in flight", async () => {
    const replica = await start();
    await Promise.all([replica.add("x"), replica.add("y")]);
    const gate = replica.store.holdNext();
    const broken = replica.ask("x", { kind: "add", by: 100, note: "\u0000" }).catch((cause: Error) => cause);
    await gate.reached;
    const before = replica.add("y", 10);
    const onBoth = replica.system.dispatchGroup([member("x", "add", { by: 1 }), member("y", "add", { by: 1 })]);
    // The flush of "before" takes its time, so that a load would overtake it.
    const slow = replica.store.holdNext();
    gate.open();
    await broken;
    await slow.reached;
    await settle();
    slow.open();
    expect([value(await before), value(await onBoth)]).toEqual([11, [2, 12]]);
    expect(replica.stored("y")).toMatchObject({ count: 12, lastSeq: 3 });
    expect(replica.storedSeqs("y")).toEqual([1, 2, 3]);
  });

  test("[RT-4] a group whose actors are evicted repeatedly is refused as overloaded", async () => {
    const replica = await start();
    await replica.add("l1");
    let aborts = 0;
    const gate = replica.store.holdNext();
    const head = replica.add("other");
    await gate.reached;
    const storm = Array.from({ length: 8 }, () =>
      replica.ask("l1", { kind: "add", by: 1, note: "\u0000" }).catch(() => aborts++),
    );
    const victim = replica.add("l1");
    gate.open();
    await Promise.all([head, ...storm]);
    expect(["ok", "overloaded"]).toContain(faultOf(await victim));
    expect(await replica.read("l1")).toMatchObject({ lastSeq: replica.storedSeqs("l1").length });
  });
});

describe("groups", () => {
  test("[RT-2] the members of a group commit together, in one group of one statement", async () => {
    const replica = await start();
    const outcome = await replica.system.dispatchGroup([member("a", "add", { by: 2 }), member("b", "add", { by: 3 })]);
    expect(value(outcome)).toEqual([2, 3]);
    expect(replica.store.flushed.map((batch) => batch.map((g) => g.writes.records.length))).toEqual([[2]]);
  });

  test("[RT-2] when the second member refuses, the first leaves no trace", async () => {
    const replica = await start();
    await replica.add("a", 1);
    const outcome = await replica.system.dispatchGroup([member("a"), member("b", "refuse_after_writing", {})]);
    expect(faultOf(outcome)).toBe("invalid_request");
    expect([(await replica.read("a"))?.count, await replica.read("b")]).toEqual([1, null]);
    expect(replica.storedSeqs("a")).toEqual([1]);
  });

  test("[RT-2] when the store refuses the group, nothing of any member is stored", async () => {
    const replica = await start();
    await Promise.all([replica.add("a"), replica.add("b")]);
    const bad = member("b", "add", { by: 1, note: "\u0000" });
    await expect(replica.system.dispatchGroup([member("a"), bad])).rejects.toThrow("refused the group");
    expect([(await replica.read("a"))?.count, (await replica.read("b"))?.count]).toEqual([1, 1]);
  });

  test("[RT-2] a member may follow from the replies before it, or be left out", async () => {
    const replica = await start();
    const outcome = await replica.system.dispatchGroup([
      member("a", "add", { by: 4 }),
      () => null,
      (replies) => ({
        ref: ledgerRef(ORG, "b"),
        command: { kind: "add", by: (replies[0] as number) * 10 } as { kind: string },
      }),
    ]);
    expect(value(outcome)).toEqual([4, undefined, 40]);
  });

  test("[RT-2] an actor may take several turns in one group, each on the state of the one before", async () => {
    const replica = await start();
    expect(value(await replica.system.dispatchGroup([member("a"), member("b"), member("a")]))).toEqual([1, 1, 2]);
    expect(replica.stored("a")).toMatchObject({ count: 2, version: 1, lastSeq: 2 });
    expect(replica.storedSeqs("a")).toEqual([1, 2]);
  });

  test("[RT-2] no other turn runs between the turns of a group, whatever has to be loaded", async () => {
    const replica = await start();
    await replica.add("a", 1);
    const group = replica.system.dispatchGroup([member("a"), member("cold")]);
    const between = replica.add("a", 100);
    expect(value(await group)).toEqual([2, 1]);
    expect(value(await between)).toBe(102);
  });

  test("[RT-2] a group that has to be loaded sees the time of its last run in all its members", async () => {
    const times: number[] = [];
    const definition: AnyDefinition = {
      kind: "ledger",
      needs: (ref) => [{ table: "chat", id: ref.id }],
      handlers: { time: (tx: Tx) => (times.push(tx.now), ok(null)), no: () => invalid("/", "no") },
    };
    const replica = await startLedgers(new World(), { definitions: [definition] });
    await replica.system.dispatchGroup([member("a", "time", {}), member("b", "time", {})]);
    expect(new Set(times.slice(-2)).size).toBe(1);
  });
});

test("[RT-2] the replies of a group have the types of its members", async () => {
  const replica = await start();
  const add = (by: number): Ask<number> => ({
    ref: ledgerRef(ORG, "l1"),
    command: { kind: "add", by } as LedgerCommand,
  });
  const outcome = await replica.system.dispatchGroup(followedBy(add(2), (count) => (count === 2 ? add(count) : null)));
  if (!outcome.ok) throw new Error(outcome.fault.kind);
  const [first, second]: readonly [number, number | undefined] = outcome.value;
  expect([first, second]).toEqual([2, 4]);
});

type Noted = RecordFields & { readonly note?: string };

test("[RT-4] a group whose actors are evicted at each attempt is refused as overloaded after the fifth", async () => {
  /** Attempts beyond this are let through, so that the test ends whatever is bounded. */
  const ENOUGH = 40;
  let attempts = 0;
  const notes: Table<Noted> = { name: "chat" };
  const definition: AnyDefinition = {
    kind: "ledger",
    // In order, the other group would wait behind this one while that loads the actor anew.
    isUnordered: true,
    needs: (ref) => [{ table: "chat", id: ref.id }],
    handlers: {
      // Another group of the same actor, which the store refuses, is sent right before this one.
      change: (tx: Tx) => {
        attempts++;
        if (attempts < ENOUGH) void replica.system.dispatchGroup([member("l1", "break")]).catch(() => {});
        tx.update(notes, tx.read(notes, tx.self.id)!);
        return ok(null);
      },
      break: (tx: Tx) => ok(tx.update(notes, { ...(tx.read(notes, tx.self.id) as Noted), note: "\u0000" })),
      create: (tx: Tx) => ok(tx.create(notes, { id: tx.self.id } as never)),
    },
  };
  const replica = await startLedgers(new World(), { definitions: [definition] });
  await replica.system.dispatchGroup([member("l1", "create")]);
  const outcome = await replica.system.dispatchGroup([member("l1", "change")]);
  expect([faultOf(outcome), attempts]).toEqual(["overloaded", 5]);
});
