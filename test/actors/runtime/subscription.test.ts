import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Replay, Replay as NewReplay, RING_EVENTS } from "../../../actors/runtime/streams/replay.ts";
import type { StoredEvent } from "../../../actors/runtime/store.ts";
import { PAGE_EVENTS, Subscription } from "../../../actors/runtime/streams/subscription.ts";
import { settle } from "../../support/fake-clock.ts";
import { said } from "../../support/ledger-replica.ts";

/** A stream: its table, its ring, and what is committed but not yet published. */
class Stream {
  readonly replay: Replay = new NewReplay();
  readonly table: StoredEvent[] = [];
  pages: { after: number; limit: number }[] = [];
  /** When set, pages wait here, with what the table had when they were asked. */
  door: Promise<void> | null = null;

  commit(count = 1): StoredEvent[] {
    const events = Array.from({ length: count }, (_, i): StoredEvent => ({
      seq: this.table.length + 1 + i,
      type: "e",
      at: "",
      data: {},
    }));
    this.table.push(...events);
    return events;
  }
  publish(count = 1): void {
    for (const event of this.commit(count)) this.replay.publish(event);
    this.replay.wake();
  }
  reader(after = 0, head = 0): Subscription {
    return new Subscription(
      this.replay,
      after,
      {
        page: async ({ after: from, limit }) => {
          this.pages.push({ after: from, limit });
          const rest = this.table.filter((e) => e.seq > from);
          const page = { events: rest.slice(0, limit), hasMore: rest.length > limit };
          if (this.door !== null) await this.door;
          return page;
        },
      },
      head,
    );
  }
}

async function takeUntil(reader: Subscription, seq: number): Promise<string[]> {
  const items: string[] = [];
  while (!items.includes(`${seq}`)) items.push(...said(await reader.next()));
  return items;
}
const seqs = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `${from + i}`);

test("[RT-8] a reader of a cold stream reads the database page by page to its end, then waits, then gets live events", async () => {
  const stream = new Stream();
  stream.commit(3);
  const reader = stream.reader(1);
  expect(said(await reader.next())).toEqual(["2", "3"]);
  const next = reader.next();
  await settle();
  stream.publish();
  expect(said(await next)).toEqual(["4"]);
  expect(stream.pages.map((p) => p.after)).toEqual([1]);
});

test("[RT-8] a page holds 200 events: the reader requests another one if there is more, and none after the last", async () => {
  const stream = new Stream();
  stream.commit(PAGE_EVENTS + 1);
  const reader = stream.reader();
  expect((await reader.next()).length).toBe(PAGE_EVENTS);
  expect((await reader.next()).length).toBe(1);
  void reader.next();
  await settle();
  expect(stream.pages).toEqual([
    { after: 0, limit: PAGE_EVENTS },
    { after: PAGE_EVENTS, limit: PAGE_EVENTS },
  ]);
  reader.close();
});

test("[RT-8] a slow reader gets everything once and in order: pages, then the ring, without a gap", async () => {
  const stream = new Stream();
  const total = 3 * RING_EVENTS + 17;
  stream.publish(total);
  expect(await takeUntil(stream.reader(), total)).toEqual(seqs(1, total));
  expect(stream.pages.length).toBe(3);
  expect(stream.pages.every((page) => page.limit === PAGE_EVENTS)).toBe(true);
});

test("[RT-8] an event that is published while a page is in flight is neither lost nor repeated", async () => {
  const stream = new Stream();
  stream.commit(2);
  let open = (): void => {};
  stream.door = new Promise((resolve) => (open = resolve));
  const reader = stream.reader();
  const first = reader.next();
  await settle();
  stream.publish(2);
  open();
  expect([...said(await first), ...said(await reader.next())]).toEqual(["1", "2", "3", "4"]);
});

test("[RT-8] an event that a page has before it is published is given once", async () => {
  const stream = new Stream();
  const events = stream.commit(2);
  const reader = stream.reader();
  expect(said(await reader.next())).toEqual(["1", "2"]);
  for (const event of events) stream.replay.publish(event);
  const next = reader.next();
  stream.publish();
  expect(said(await next)).toEqual(["3"]);
});

test("[RT-8] after an invalidation a waiting reader reads the database again", async () => {
  const stream = new Stream();
  stream.publish(2);
  const reader = stream.reader();
  await takeUntil(reader, 2);
  const next = reader.next();
  await settle();
  stream.commit();
  stream.replay.invalidate();
  expect(said(await next)).toEqual(["3"]);
});

test("[RT-8] an invalidation during a page makes the reader read again", async () => {
  const stream = new Stream();
  let open = (): void => {};
  stream.door = new Promise((resolve) => (open = resolve));
  const reader = stream.reader();
  const next = reader.next();
  await settle();
  stream.commit();
  stream.replay.invalidate();
  open();
  expect(said(await next)).toEqual(["1"]);
});

test("[RT-8] close wakes a waiting reader with nothing, uncounts it once, and ends the page in flight", async () => {
  const stream = new Stream();
  const [waiting, paging] = [stream.reader(), stream.reader()];
  const parked = waiting.next();
  await settle();
  stream.door = new Promise(() => {});
  void paging.next();
  expect(stream.replay.readers).toBe(2);
  waiting.close();
  waiting.close();
  expect(await parked).toEqual([]);
  expect(await waiting.next()).toEqual([]);
  expect(stream.replay.readers).toBe(1);
  expect(stream.replay.waiting.size).toBe(0);
});

test("[RT-8] a failed page is reported to the caller, and the reader may retry", async () => {
  const stream = new Stream();
  stream.commit();
  stream.door = Promise.reject(new Error("down"));
  const reader = stream.reader();
  await expect(reader.next()).rejects.toThrow("down");
  stream.door = null;
  expect(said(await reader.next())).toEqual(["1"]);
});

test("[RT-8] live text reaches a reader that has read from the database, from its beginning", async () => {
  const stream = new Stream();
  stream.commit(1);
  stream.replay.beginText("m", 1, "");
  stream.replay.addText("m", "abc");
  const reader = stream.reader();
  expect([...said(await reader.next()), ...said(await reader.next())]).toEqual(["1", '"abc"@3']);
});

const MOVES = ["commit", "publish", "take", "invalidate", "burst"] as const;

test("[RT-8] any interleaving of commits, late publications, invalidations and two readers gives each every event once, in order", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...MOVES), { maxLength: 60 }), async (script) => {
      const stream = new Stream();
      const pending: StoredEvent[] = [];
      const readers = [stream.reader(), stream.reader()];
      const got: string[][] = [[], []];
      const loops = readers.map(async (reader, i) => {
        for (let items = await reader.next(); items.length > 0; items = await reader.next())
          got[i]!.push(...said(items));
      });
      for (const move of script) {
        if (move === "commit") pending.push(...stream.commit());
        else if (move === "burst") pending.push(...stream.commit(RING_EVENTS + 3));
        else if (move === "invalidate") stream.replay.invalidate();
        else if (move === "take") await settle();
        else {
          for (const event of pending.splice(0)) stream.replay.publish(event);
          stream.replay.wake();
        }
      }
      for (const event of pending.splice(0)) stream.replay.publish(event);
      stream.replay.wake();
      await settle();
      readers.forEach((reader) => reader.close());
      await Promise.all(loops);
      const all = seqs(1, stream.table.length);
      expect(got).toEqual([all, all]);
    }),
    { numRuns: 100 },
  );
});

test("[RT-8] readers that return together share the pages they read, and the lists in them", async () => {
  const stream = new Stream();
  stream.commit(2 * PAGE_EVENTS + 7);
  const readers = Array.from({ length: 50 }, () => stream.reader(3, stream.table.length));
  for (const length of [PAGE_EVENTS, PAGE_EVENTS, 4]) {
    const [first, ...others] = await Promise.all(readers.map((reader) => reader.next()));
    expect(first!.length).toBe(length);
    expect(others.every((items) => items === first)).toBe(true);
  }
  expect(stream.pages.map(({ after }) => after)).toEqual([3, 203, 403]);
  for (const reader of readers) reader.close();
});

test("[RT-8] readers that return to the same event look it up once, and again after an invalidation", async () => {
  const stream = new Stream();
  stream.commit(5);
  const readers = Array.from({ length: 50 }, () => stream.reader(0, 5));
  const back = await Promise.all(readers.map((reader) => reader.resume({ seq: 2, position: null })));
  expect(new Set(back)).toEqual(new Set(["resumed"]));
  expect(stream.pages).toEqual([{ after: 1, limit: 2 }]);
  const door = Promise.withResolvers<void>();
  stream.door = door.promise;
  const early = stream.reader(0, 5).resume({ seq: 2, position: null });
  stream.replay.invalidate();
  const late = stream.reader(0, 5).resume({ seq: 2, position: null });
  door.resolve();
  expect([await early, await late, stream.pages.length]).toEqual(["resumed", "resumed", 3]);
});

test("[RT-8] a reader that knows of a newer event does not take a page that was requested before it", async () => {
  const stream = new Stream();
  stream.commit(2);
  const door = Promise.withResolvers<void>();
  stream.door = door.promise;
  const early = stream.reader(0, 2).next();
  await settle();
  stream.commit(1);
  const late = stream.reader(0, 3).next();
  await settle();
  door.resolve();
  expect([said(await early), said(await late)]).toEqual([
    ["1", "2"],
    ["1", "2", "3"],
  ]);
});

test("[RT-8] after an invalidation no reader takes a page from before it", async () => {
  const stream = new Stream();
  stream.commit(PAGE_EVENTS + 1);
  const first = stream.reader();
  await first.next();
  stream.replay.invalidate();
  await stream.reader().next();
  expect(stream.pages.map(({ after }) => after)).toEqual([0, 0]);
});

test("[RT-8] a page from before an invalidation is not kept for later readers, whoever waits for it", async () => {
  const stream = new Stream();
  stream.commit(PAGE_EVENTS + 1);
  const door = Promise.withResolvers<void>();
  stream.door = door.promise;
  const first = stream.reader();
  const taken = first.next();
  await settle();
  stream.replay.invalidate();
  first.close();
  door.resolve();
  await taken;
  await stream.reader().next();
  expect(stream.pages.map(({ after }) => after)).toEqual([0, 0]);
});

test("[RT-8] a fork continues from the same position, independently", async () => {
  const stream = new Stream();
  stream.publish(2);
  const reader = stream.reader();
  await takeUntil(reader, 2);
  const fork = reader.fork();
  expect([fork.isWith(reader), stream.replay.readers]).toEqual([true, 2]);
  stream.publish();
  expect(said(await fork.next())).toEqual(["3"]);
  expect(fork.isWith(reader)).toBe(false);
  expect(said(await reader.next())).toEqual(["3"]);
  expect(fork.isWith(reader)).toBe(true);
  reader.close();
  stream.publish();
  expect(said(await fork.next())).toEqual(["4"]);
});

test("[SSE-3] [RT-8] readers at different positions of one text are not together until both have the same part of it", async () => {
  const stream = new Stream();
  const [reader, other] = [stream.reader(), stream.reader()];
  stream.replay.beginText("m", 1, "ab");
  expect(said(await reader.next())).toEqual(said(await other.next()));
  expect(reader.isWith(other)).toBe(true);
  stream.replay.addText("m", "cd");
  await reader.next();
  expect(reader.isWith(other)).toBe(false);
  await other.next();
  expect(reader.isWith(other)).toBe(true);
});

test("[SSE-3] [RT-8] readers of one page at different positions of its text each get the rest of it", async () => {
  const live = { messageId: "m1", attempt: 1, base: 0, position: 6 };
  const event = { seq: 1, type: "e", at: "", data: {}, live };
  const page = { events: [event, { seq: 2, type: "e", at: "", data: {} }], hasMore: true };
  const replay = new NewReplay();
  const readFrom = async (position: number): Promise<readonly string[]> => {
    const store = { page: () => Promise.resolve(page), textOf: () => Promise.resolve("abcdef") };
    const reader = new Subscription(replay, 0, store, 2);
    expect(await reader.resume({ seq: 0, position })).toBe("resumed");
    return said(await reader.nextPage());
  };
  expect(await readFrom(0)).toEqual(['"abcdef"@6', "1", "2"]);
  expect(await readFrom(4)).toEqual(['"ef"@6', "1", "2"]);
  expect(await readFrom(0)).toEqual(['"abcdef"@6', "1", "2"]);
});

const SAYINGS = ["publish", "begin", "add", "end", "invalidate", "take 0", "take 1", "come"] as const;

test("[RT-8] readers at the same position get the same events from there on, and so do forks", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...SAYINGS), { maxLength: 60 }), async (script) => {
      const stream = new Stream();
      const first = stream.reader();
      let second = stream.reader();
      let attempt = 0;
      const drained = async (reader: Subscription): Promise<string[]> => {
        const items: string[] = [];
        for (let taken = reader.take(); taken === null || taken.length > 0; taken = reader.take())
          items.push(...said(taken ?? (await reader.nextPage())));
        return items;
      };
      let areTogether = false;
      for (const move of script) {
        if (move === "publish") stream.publish();
        else if (move === "begin") stream.replay.beginText("m", ++attempt, "");
        else if (move === "add") stream.replay.addText("m", "ab");
        else if (move === "end") stream.replay.endText("m");
        else if (move === "invalidate") stream.replay.invalidate();
        else if (move === "come") {
          second.close();
          const head = stream.table.length;
          second = stream.reader(0, head);
          await second.resume({ seq: head, position: 0 });
          areTogether = false;
        } else if (areTogether) expect(await drained(second)).toEqual(await drained(first));
        else await drained(move === "take 0" ? first : second);
        areTogether ||= first.isWith(second);
      }
      const fork = first.fork();
      stream.publish();
      stream.replay.beginText("m", ++attempt, "end");
      const rest = await drained(first);
      expect(rest.slice(-2)).toEqual([`${stream.table.length}`, '"end"@3']);
      expect(await drained(fork)).toEqual(rest);
      if (areTogether) expect(await drained(second)).toEqual(rest);
    }),
    { numRuns: 300 },
  );
});
