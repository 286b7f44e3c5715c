/** The order of turns while records are being loaded. */
import { expect, test } from "bun:test";
import { invalid, ok } from "../../../actors/fault.ts";
import type { AnyDefinition, Tx } from "../../../actors/runtime/actor.ts";
import { DispatchOrder, Lines } from "../../../actors/runtime/turns/dispatch-order.ts";
import type { GroupMember, MemberStep } from "../../../actors/runtime/turns/members.ts";
import { seededChance, settle } from "../../support/fake-clock.ts";
import { faultOf, ORG } from "../../support/ledger-replica.ts";
import { Replica, World } from "../../support/replica.ts";

interface Visit {
  readonly kind: "visit" | "fall" | "refuse";
  readonly name: string;
  /** Records that it reads: those that it says beforehand, and those that only its turn knows. */
  readonly needs: readonly string[];
  readonly reads: readonly string[];
}

/** An actor kind whose turns note themselves when they have all that they read. */
function visitors(isUnordered = false) {
  const visited = new Map<string, string[]>();
  const visit = (tx: Tx, { name, needs, reads }: Visit): void => {
    for (const id of [...needs, ...reads]) tx.read({ name: "chat" }, id);
    visited.set(tx.self.id, [...(visited.get(tx.self.id) ?? []), name]);
  };
  const definition: AnyDefinition = {
    kind: "visited",
    needs: (_, command) => ((command as Visit).needs ?? []).map((id) => ({ table: "chat", id })),
    handlers: {
      visit: (tx: Tx, command: Visit) => (visit(tx, command), ok(command.name)),
      refuse: (tx: Tx, command: Visit) => (visit(tx, command), invalid("/", "no")),
      fall: (tx: Tx, command: Visit) => {
        visit(tx, command);
        throw new Error("a bug in a turn");
      },
    },
    ...(isUnordered ? { isUnordered } : {}),
  };
  return { definition, visited: (id: string) => visited.get(id) ?? [] };
}

const to = (id: string, name: string, records: Partial<Visit> = {}): GroupMember => ({
  ref: { kind: "visited", organizationId: ORG, id },
  command: { kind: "visit", name, needs: [], reads: [], ...records } as Visit,
});

async function start({ isUnordered = false } = {}) {
  const world = new World();
  const { definition, visited } = visitors(isUnordered);
  const replica = new Replica<Record<string, never>>(world, { definitions: [definition] });
  await replica.system.start();
  const ask = (...members: MemberStep[]) => replica.system.dispatchGroup(members);
  /** Holds the reads of the database; the answers let them go, in any order. */
  const holdReads = (): (() => void)[] => {
    const held: (() => void)[] = [];
    world.database.pace = async (operation) => {
      if (operation === "read") await new Promise<void>((resolve) => held.push(resolve));
    };
    return held;
  };
  return { replica, world, ask, visited, holdReads };
}

test("[RT-1] a command that waits for a cold record is not overtaken, whether it named the record or its turn found it", async () => {
  for (const cold of [{ needs: ["cold"] }, { reads: ["cold"] }]) {
    const { ask, visited, holdReads } = await start();
    await ask(to("a", "warm", { needs: ["warm"] }));
    const held = holdReads();
    const all = [ask(to("a", "1", cold)), ask(to("a", "2", { needs: ["warm"] })), ask(to("b", "elsewhere"))];
    await settle();
    expect([visited("a"), visited("b")]).toEqual([["warm"], ["elsewhere"]]);
    held[0]!();
    await Promise.all(all);
    expect(visited("a")).toEqual(["warm", "1", "2"]);
  }
});

test("[RT-1] records of commands that wait in line are loaded meanwhile, and their answers may come in any order", async () => {
  const { ask, visited, holdReads } = await start();
  const held = holdReads();
  const all: Promise<unknown>[] = [];
  for (const name of ["1", "2", "3"]) {
    all.push(ask(to("a", name, { needs: [name] })));
    // A tick of its own, and so a load of its own.
    await settle();
  }
  expect(held.length).toBe(3);
  for (const release of held.toReversed()) {
    release();
    await settle();
  }
  await Promise.all(all);
  expect(visited("a")).toEqual(["1", "2", "3"]);
});

test("[RT-1] in an unordered kind a command on loaded records overtakes one that waits", async () => {
  const { ask, visited, holdReads } = await start({ isUnordered: true });
  const held = holdReads();
  const cold = ask(to("a", "cold", { needs: ["cold"] }));
  await ask(to("a", "later"));
  await settle();
  held[0]!();
  await cold;
  expect(visited("a")).toEqual(["later", "cold"]);
});

test("[RT-1] [RT-2] a group keeps its order at every actor that it names, also before it reaches that actor", async () => {
  const { ask, visited, holdReads } = await start();
  const held = holdReads();
  const group = ask(to("a", "group", { needs: ["cold"] }), to("b", "group"));
  const single = ask(to("b", "single"));
  await settle();
  expect(visited("b")).toEqual([]);
  held[0]!();
  await Promise.all([group, single]);
  expect([visited("a"), visited("b")]).toEqual([["group"], ["group", "single"]]);
});

test("[RT-2] groups that name the same actors in opposite order do not deadlock", async () => {
  const { ask, visited, holdReads } = await start();
  const held = holdReads();
  const all = [
    ask(to("a", "1", { needs: ["x"] }), to("b", "1")),
    ask(to("b", "2", { needs: ["y"] }), to("a", "2")),
    ask(to("a", "3"), () => to("c", "3", { reads: ["z"] }), to("b", "3")),
    ask(to("c", "4"), () => to("a", "4")),
  ];
  await settle();
  for (let i = 0; i < 20; i++) {
    held.pop()?.();
    await settle();
  }
  expect((await Promise.all(all)).map(faultOf)).toEqual(["ok", "ok", "ok", "ok"]);
  // The third runs again with the record that its turn at `c` has found missing.
  expect([[...new Set(visited("a"))], visited("b")]).toEqual([
    ["1", "2", "3", "4"],
    ["1", "2", "3"],
  ]);
});

test("[RT-1] the queue continues after a command that refuses, one that throws, and one whose records cannot be read", async () => {
  const { ask, visited, holdReads, replica } = await start();
  const held = holdReads();
  const refused = ask({ ...to("a", "r"), command: { ...to("a", "r", { needs: ["x"] }).command, kind: "refuse" } });
  const fallen = ask({ ...to("a", "f"), command: { ...to("a", "f").command, kind: "fall" } }).catch(() => "fallen");
  await settle();
  const cut = ask(to("a", "cut", { needs: ["y"] }));
  const last = ask(to("a", "last"));
  await settle();
  held[0]!();
  expect([faultOf(await refused), await fallen]).toEqual(["invalid_request", "fallen"]);
  expect(visited("a")).toEqual(["r", "f"]);
  replica.store.isCut = true;
  held[1]!();
  expect([faultOf(await cut), faultOf(await last)]).toEqual(["unavailable", "ok"]);
  expect(visited("a")).toEqual(["r", "f", "last"]);
});

test("[RT-1] a thousand commands behind a cold one have their turns in order", async () => {
  const { ask, visited, holdReads } = await start();
  const held = holdReads();
  const all = Array.from({ length: 1_000 }, (_, i) => ask(to("a", `${i}`, i === 0 ? { needs: ["cold"] } : {})));
  await settle();
  held[0]!();
  await Promise.all(all);
  expect(visited("a")).toEqual(Array.from({ length: 1_000 }, (_, i) => `${i}`));
});

test("[RT-1] [RT-2] whatever records are cold and however loads end, each actor runs the turns of its groups in the order of their dispatch", async () => {
  for (let seed = 1; seed <= 200; seed++) {
    const chance = seededChance(seed);
    const pick = (n: number): number => Math.floor(chance.fraction() * n);
    const { ask, visited, holdReads } = await start();
    const held = holdReads();
    const expected = new Map<string, string[]>();
    const all: Promise<unknown>[] = [];
    for (let i = 0; i < 30; i++) {
      const ids = ["a", "b", "c"].filter(() => chance.fraction() < 0.5);
      if (chance.fraction() < 0.5) ids.reverse();
      if (ids.length === 0) continue;
      const members = ids.map((id) => {
        expected.set(id, [...(expected.get(id) ?? []), `${i}`]);
        const record = `${id}${pick(12)}`;
        return to(id, `${i}`, pick(2) === 0 ? { needs: [record] } : pick(2) === 0 ? { reads: [record] } : {});
      });
      all.push(ask(...members));
      if (pick(3) === 0) held.splice(pick(held.length), 1)[0]?.();
      if (pick(3) === 0) await settle();
    }
    const over = Promise.all(all);
    let isOver = false;
    void over.then(() => (isOver = true));
    for (let i = 0; !isOver && i < 1_000; i++) {
      held.splice(pick(held.length), 1)[0]?.();
      await settle();
    }
    expect([seed, isOver]).toEqual([seed, true]);
    // A turn that finds a record missing runs again: only its last run counts.
    for (const [id, names] of expected) expect([seed, id, [...new Set(visited(id))]]).toEqual([seed, id, names]);
  }
});

test("[RT-1] a group that runs again enters its line before the groups that were dispatched after it", () => {
  const order = new DispatchOrder();
  const wentOn: string[] = [];
  const [first, second, third] = ["1", "2", "3"].map((name) => new Lines(order, () => wentOn.push(name)));
  second!.enter("a");
  third!.enter("a");
  // The first has had its turn, and loses its actor before its commit: it has to load again.
  first!.enter("a");
  expect([first, second, third].map((lines) => lines!.isBehind("a"))).toEqual([false, true, true]);
  second!.enter("b");
  expect(third!.isBehind("b")).toBe(true);
});
