/** What `actors/runtime/placement/placement.ts` promises, as one suite for every implementation. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Placement, SHARD_COUNT, type ShardGrant } from "../../actors/runtime/placement/placement.ts";

export interface PlacementFixture {
  /** A replica that has joined. */
  replica(id: string): Promise<Placement>;
  /** Lets the authority's clock pass the end of this replica's lease. */
  expire(id: string): Promise<void>;
  /** Runs both at once, as nearly as the implementation can make them collide. */
  collide<T>(first: () => Promise<T>, second: () => Promise<T>): Promise<[T, T]>;
  close(): Promise<void>;
}

const numbers = (grants: readonly ShardGrant[]): number[] => grants.map((g) => g.shard).sort((a, b) => a - b);
const ALL = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);

export function placementContract(name: string, open: () => Promise<PlacementFixture>): void {
  describe(`Placement on ${name}`, () => {
    let fixture: PlacementFixture;
    let first: Placement;
    let second: Placement;

    beforeEach(async () => {
      fixture = await open();
      first = await fixture.replica("r1");
      second = await fixture.replica("r2");
    });
    afterEach(() => fixture.close());

    test("[RT-12] the first claim takes every shard at a raised epoch, another one takes nothing again", async () => {
      const grants = await first.claim();
      expect(numbers(grants)).toEqual(ALL);
      expect(grants.every((g) => g.epoch === 1)).toBe(true);
      const again = await first.claim();
      expect(numbers(again)).toEqual(ALL);
      expect(again.every((g) => g.epoch === 1)).toBe(true);
    });

    test("[RT-12] a shard with a living owner is never taken", async () => {
      await first.claim();
      expect(await second.claim()).toEqual([]);
      expect(await first.renew()).toBe(true);
    });

    test("[RT-12] a lease that has run out by the authority's clock is dead permanently, and its shards are free", async () => {
      await first.claim();
      await fixture.expire("r1");
      const taken = await second.claim();
      expect(numbers(taken)).toEqual(ALL);
      expect(taken.every((g) => g.epoch === 2)).toBe(true);
      expect(await first.renew()).toBe(false);
      expect(await first.renew()).toBe(false);
      expect(await first.claim()).toEqual([]);
      expect(await first.raise([0, 1])).toEqual([]);
    });

    test("[RT-12] a lease that has run out and that nobody has missed is renewed", async () => {
      await first.claim();
      await fixture.expire("r1");
      expect(await first.renew()).toBe(true);
      expect(await second.claim()).toEqual([]);
    });

    test("[RT-12] a renewed lease counts from the renewal", async () => {
      await first.claim();
      await fixture.expire("r1");
      await first.renew();
      await second.renew();
      expect(await second.claim()).toEqual([]);
    });

    test("[RT-5] raise raises the epochs of owned shards only, and answers those", async () => {
      await first.claim();
      expect([...(await first.raise([3, 5]))].sort((a, b) => a.shard - b.shard)).toEqual([
        { shard: 3, epoch: 2 },
        { shard: 5, epoch: 2 },
      ]);
      expect(await second.raise([3])).toEqual([]);
      const grants = await first.claim();
      expect(numbers(grants.filter((g) => g.epoch === 2))).toEqual([3, 5]);
    });

    test("[REP-1] an even share is a part of all living replicas, rounded up, and a claim takes no more than its most", async () => {
      const part = async (placement: Placement): Promise<number[]> => {
        const { grants, most } = await placement.claimPart();
        expect(new Set(numbers(grants)).size).toBe(grants.length);
        return [grants.length, most];
      };
      expect(await part(first)).toEqual([64, 64]);
      expect(await first.claim(3)).toHaveLength(64);
      const third = await fixture.replica("r3");
      expect(await part(second)).toEqual([43, 43]);
      expect(await part(third)).toEqual([21, 43]);
      // More than its part stays with it until it gives that up.
      expect(await part(first)).toEqual([64, 43]);
      const fourth = await fixture.replica("r4");
      expect(await part(fourth)).toEqual([0, 32]);
      await second.leave();
      expect(await part(third)).toEqual([43, 43]);
      expect(await part(fourth)).toEqual([21, 43]);
    });

    test("[REP-1] shards that are released are free at once, at a higher epoch; those of another replica stay", async () => {
      await first.claim(64);
      await second.claim(64);
      const own = numbers(await second.claim(64));
      await first.release(ALL.map((shard) => ({ shard, epoch: 1 })));
      expect(numbers(await second.claim(64))).toEqual(own);
      const taken = await second.claim();
      expect(numbers(taken)).toEqual(ALL);
      expect(taken.filter((g) => g.epoch === 2)).toHaveLength(64);
      expect(await first.raise([...ALL])).toEqual([]);
    });

    test("[REP-2] a release that arrives after the epoch has risen keeps the shard", async () => {
      const [given] = await first.claim(1);
      const [raised] = await first.raise([given!.shard]);
      await first.release([given!]);
      expect(numbers(await second.claim())).not.toContain(given!.shard);
      await first.release([raised!]);
      expect(numbers(await second.claim())).toEqual(ALL);
    });

    test("[RT-12] leaving frees the shards at once; the next owner's epoch is higher", async () => {
      await first.claim();
      await first.leave();
      expect(await first.renew()).toBe(false);
      const taken = await second.claim();
      expect(numbers(taken)).toEqual(ALL);
      expect(taken.every((g) => g.epoch === 2)).toBe(true);
    });

    test("[RT-12] two replicas that claim free shards at once never both own one, and none is taken from a living owner", async () => {
      const [a, b] = await fixture.collide(
        () => first.claim(),
        () => second.claim(),
      );
      expect(numbers([...a, ...b])).toEqual(ALL);
      expect([...a, ...b].every((g) => g.epoch === 1)).toBe(true);
    });

    test("[RT-12] two replicas that claim a dead one's shards at once never both own one", async () => {
      const third = await fixture.replica("r3");
      await third.claim();
      await fixture.expire("r3");
      const [a, b] = await fixture.collide(
        () => first.claim(),
        () => second.claim(),
      );
      expect(numbers([...a, ...b])).toEqual(ALL);
      expect([...a, ...b].every((g) => g.epoch === 2)).toBe(true);
    });
  });
}
