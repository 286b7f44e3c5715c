/**
 * What `actors/runtime/store.ts` promises, as one suite for every implementation. A fixture brings
 * the store, replicas that may own shards, and a way to make a flush stand still in mid-statement.
 */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Placement, shardOf } from "../../actors/runtime/placement/placement.ts";
import { type ActorStore, type EffectRow, type MessageRow } from "../../actors/runtime/store.ts";
import { until } from "../support/condition.ts";
import { alarmStoreContract } from "./alarm-store.ts";
import {
  address,
  alarmOf,
  AT,
  eventOf,
  keyOf,
  ORG,
  OTHER,
  recordOf,
  type StoreFixture,
  StoreScene,
} from "./store-scene.ts";

const messageOf = (id: string): MessageRow => ({ ...address, id, command: { kind: "add" } });
const effectOf = (id: string): EffectRow => ({ ...address, id, kind: "call", intent: { attempt: 1 } });
const table = "chat";

export function actorStoreContract(name: string, open: () => Promise<StoreFixture>): void {
  describe(`ActorStore on ${name}`, () => {
    let fixture: StoreFixture;
    let store: ActorStore;
    let placement: Placement;
    let epochs: Map<number, number>;
    let flush: StoreScene["flush"];
    let group: StoreScene["group"];

    beforeEach(async () => {
      const scene = await StoreScene.open(open);
      ({ fixture, placement, epochs, flush, group } = scene);
      ({ store } = fixture);
    });
    afterEach(() => fixture.close());

    const stored = async (id: string, organizationId = ORG) => (await store.read([{ table, organizationId, id }]))[0];
    const seqs = async (organizationId = ORG) =>
      (await store.events(organizationId, "l1", { after: 0, limit: 100 })).events.map((e) => e.seq);
    const undone = async (shard = shardOf(ORG)) => ({
      messages: await store.undoneMessages(shard, { after: 0, upTo: Number.MAX_SAFE_INTEGER }, 100),
      effects: await store.undoneEffects(shard, "", 100),
    });
    const dueNames = async () => (await store.alarms([shardOf(ORG)], 1_000, 100)).map((a) => a.name);

    test("[RT-4] a live batch is answered with its shards, and everything of it is there", async () => {
      const outcome = await flush(
        group({
          records: [{ table, record: recordOf("c1", 1, { note: "\u00fc\ud83d\ude00 \" \\ '" }) }],
          events: [eventOf(1, { by: 1 })],
        }),
        group({ records: [{ table: "message", record: recordOf("m1", 1, {}, OTHER) }] }, OTHER),
      );
      expect(outcome).toEqual({ kind: "answered", live: new Set([shardOf(ORG), shardOf(OTHER)]) });
      expect(await stored("c1")).toEqual(recordOf("c1", 1, { note: "\u00fc\ud83d\ude00 \" \\ '" }));
      expect((await store.events(ORG, "l1", { after: 0, limit: 10 })).events).toEqual([
        { seq: 1, type: "added", at: AT, data: { by: 1 } },
      ]);
      expect(await store.read([{ table: "message", organizationId: OTHER, id: "m1" }])).toEqual([
        recordOf("m1", 1, {}, OTHER),
      ]);
    });

    test("[RT-15] a record that is not based on what is stored is refused with its batch, and nothing is overwritten", async () => {
      const write = (version: number, note: string, id = "c1") => ({ table, record: recordOf(id, version, { note }) });
      await flush(group({ records: [write(1, "a")] }));
      // Two groups of one batch, as two turns in a row make them.
      expect(await flush(group({ records: [write(2, "b")] }), group({ records: [write(3, "c")] }))).toMatchObject({
        kind: "answered",
      });
      for (const stale of [1, 2, 3, 5]) {
        const batch = [group({ records: [write(1, "new", "c2")] }), group({ records: [write(stale, "stale")] })];
        expect(await flush(...batch)).toMatchObject({ kind: "aborted", code: "22P02" });
      }
      // Merged to version 4, which would follow what is stored, though its first write does not.
      const merged = await flush(group({ records: [write(3, "stale")] }), group({ records: [write(4, "stale")] }));
      expect(merged.kind).toBe("aborted");
      const gap = await flush(group({ records: [write(4, "d")] }), group({ records: [write(6, "gap")] }));
      expect(gap.kind).toBe("aborted");
      expect([await stored("c1"), await stored("c2")]).toEqual([recordOf("c1", 3, { note: "c" }), null]);
      expect(await flush(group({ records: [write(4, "d")] }))).toMatchObject({ kind: "answered" });
      // A record that a sweep has deleted comes back whole.
      expect(await flush(group({ records: [write(9, "swept", "c3")] }))).toMatchObject({ kind: "answered" });
      expect(await stored("c3")).toEqual(recordOf("c3", 9, { note: "swept" }));
    });

    test("[RT-4] a batch may bring only the changed fields of a record that is stored already", async () => {
      const at = (version: number, more: object) => recordOf("c1", version, { agent: { name: "Ada" }, ...more });
      const [first, second, third] = [
        at(1, { note: "a", left: null }),
        at(2, { note: "b", left: 1 }),
        at(3, { left: 1 }),
      ];
      await flush(group({ records: [{ table, record: first }] }));
      expect(await flush(group({ records: [{ table, record: second, before: first }] }))).toMatchObject({
        kind: "answered",
      });
      expect(await stored("c1")).toEqual(second);
      // A field that is gone, and two groups of one batch.
      const fourth = { ...third, version: 4, later: ["x"] };
      await flush(
        group({ records: [{ table, record: third, before: second }] }),
        group({ records: [{ table, record: fourth, before: third }] }),
      );
      expect(await stored("c1")).toEqual(fourth);
      const stale = await flush(group({ records: [{ table, record: at(4, { note: "stale" }), before: third }] }));
      expect(stale).toMatchObject({ kind: "aborted", code: "22P02" });
      expect(await stored("c1")).toEqual(fourth);
      // Without a row, the changed fields would become a part of a record.
      const [lost, next] = [recordOf("c9", 1, { note: "a" }), recordOf("c9", 2, { note: "b" })];
      const missing = await flush(group({ records: [{ table, record: next, before: lost }] }));
      expect(missing).toMatchObject({ kind: "aborted", code: "22P02" });
      expect(await stored("c9")).toBeNull();
    });

    test("[RT-7] read answers in the order asked, null where there is none, and never across organizations", async () => {
      await flush(
        group({
          records: [
            { table, record: recordOf("c1", 1) },
            { table: "job", record: recordOf("c1", 7) },
          ],
        }),
      );
      await flush(group({ records: [{ table, record: recordOf("c1", 3, {}, OTHER) }] }, OTHER));
      const refs = [
        { table: "job", organizationId: ORG, id: "c1" },
        { table, organizationId: ORG, id: "none" },
        { table, organizationId: OTHER, id: "c1" },
        { table, organizationId: ORG, id: "c1" },
        { table: "job", organizationId: OTHER, id: "c1" },
      ];
      expect((await store.read(refs)).map((r) => r?.version ?? null)).toEqual([7, null, 3, 1, null]);
      expect(await store.read([])).toEqual([]);
    });

    test("[RT-4] of one key the last value of a batch is stored, as if the groups had come one by one", async () => {
      await flush(group({ records: [{ table, record: recordOf("c1", 1) }] }));
      await flush(
        group({ records: [{ table, record: recordOf("c1", 2, { count: 2 }) }] }),
        group({ records: [{ table, record: recordOf("c1", 3, { count: 3 }) }] }),
      );
      expect(await stored("c1")).toEqual(recordOf("c1", 3, { count: 3 }));
    });

    test("[RT-5] of a batch with live and fenced shards, the live ones are stored and named, the others are not", async () => {
      const stale = { ...group({ records: [{ table, record: recordOf("c9", 1, {}, OTHER) }] }, OTHER), epoch: 0 };
      const outcome = await flush(group({ records: [{ table, record: recordOf("c1", 1) }] }), stale);
      expect(outcome).toEqual({ kind: "answered", live: new Set([shardOf(ORG)]) });
      expect(await stored("c1")).not.toBeNull();
      expect(await stored("c9", OTHER)).toBeNull();
    });

    test("[RT-5] after an epoch has been raised, no kind of row of the old one is stored", async () => {
      await flush(group({ messages: [messageOf("m1")], effects: [effectOf("e1")], alarms: [alarmOf("a1", 5)] }));
      const before = group({
        records: [{ table, record: recordOf("c1", 1) }],
        events: [eventOf(1)],
        messages: [messageOf("m2")],
        consumed: ["m1"],
        effects: [effectOf("e2")],
        settled: ["e1"],
        alarms: [alarmOf("a2", 5)],
        cleared: [keyOf("a1")],
      });
      await placement.raise([shardOf(ORG)]);
      expect(await flush(before)).toEqual({ kind: "answered", live: new Set() });
      expect(await stored("c1")).toBeNull();
      expect(await seqs()).toEqual([]);
      const { messages, effects } = await undone();
      expect(messages.map((m) => m.id)).toEqual(["m1"]);
      expect(effects.map((e) => e.id)).toEqual(["e1"]);
      expect(await dueNames()).toEqual(["a1"]);
    });

    test("[SSE-3] an event keeps the mark of the text that was being written, apart from its data", async () => {
      const live = { messageId: "m1", attempt: 2, base: 3, position: 480 };
      await flush(group({ events: [{ ...eventOf(1, { by: 1 }), live }, eventOf(2)] }));
      const [marked, plain] = (await store.events(ORG, "l1", { after: 0, limit: 10 })).events;
      expect([marked?.data, marked?.live]).toEqual([{ by: 1 }, live]);
      expect(plain).toEqual({ seq: 2, type: "added", at: AT, data: {} });
    });

    test("[SSE-5] a page of events ends with the one that brings it to its bytes, and reports whether there is more", async () => {
      // As JSON: {"by":"…"}, so 9 bytes more than the text; é is two of them.
      await flush(group({ events: [1, 2, 3].map((seq) => eventOf(seq, { by: "é".repeat(50) })) }));
      const page = async (after: number, limit: number, bytes?: number) => {
        const { events, hasMore } = await store.events(ORG, "l1", {
          after,
          limit,
          ...(bytes === undefined ? {} : { bytes }),
        });
        return [events.map(({ seq }) => seq), hasMore];
      };
      expect(await page(0, 9, 1)).toEqual([[1], true]);
      expect(await page(0, 9, 109)).toEqual([[1], true]);
      expect(await page(0, 9, 110)).toEqual([[1, 2], true]);
      expect(await page(1, 9, 110)).toEqual([[2, 3], false]);
      expect(await page(0, 9)).toEqual([[1, 2, 3], false]);
      expect(await page(0, 2)).toEqual([[1, 2], true]);
      expect(await page(0, 3)).toEqual([[1, 2, 3], false]);
      expect(await page(3, 3)).toEqual([[], false]);
    });

    test("[SSE-2] events are paged ascending after a cursor, and each stream has its own", async () => {
      await flush(
        group({ events: [3, 1, 2].map((seq) => eventOf(seq)) }),
        group({ events: [eventOf(1, {}, OTHER)] }, OTHER),
      );
      await flush(group({ events: [eventOf(4), { ...eventOf(1), stream: "l2" }] }));
      expect((await store.events(ORG, "l1", { after: 1, limit: 2 })).events.map((e) => e.seq)).toEqual([2, 3]);
      expect((await store.events(ORG, "l1", { after: 3, limit: 2 })).events.map((e) => e.seq)).toEqual([4]);
      expect((await store.events(ORG, "l1", { after: 4, limit: 2 })).events).toEqual([]);
      expect(await seqs(OTHER)).toEqual([1]);
      expect((await store.events(ORG, "l2", { after: 0, limit: 9 })).events.length).toBe(1);
    });

    test("[RT-4] an event that is there aborts the whole batch, certainly", async () => {
      await flush(group({ events: [eventOf(1)] }));
      const outcome = await flush(
        group({ records: [{ table, record: recordOf("c1", 1) }] }),
        group({ events: [eventOf(1)] }),
      );
      expect(outcome).toMatchObject({ kind: "aborted", code: "23505" });
      expect(await stored("c1")).toBeNull();
    });

    test("[RT-4] one seq given twice in one batch aborts it: no event is ever dropped silently", async () => {
      const outcome = await flush(
        group({ events: [eventOf(1, { by: 1 })] }),
        group({ events: [eventOf(1, { by: 2 })] }),
      );
      expect(outcome).toMatchObject({ kind: "aborted", code: "23505" });
      expect(await seqs()).toEqual([]);
    });

    test("[RT-4] the same stream name in two organizations is two streams, also within one batch", async () => {
      const shared = { ...keyOf("a1"), actorKind: "ledger", command: { kind: "wake" }, dueAtMs: 5 };
      await flush(
        group({ events: [eventOf(1)], alarms: [shared] }),
        group({ events: [eventOf(1, {}, OTHER)], alarms: [{ ...shared, organizationId: OTHER }] }, OTHER),
      );
      expect([await seqs(), await seqs(OTHER)]).toEqual([[1], [1]]);
      expect((await store.alarms([shardOf(ORG), shardOf(OTHER)], 10, 9)).length).toBe(2);
    });

    test("[RT-4] a NUL character anywhere aborts with certainty", async () => {
      const poisoned = [
        group({ records: [{ table, record: recordOf("c1", 1, { note: "a\u0000b" }) }] }),
        group({ events: [{ ...eventOf(1), type: "a\u0000b" }] }),
      ];
      for (const bad of poisoned) {
        const outcome = await flush(bad);
        expect(outcome.kind).toBe("aborted");
        expect(["22P05", "22021"]).toContain(outcome.kind === "aborted" ? outcome.code : "");
      }
      expect(await stored("c1")).toBeNull();
    });

    test("[RT-10] an effect that one batch begins and settles was never there; otherwise its row stays until settled", async () => {
      await flush(group({ effects: [effectOf("e1"), effectOf("e2")] }), group({ settled: ["e1"] }));
      expect((await undone()).effects).toMatchObject([effectOf("e2")]);
      await flush(group({ settled: ["e2"] }), group({ effects: [effectOf("e3")], settled: ["e3"] }));
      expect((await undone()).effects).toEqual([]);
    });

    test("[RT-10] messages are found in the order of their commits, until they are consumed", async () => {
      await flush(group({ messages: [messageOf("m3"), messageOf("m1")] }), group({ messages: [messageOf("m2")] }));
      await flush(group({ messages: [messageOf("m0")] }));
      expect((await undone()).messages).toMatchObject(["m3", "m1", "m2", "m0"].map(messageOf));
      await flush(group({ consumed: ["m1", "m3"] }));
      expect((await undone()).messages.map((m) => m.id)).toEqual(["m2", "m0"]);
    });

    test("[RT-11] unfinished work comes in pages, and only shards that have some are named", async () => {
      expect(await store.undoneShards([shardOf(ORG), shardOf(OTHER)])).toEqual([]);
      await flush(group({ messages: ["m3", "m1", "m2"].map(messageOf), effects: ["e2", "e3", "e1"].map(effectOf) }));
      const [undone] = await store.undoneShards([shardOf(ORG), shardOf(OTHER)]);
      const page = async (after: number, upTo: number) => store.undoneMessages(shardOf(ORG), { after, upTo }, 2);
      const upTo = undone!.lastMessage;
      const first = await page(0, upTo);
      const rest = await page(first[1]!.position, upTo);
      expect([first, rest].map((rows) => rows.map(({ id }) => id))).toEqual([["m3", "m1"], ["m2"]]);
      expect(undone).toEqual({ shard: shardOf(ORG), lastMessage: rest[0]!.position });
      expect(await page(rest[0]!.position, upTo)).toEqual([]);
      expect((await page(0, upTo - 1)).map(({ id }) => id)).toEqual(["m3", "m1"]);
      const effects = [
        await store.undoneEffects(shardOf(ORG), "", 2),
        await store.undoneEffects(shardOf(ORG), "e2", 2),
      ];
      expect(effects.map((page) => page.map(({ id }) => id))).toEqual([["e1", "e2"], ["e3"]]);
      await flush(group({ consumed: ["m1", "m2", "m3"], settled: ["e1", "e2"] }));
      expect(await store.undoneShards([shardOf(ORG)])).toEqual([{ shard: shardOf(ORG), lastMessage: 0 }]);
    });

    test("[RT-11] undone and alarms are those of the shards requested", async () => {
      await flush(group({ messages: [messageOf("m1")], effects: [effectOf("e1")], alarms: [alarmOf("a1", 5)] }));
      expect(await undone(shardOf(OTHER))).toEqual({ messages: [], effects: [] });
      expect(await store.alarms([shardOf(OTHER)], 10, 9)).toEqual([]);
      expect(await store.alarms([], 10, 9)).toEqual([]);
    });

    test("[OPS-6] erased organizations are those of the shards requested", async () => {
      expect(await store.erased([shardOf(ORG), shardOf(OTHER)])).toEqual([]);
      await fixture.erase(ORG);
      expect(await store.erased([shardOf(ORG), shardOf(OTHER)])).toEqual([ORG]);
      expect(await store.erased([shardOf(OTHER)])).toEqual([]);
    });

    test("[RT-5] raising an epoch waits for the statement that holds the old one, and then its rows are there", async () => {
      const stall = await fixture.stall(ORG, "l1", 1);
      const outcome = flush(group({ events: [eventOf(1)], records: [{ table, record: recordOf("c1", 1) }] }));
      await stall.reached;
      const seen = placement.raise([shardOf(ORG)]).then(() => stored("c1"));
      await stall.release();
      expect(await outcome).toEqual({ kind: "answered", live: new Set([shardOf(ORG)]) });
      expect(await seen).not.toBeNull();
    });

    test("[RT-4] a backend that dies in mid-statement leaves the outcome unknown; after the raise it is final", async () => {
      const stall = await fixture.stall(ORG, "l1", 1);
      const outcome = flush(group({ events: [eventOf(1)], records: [{ table, record: recordOf("c1", 1) }] }));
      await stall.reached;
      await stall.kill();
      expect((await outcome).kind).toBe("unknown");
      const [grant] = await placement.raise([shardOf(ORG)]);
      expect(grant!.epoch).toBe(epochs.get(shardOf(ORG))! + 1);
      expect(await stored("c1")).toBeNull();
      epochs.set(grant!.shard, grant!.epoch);
      // The driver may give the first statement on a new connection the last words of the old one.
      await until(
        "a flush is answered",
        async () => (await flush(group({ events: [eventOf(1)] }))).kind === "answered",
      );
      expect(await seqs()).toEqual([1]);
    });
  });
  alarmStoreContract(name, open);
}
