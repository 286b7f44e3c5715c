/** What `actors/runtime/store.ts` promises about alarms, as one suite for every implementation. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { shardOf } from "../../actors/runtime/placement/placement.ts";
import { type ActorStore, alarmId, type AlarmRow } from "../../actors/runtime/store.ts";
import { alarmOf, keyOf, ORG, OTHER, type StoreFixture, StoreScene } from "./store-scene.ts";

export function alarmStoreContract(name: string, open: () => Promise<StoreFixture>): void {
  describe(`alarms of ActorStore on ${name}`, () => {
    let scene: StoreScene;
    let store: ActorStore;
    let flush: StoreScene["flush"];
    let group: StoreScene["group"];

    beforeEach(async () => {
      scene = await StoreScene.open(open);
      ({ flush, group } = scene);
      ({ store } = scene.fixture);
    });
    afterEach(() => scene.fixture.close());

    test("[RT-10] alarms: due before the time asked, soonest first, at most the limit", async () => {
      await flush(group({ alarms: [alarmOf("late", 300), alarmOf("soon", 100), alarmOf("next", 200)] }));
      expect(await store.alarms([shardOf(ORG)], 300, 9)).toMatchObject([alarmOf("soon", 100), alarmOf("next", 200)]);
      expect((await store.alarms([shardOf(ORG)], 1_000, 1)).map((a) => a.name)).toEqual(["soon"]);
      await flush(group({ alarms: [alarmOf("beside next", 200)] }));
      const pages: string[] = [];
      for (let after: AlarmRow | null = null; ;) {
        const [row]: readonly AlarmRow[] = await store.alarms([shardOf(ORG)], 1_000, 1, after);
        if (row === undefined) break;
        pages.push(row.name);
        after = row;
      }
      expect(pages).toEqual((await store.alarms([shardOf(ORG)], 1_000, 9)).map((a) => a.name));
    });

    test("[RT-10] alarms: read as records of their actors, until they are cleared", async () => {
      await flush(group({ alarms: [alarmOf("a", 1), alarmOf("b", 2)] }));
      const ids = ["b", "a", "none"].map((name) => ({ ...keyOf(name), name }));
      const refs = ids.map((key) => ({ table: "alarm", organizationId: ORG, id: alarmId(key) }));
      expect(await store.read(refs)).toMatchObject([{ dueAtMs: 2, command: { kind: "wake" } }, { dueAtMs: 1 }, null]);
      await flush(group({ alarms: [alarmOf("a", 3)], cleared: [keyOf("b")] }));
      expect(await store.read(refs)).toMatchObject([null, { dueAtMs: 3 }, null]);
      expect(await store.read([{ ...refs[1]!, organizationId: OTHER }])).toEqual([null]);
    });

    test("[RT-10] alarms: the last word of a batch counts, be it set, replaced or cleared", async () => {
      await flush(group({ alarms: [alarmOf("a", 1), alarmOf("b", 1), alarmOf("c", 1)] }));
      await flush(
        group({ alarms: [alarmOf("a", 7)], cleared: [keyOf("b")] }),
        group({ alarms: [alarmOf("b", 8)], cleared: [keyOf("c")] }),
        group({ cleared: [keyOf("a")] }),
        group({ alarms: [alarmOf("new", 9)] }),
        group({ cleared: [keyOf("new"), keyOf("never")] }),
      );
      expect(await store.alarms([shardOf(ORG)], 1_000, 9)).toMatchObject([alarmOf("b", 8)]);
    });

    test("[RT-10] alarms: one group clears before it sets, so an alarm can set itself again as it fires", async () => {
      await flush(group({ alarms: [alarmOf("a", 1)] }));
      await flush(group({ cleared: [keyOf("a")], alarms: [alarmOf("a", 2)] }));
      expect(await store.alarms([shardOf(ORG)], 1_000, 9)).toMatchObject([alarmOf("a", 2)]);
    });
  });
}
